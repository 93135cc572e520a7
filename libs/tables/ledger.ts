import type { KeyValue, TableStore } from '#ports/table-store.ts';
import { PortError } from '#ports/errors.ts';
import { BODY_FORMAT, decodeBody, encodeBody } from './body.ts';
import { PUBLISH_ARMS, PUBLISH_EVIDENCE } from './tables.ts';

/**
 * Where the newest attempt at a Variant stands. One conditional row a Variant:
 * `preparing` (repeatable; may hold a handle) -> `armed` (the irreversible call may be on its way or done) -> `closed`.
 * A new attempt may begin only over a closed one.
 */
export interface Arm {
  readonly attempt: number;
  readonly stage: 'preparing' | 'armed' | 'closed';
  /** What the Network calls the thing to publish; kept over attempts, because absence can be proven by it. */
  readonly handle: string | null;
  readonly armedAt: number;
  /** The sender must have begun to write before this instant; nobody reconciles before it plus the call's time-out and skew. */
  readonly sendBefore: number;
  /** How often the Network was asked what became of it. */
  readonly asked: number;
  /** Definite temporary failures of this attempt so far, for backoff. */
  readonly failures: number;
  /** An attempt whose outcome nobody could tell: the next one reconciles with its handle and time first. */
  readonly unconfirmed: boolean;
  readonly outcome: 'published' | 'failed' | 'unconfirmed' | null;
}

export interface ArmRow extends Arm {
  readonly version: number;
  readonly token: string;
}

export type EvidenceOutcome = 'ready' | 'wait' | 'published' | 'failed' | 'unknown' | 'absent' | 'closed';

/** What one step said; written once, before anything is done about it. */
export interface Evidence {
  readonly attempt: number;
  readonly step: 'prepare' | 'publish' | 'reconcile' | 'verdict';
  readonly worker: string;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly outcome: EvidenceOutcome;
  readonly detail: string;
  readonly remoteId: string | null;
  readonly permalink: string | null;
}

export interface Ledger {
  readArm(variantId: string): Promise<ArmRow | null>;
  /**
   * Replaces the row if it is still `over` (null: if there is none); false = somebody else moved it. An uncertain write is settled by a
   * serial read, so `true` is a fact. Rejects with `PortError` when even that can't be told.
   */
  moveArm(variantId: string, over: ArmRow | null, next: Arm, token: string): Promise<ArmRow | null>;
  writeEvidence(variantId: string, evidence: Evidence): Promise<void>;
  /** In order of attempt and time. */
  attempts(variantId: string): Promise<readonly Evidence[]>;
}

/** The most steps of one Variant that are read back: far above what any attempt makes. */
const MAX_STEPS = 2000;

export function createLedger(store: TableStore): Ledger {
  const readArm = async (variantId: string, serial = false): Promise<ArmRow | null> => {
    const row = await store.read(PUBLISH_ARMS, [variantId], [], { serial });
    const arm = row === null ? null : decodeBody<Arm>(row);
    return row === null || arm === null ? null : { ...arm, version: row.version, token: row.token };
  };
  return {
    readArm: (variantId) => readArm(variantId),
    moveArm: async (variantId, over, next, token) => {
      const version = (over?.version ?? 0) + 1;
      const moved: ArmRow = { ...next, version, token };
      try {
        const outcome = await store.compareAndSet(PUBLISH_ARMS, {
          partition: [variantId],
          clustering: [],
          expected: over?.version ?? null,
          next: { version, token, body: encodeBody(next), format: BODY_FORMAT },
        });
        return outcome.applied ? moved : null;
      } catch (error) {
        if (!(error instanceof PortError) || error.kind !== 'unknown') throw error;
        const now = await readArm(variantId, true);
        return now?.token === token ? moved : null;
      }
    },
    writeEvidence: async (variantId, evidence) => {
      const clustering: readonly KeyValue[] = [evidence.attempt, evidence.startedAt, evidence.step, evidence.worker];
      await store.insert(PUBLISH_EVIDENCE, [{ partition: [variantId], clustering, body: encodeBody(evidence), format: BODY_FORMAT }]);
    },
    attempts: async (variantId) => {
      const rows = await store.slice(PUBLISH_EVIDENCE, [variantId], { limit: MAX_STEPS });
      return rows.flatMap((row) => decodeBody<Evidence>(row) ?? []);
    },
  };
}
