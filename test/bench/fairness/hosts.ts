import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createServerIdentity } from '#testing/test-certificates.ts';
import type { Settings } from '../crier-server.ts';
import { FRIENDLY, HARMFUL, openHosts, type HostKind, type HostsOrder, type HostsReady } from './answering-hosts.ts';

export interface TenantHosts {
  /** Settings by which a server of Crier finds and trusts them. */
  readonly settings: Settings;
  /** Each number is a host of its own. */
  urlOf(kind: HostKind, number: number, path?: string): string;
  /** Resolves when `hook` has received the event. Rejects past the deadline. */
  arrived(eventId: string, withinMs: number): Promise<void>;
  /** From now on, or no longer, the hosts of an attack do harm; otherwise they answer 404 at once. */
  setHarmful(isHarmful: boolean): void;
  close(): Promise<void>;
}

const HOSTS = 64;
const HARMFUL_HOSTS = resolve(import.meta.dirname, 'harmful-hosts.ts');

/**
 * Hosts that tenants name. Those of an attack are a process of their own: to take many connections would otherwise
 * delay the victim's side, which measures.
 */
export async function startTenantHosts(): Promise<TenantHosts> {
  const folder = mkdtempSync(join(tmpdir(), 'crier-bench-hosts-'));
  const authority = join(folder, 'authority.pem');
  const identity = createServerIdentity(['tenants.test', '*.tenants.test']);
  writeFileSync(authority, identity.ca);
  const arrivals = new Map<string, PromiseWithResolvers<void>>();
  const arrivalOf = (eventId: string): PromiseWithResolvers<void> => {
    const known = arrivals.get(eventId) ?? Promise.withResolvers<void>();
    arrivals.set(eventId, known);
    return known;
  };
  const friendly = await openHosts({ ...identity, onEvent: (eventId) => arrivalOf(eventId).resolve() });
  const harmful = fork(HARMFUL_HOSTS);
  const order = (given: HostsOrder): void => void harmful.send(given);
  order({ kind: 'open', certificate: identity.certificate, key: identity.key });
  const [{ port }] = (await once(harmful, 'message')) as [HostsReady];
  const portOf = (kind: HostKind): number => (HARMFUL.includes(kind) ? port : friendly.port);
  const overrides = [...FRIENDLY, ...HARMFUL].flatMap((kind) =>
    Array.from({ length: HOSTS }, (_, number) => `${kind}${number}.tenants.test=127.0.0.1:${portOf(kind)}`),
  );
  return {
    settings: { CRIER_EGRESS_OVERRIDES: overrides.join(), NODE_EXTRA_CA_CERTS: authority },
    urlOf: (kind, number, path = '/') => `https://${kind}${number % HOSTS}.tenants.test${path}`,
    arrived: async (eventId, withinMs) => {
      const { promise, reject } = arrivalOf(eventId);
      const late = setTimeout(() => reject(new Error(`an event did not arrive within ${withinMs} ms`)), withinMs);
      await promise.finally(() => {
        clearTimeout(late);
        arrivals.delete(eventId);
      });
    },
    setHarmful: (isHarmful) => order({ kind: 'harm', isHarmful }),
    close: async () => {
      const ended = once(harmful, 'exit');
      harmful.disconnect();
      await Promise.all([friendly.close(), ended]);
      rmSync(folder, { recursive: true });
    },
  };
}
