import { derivedId } from '#domain/derived-id.ts';
import type { KeyValue, Row } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';
import { allRows } from '../all-rows.ts';
import type { FailureReason } from '#domain/post/post.ts';
import type { Failure } from '#domain/variant/failure.ts';
import { BODY_FORMAT, decodeBody, encodeBody } from '../rows/body.ts';
import { removing, replacing, settledWrite } from '../rows/replace-row.ts';
import { PUBLISH_ARMS, PUBLISH_EVIDENCE } from '../declarations/tables.ts';
import { newestSteps } from './newest-steps.ts';

/** How an attempt ended. */
export type ArmVerdict =
  | { readonly kind: 'published'; readonly remoteId: string; readonly permalink: string | null }
  | { readonly kind: 'failed'; readonly reason: Exclude<FailureReason, 'unconfirmed'>; readonly detail: string }
  /** `isRestored`: the installation that this one is a copy of may have published it. */
  | { readonly kind: 'unconfirmed'; readonly detail: string; readonly isRestored?: true };

/**
 * How far the newest attempt at a Variant is. One conditional row for each Variant: `preparing` (repeatable; may hold a
 * handle, may wait) -> `armed` (the irreversible call may be on its way or done) -> `closed`. An armed row with
 * evidence of `published` counts as closed: success needs no third write. A failure does: only the worker whose row it
 * still is may report that nothing was published.
 */
export interface Arm {
  readonly attempt: number;
  readonly stage: 'preparing' | 'armed' | 'closed';
  /** What the Network calls the thing to publish; kept over attempts, because absence can be proven by it. */
  readonly handle: string | null;
  /** When it was last armed; 0 = never. */
  readonly armedAt: number;
  /** The token of the write that last armed it; the evidence of that send bears it. '' = never. */
  readonly armToken: string;
  /**
   * The sender must begin the call before this instant. Other workers do not ask the Network before the call's time-out
   * and the clocks' skew after it have passed.
   */
  readonly sendBefore: number;
  /** How long that call may take; absent: as long as the Network's longest. */
  readonly callTimeoutMs?: number;
  /** The process that armed it, where only one can at a time; absent: several can. */
  readonly process?: string;
  /** Nothing is done before this instant, at which a timer goes on. */
  readonly notBefore: number;
  /** How often the Network was asked to reconcile. */
  readonly asked: number;
  /** Since when it did not say what became of the call: for want of a token, or as it could not be read. */
  readonly outOfReachSince?: number;
  /** Passing refusals of this attempt so far, for backoff. */
  readonly failures: number;
  /** The access token was refreshed for this attempt already. */
  readonly refreshed: boolean;
  /**
   * A call of this attempt that is made once more may be live, and nothing proved yet that it is not: the attempt does
   * not end as failed. Left out: nothing that was sent may be live, unless the arm is armed.
   */
  readonly mayBeLive?: true;
  /**
   * An earlier attempt that may be live (several count as one, armed when the first was); `settled` once the Network
   * was asked about it. `restored`: by the installation that this one is a copy of, as of the restore at that instant.
   */
  readonly earlier: {
    readonly handle: string | null;
    readonly armedAt: number;
    readonly settled: boolean;
    readonly restored?: number;
  } | null;
  /** The instant of the restore for which it is settled that nothing else published this, or that nobody can tell. */
  readonly settledRestore?: number;
  /**
   * The attempt was given back to the Workspace while publishing was held, or after a Disconnect: nothing more is done
   * under its number. The next one goes on from here.
   */
  readonly givenBack?: boolean;
  /** Set when closed. */
  readonly verdict: ArmVerdict | null;
}

export interface ArmRow extends Arm {
  readonly version: number;
  readonly token: string;
}

export type EvidenceOutcome =
  'ready' | 'wait' | 'published' | 'accepted' | 'processing' | 'failed' | 'unknown' | 'absent' | 'unconfirmed';

/** What one step came to; written once, before anything is done about it. */
export interface Evidence {
  readonly attempt: number;
  readonly step: 'prepare' | 'publish' | 'reconcile' | 'verdict';
  /** Tells the row from those of other workers in the same millisecond. */
  readonly id: string;
  /** Of the arm under which the step was taken; '' before the first. */
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
  /** With `accepted`, where only that answer had the handle: the arm's row may not have it yet. */
  readonly handle?: string;
}

export interface Ledger {
  /** What is written and appended becomes durable in the order of the calls, and what fails fails all behind it. */
  readonly isInOrderWithLog: boolean;
  readArm(variantId: string): Promise<ArmRow | null>;
  /**
   * Replaces the row if it is still `over` (null: if there is none); null = it was moved since. A write of unknown end
   * is settled by a serial read, so the answer is a fact. Rejects with `PortError` when the store can not tell.
   */
  moveArm(variantId: string, over: ArmRow | null, next: Arm, token: string): Promise<ArmRow | null>;
  writeEvidence(variantId: string, evidence: Evidence): Promise<void>;
  /** In order of attempt and time. All of them: an upload that is begun again makes thousands, and the last decide. */
  attempts(variantId: string): Promise<readonly Evidence[]>;
  /** The last ones: all where there are no more than `count`. What is read does not grow with how many there are. */
  newestAttempts(variantId: string, count: number): Promise<readonly Evidence[]>;
}

/** The ledger has a first comment under an id of its own, beside the rows of its Variant. */
export function commentLedgerId(variantId: string): string {
  return derivedId(`${variantId}/first-comment`);
}

const STEPS_A_SLICE = 1_000;

/** `keptSeconds`: how long its rows are kept; left out: for good. */
export function createLedger(store: TableStore, keptSeconds?: number): Ledger {
  const kept = keptSeconds === undefined ? {} : { ttlSeconds: keptSeconds };
  return {
    isInOrderWithLog: store.atom === 'store_and_log',
    readArm: async (variantId) => {
      const row = await store.read(PUBLISH_ARMS, [variantId], []);
      const arm = row === null ? null : decodeBody<Arm>(row);
      return row === null || arm === null ? null : { ...arm, version: row.version, token: row.token };
    },
    moveArm: async (variantId, over, next, token) => {
      const write = replacing([variantId], [], { over: over?.version ?? null, value: next, token, ...kept });
      const isOurs = await settledWrite(store, PUBLISH_ARMS, write);
      return isOurs ? { ...next, version: write.next.version, token } : null;
    },
    writeEvidence: async (variantId, evidence) => {
      const clustering: readonly KeyValue[] = [evidence.attempt, evidence.startedAt, evidence.step, evidence.id];
      await store.insert(PUBLISH_EVIDENCE, [
        { partition: [variantId], clustering, body: encodeBody(evidence), format: BODY_FORMAT, ...kept },
      ]);
    },
    attempts: async (variantId) => stepsOf(await allRows(store, PUBLISH_EVIDENCE, [variantId], STEPS_A_SLICE)),
    newestAttempts: async (variantId, count) => {
      const newestAttempt = async (): Promise<number> => {
        const arm = await store.read(PUBLISH_ARMS, [variantId], []);
        return (arm === null ? null : decodeBody<Arm>(arm))?.attempt ?? 0;
      };
      return stepsOf(await newestSteps(store, variantId, { newestAttempt, count }));
    },
  };
}

/**
 * Forgets a Variant, or a comment, whose Post was removed. The arm last: as long as it is there, the evidence may be,
 * too. Rejects with `PortError`; repeating is harmless.
 */
export async function removeFromLedger(store: TableStore, ledgerId: string, token: string): Promise<void> {
  const row = await store.read(PUBLISH_ARMS, [ledgerId], []);
  // Never attempted, or removed before.
  if (row === null || row.body.length === 0) return;
  await store.dropPartition(PUBLISH_EVIDENCE, [ledgerId]);
  await store.compareAndSet(PUBLISH_ARMS, removing([ledgerId], [], { over: row.version, token }));
}

function stepsOf(rows: readonly Row[]): readonly Evidence[] {
  return rows.flatMap((row) => decodeBody<Evidence>(row) ?? []);
}
