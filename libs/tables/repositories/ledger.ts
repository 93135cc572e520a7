import type { KeyValue } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { FailureReason } from '#domain/post/post.ts';
import type { Failure } from '#domain/variant/failure.ts';
import { BODY_FORMAT, decodeBody, encodeBody } from '../rows/body.ts';
import { replacing, settledWrite } from '../rows/replace-row.ts';
import { PUBLISH_ARMS, PUBLISH_EVIDENCE } from '../declarations/tables.ts';

/** How an attempt ended. */
export type ArmVerdict =
  | { readonly kind: 'published'; readonly remoteId: string; readonly permalink: string | null }
  | { readonly kind: 'failed'; readonly reason: Exclude<FailureReason, 'unconfirmed'>; readonly detail: string }
  | { readonly kind: 'unconfirmed'; readonly detail: string };

/**
 * Where the newest attempt at a Variant stands. One conditional row a Variant: `preparing` (repeatable; may hold a
 * handle, may wait) -> `armed` (the irreversible call may be on its way or done) -> `closed`. An armed row with
 * evidence of `published` counts as closed: success needs no third write. A failure does: only who still holds the row
 * may say that nothing was published.
 */
export interface Arm {
  readonly attempt: number;
  readonly stage: 'preparing' | 'armed' | 'closed';
  /** What the Network calls the thing to publish; kept over attempts, because absence can be proven by it. */
  readonly handle: string | null;
  /** When it was last armed; 0 = never. */
  readonly armedAt: number;
  /**
   * The token of the write that last armed it: what its send said is known by it, however the row moved since. '' =
   * never.
   */
  readonly armToken: string;
  /**
   * The sender must have begun to send before this instant; nobody else asks the Network before it, the call's time-out
   * and skew have passed.
   */
  readonly sendBefore: number;
  /** Nothing is done before this instant; a timer goes on then. */
  readonly notBefore: number;
  /** How often the Network was asked what became of it. */
  readonly asked: number;
  /** Refusals of this attempt so far that may pass, for backoff. */
  readonly failures: number;
  /** The access token was refreshed for this attempt already. */
  readonly refreshed: boolean;
  /**
   * An earlier attempt nobody could tell the end of (of several, since the first); `settled` once the Network was asked
   * about it.
   */
  readonly earlier: { readonly handle: string | null; readonly armedAt: number; readonly settled: boolean } | null;
  /** Set when closed. */
  readonly verdict: ArmVerdict | null;
}

export interface ArmRow extends Arm {
  readonly version: number;
  readonly token: string;
}

export type EvidenceOutcome =
  'ready' | 'wait' | 'published' | 'accepted' | 'processing' | 'failed' | 'unknown' | 'absent' | 'unconfirmed';

/** What one step said; written once, before anything is done about it. */
export interface Evidence {
  readonly attempt: number;
  readonly step: 'prepare' | 'publish' | 'reconcile' | 'verdict';
  /** Makes the row this step's own, whoever else acts in the same millisecond. */
  readonly id: string;
  /** Of the arm the step acted under; '' before one. */
  readonly armToken: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly outcome: EvidenceOutcome;
  readonly detail: string;
  /** With `published`. */
  readonly remoteId: string | null;
  readonly permalink: string | null;
  /** With `failed`: what the Network's answer means. */
  readonly failure: Failure | null;
  /** With `accepted`, where only that answer named what was published: the row may not have it yet. */
  readonly handle?: string;
}

export interface Ledger {
  readArm(variantId: string): Promise<ArmRow | null>;
  /**
   * Replaces the row if it is still `over` (null: if there is none); false = somebody else moved it. An uncertain write
   * is settled by a serial read, so `true` is a fact. Rejects with `PortError` when even that can't be told.
   */
  moveArm(variantId: string, over: ArmRow | null, next: Arm, token: string): Promise<ArmRow | null>;
  writeEvidence(variantId: string, evidence: Evidence): Promise<void>;
  /** In order of attempt and time. */
  attempts(variantId: string): Promise<readonly Evidence[]>;
}

/** The most steps of one Variant that are read back: far above what any attempt makes. */
const MAX_STEPS = 2000;

export function createLedger(store: TableStore): Ledger {
  return {
    readArm: async (variantId) => {
      const row = await store.read(PUBLISH_ARMS, [variantId], []);
      const arm = row === null ? null : decodeBody<Arm>(row);
      return row === null || arm === null ? null : { ...arm, version: row.version, token: row.token };
    },
    moveArm: async (variantId, over, next, token) => {
      const write = replacing([variantId], [], { over: over?.version ?? null, value: next, token });
      const isOurs = await settledWrite(store, PUBLISH_ARMS, write);
      return isOurs ? { ...next, version: write.next.version, token } : null;
    },
    writeEvidence: async (variantId, evidence) => {
      const clustering: readonly KeyValue[] = [evidence.attempt, evidence.startedAt, evidence.step, evidence.id];
      await store.insert(PUBLISH_EVIDENCE, [
        { partition: [variantId], clustering, body: encodeBody(evidence), format: BODY_FORMAT },
      ]);
    },
    attempts: async (variantId) => {
      const rows = await store.slice(PUBLISH_EVIDENCE, [variantId], { limit: MAX_STEPS });
      return rows.flatMap((row) => decodeBody<Evidence>(row) ?? []);
    },
  };
}
