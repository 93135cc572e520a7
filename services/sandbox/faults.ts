import type { Network } from '#domain/network.ts';
import { shelf, type SandboxStore } from './store/store.ts';

/** Faults that every call of every Network can have; the sandbox itself plays them. */
export const COMMON_FAULTS = [
  'drop_before_commit',
  'drop_after_commit',
  'delay',
  '5xx_before_commit',
  '5xx_after_commit',
] as const;

/** Faults that a Network plays with its own answers. */
const NETWORK_FAULTS = [
  'token_revoked',
  'scope_removed',
  'account_restricted',
  'rate_limited',
  'quota_exhausted',
  'processing_stuck',
  'processing_failed',
  'duplicate',
  'permalink_missing',
  'container_read_100_33',
  'media_fetch_blocked',
  'me_accounts_empty',
  'tiktok_no_post_id',
  'yt_session_gone',
  'x_no_credits',
  'moderation_hold',
] as const;

export type CommonFault = (typeof COMMON_FAULTS)[number];
export type NetworkFault = (typeof NETWORK_FAULTS)[number];
export type FaultName = CommonFault | NetworkFault;

export interface Fault<Name extends FaultName = FaultName> {
  readonly network: Network;
  readonly fault: Name;
  readonly call: string;
  readonly left: number;
  readonly delayMs: number | null;
  readonly reason: string | null;
}

export function isNetworkFault(fault: Fault): fault is Fault<NetworkFault> {
  return (NETWORK_FAULTS as readonly string[]).includes(fault.fault);
}

/** The calls at which a Network can play a fault. The first one is the default. */
export interface FaultRule {
  readonly calls: readonly string[];
  /** The values of `reason`; the first one is the default. Absent: any text. */
  readonly reasons?: readonly string[];
}

export type FaultRules = Readonly<Partial<Record<NetworkFault, FaultRule>>>;

export interface SandboxFaults {
  set(fault: Fault): void;
  list(): readonly Fault[];
  clear(): void;
  /** Takes the oldest fault that waits for this call, and counts one use of it. */
  take(network: Network, call: string): Fault | null;
}

export function createFaults(store: SandboxStore): SandboxFaults {
  const kept = shelf<Fault>(store, 'faults');
  const waiting = new Map(kept.scan().map(({ key, value }) => [key, value]));
  let sequence = Math.max(0, ...[...waiting.keys()].map(Number));
  const forget = (key: string) => {
    waiting.delete(key);
    kept.delete(key);
  };
  return {
    set(fault) {
      sequence += 1;
      const key = String(sequence).padStart(15, '0');
      waiting.set(key, fault);
      kept.put(key, fault);
    },
    list: () => [...waiting.values()],
    clear() {
      for (const key of [...waiting.keys()]) forget(key);
    },
    take(network, call) {
      for (const [key, fault] of waiting) {
        if (fault.network !== network || fault.call !== call) continue;
        const left = fault.left - 1;
        if (left <= 0) forget(key);
        else {
          waiting.set(key, { ...fault, left });
          kept.put(key, { ...fault, left });
        }
        return fault;
      }
      return null;
    },
  };
}
