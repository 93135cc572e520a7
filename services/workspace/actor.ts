import type { Command } from '#domain/workspace/commands.ts';
import { isRequested } from '#domain/workspace/commands.ts';
import type { CommandAnswer, Result } from '#domain/workspace/results.ts';
import type { Decide } from '#domain/workspace/decision.ts';
import type { Rules } from '#domain/workspace/rules.ts';
import type { LoadsOf } from '#domain/workspace/loads.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Ids } from '#ports/ids.ts';
import type { Reporter } from '#ports/reporter.ts';
import type { ConditionalWrite, TableStore } from '#ports/table-store.ts';
import { writeDeadLetter } from '#consumer/dead-letters.ts';
import { BODY_FORMAT } from '#tables/rows/body.ts';
import { attachEventBodies, voidEventBodies } from '#outbox/event-bodies.ts';
import { owesNothing } from '#tables/rows/pending-effects.ts';
import { WORKSPACES } from '#tables/declarations/tables.ts';
import { shardOf, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import {
  encodeHead,
  HEAD,
  NOTHING_PENDING,
  readHead,
  readWrittenResult,
  type Head,
  type HeadBody,
} from '#tables/repositories/workspaces.ts';
import { relayPending, sendMessages, writeRows } from '#outbox/relay.ts';
import type { TimeSlices } from '#concurrency/time-slice.ts';
import type { TimerOptions } from '#outbox/timers.ts';
import type { PostCache } from './post-cache.ts';
import { stepsOf } from './steps.ts';
import { decideTurn } from './turn.ts';
import type { DecidedTurn, TurnLimit } from './decided-turn.ts';
import { DECISION_HOLDS_MS, atomicTurn } from './atomic-turn.ts';

export interface ActorOptions extends TimerOptions {
  readonly store: TableStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reporter: Reporter;
  readonly decide: Decide;
  readonly needsOf: LoadsOf;
  readonly rules: Rules;
  readonly posts: PostCache;
  /** Shared by all actors of the process. */
  readonly slices: TimeSlices;
  /** Hints answers to whoever waits at `replyTo`; may lose them. */
  readonly answer: (replyTo: string, answer: CommandAnswer) => void;
}

/** A command lives 60 s in the log; twice that covers clocks that differ. */
const REMEMBER_MS = 120_000;
/** How far clocks of processes may differ. */
const CLOCK_SKEW_MS = 5_000;
const CLEAR_PENDING_MS = 1_000;
/** A dead letter names the record it copies; this one is a step of one. */
const NO_OFFSET = -1;

interface Loaded {
  readonly head: Head | null;
  readonly at: number;
  /** Of this load and the turns we made since: what was cached under another mark may be stale. */
  readonly mark: object;
}

/** What a compare-and-set writes: the head's body, and what goes with it in its atom. */
interface HeadWrite extends HeadBody {
  readonly bytes: Uint8Array;
  readonly rows: DecidedTurn['rows'];
  readonly implied?: ConditionalWrite['implied'];
}

const NO_LIMIT: TurnLimit = { steps: Infinity, refused: null };

/**
 * One Workspace in this process. Another process may believe it owns it too: nothing here is true before the
 * compare-and-set.
 *
 * unloaded -> (load: read the head, carry out what its last turn still owes) -> loaded -> a turn: decide,
 * compare-and-set, rows, answers, messages -> loaded. A lost compare-and-set, or one whose end can't be told, ->
 * unloaded. `settled`: everything the head's turn owes is done; only then may the next turn replace what the head says
 * is pending.
 */
export class WorkspaceActor {
  readonly #id: string;
  readonly #parts: ActorOptions;
  #loaded: Loaded | null = null;
  #settled = true;
  readonly #remembered = new Map<string, { readonly result: Result; readonly until: number }>();
  #knownDays = new Set<string>();
  /** Work on the head happens one piece at a time: turns, and the clearing of what was pending. */
  #tail: Promise<unknown> = Promise.resolve();
  #cancelClearing = (): void => {};

  constructor(id: string, parts: ActorOptions) {
    this.#id = id;
    this.#parts = parts;
  }

  /**
   * Carries out commands in order. Rejects with `PortError` when the store or the log is away: then call again with the
   * same.
   */
  handle(commands: readonly Command[]): Promise<void> {
    return this.#exclusively(() => this.#handle(commands));
  }

  /** Forgets everything, as when somebody else may own it now. */
  forget(): void {
    this.#cancelClearing();
    this.#loaded = null;
    this.#remembered.clear();
    this.#knownDays = new Set();
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(work);
    this.#tail = result.catch(() => {});
    return result;
  }

  async #handle(commands: readonly Command[]): Promise<void> {
    let steps: readonly Command[] = commands.flatMap(stepsOf);
    let limit = NO_LIMIT;
    while (steps.length > 0) {
      const loaded = await this.#load();
      const fresh = await this.#answerKnown(steps, loaded);
      if (fresh.length === 0) return;
      // It was carried out, so the Workspace came to be since we looked.
      if (loaded.head === null && fresh.length < steps.length) {
        steps = fresh;
        continue;
      }
      const decidedAt = this.#parts.clock.now();
      const turn = await this.#decide(fresh, loaded, decidedAt, limit);
      const stale = this.#parts.store.atom === 'store' && this.#parts.clock.now() > decidedAt + DECISION_HOLDS_MS;
      if (turn === null || stale) {
        steps = fresh;
        continue;
      }
      const outcome = turn.changed ? await this.#commit(turn, loaded) : 'unneeded';
      limit =
        outcome instanceof PortError
          ? limitAfter(outcome, turn, limit)
          : { steps: turn.cut ? 2 * turn.handled : Infinity, refused: null };
      if (outcome === 'lost' || outcome instanceof PortError) {
        steps = fresh;
        continue;
      }
      if (outcome === 'unneeded') this.#answerAll(turn.answers);
      if (turn.unfit !== null) await this.#bury(turn.unfit);
      steps = turn.rest;
    }
  }

  /**
   * The Workspace goes on without what can't be carried out; operators find it among the dead letters, and it is in the
   * log again if they redrive it.
   */
  async #bury({ step, why }: NonNullable<DecidedTurn['unfit']>): Promise<void> {
    const value = this.#parts.codec.encode(step);
    const record = {
      topic: WORKSPACE_COMMANDS.name,
      partition: shardOf(this.#id),
      offset: NO_OFFSET,
      key: this.#id,
      value,
    };
    await writeDeadLetter(this.#parts, record, `${step.type} can't be carried out: ${why}`);
  }

  /**
   * Null: somebody else has replaced the head meanwhile. The rows we read may be theirs already, and what the rules
   * make of a mixture of both, be it a broken assertion, says nothing of the Workspace: believed, it would park the key
   * under its rightful owner.
   */
  async #decide(
    steps: readonly Command[],
    { head, mark }: Loaded,
    now: number,
    limit: TurnLimit,
  ): Promise<DecidedTurn | null> {
    const { store } = this.#parts;
    const whole = store.atom === 'store';
    try {
      const between = this.#parts.slices.begin();
      return await decideTurn({
        ...this.#parts,
        workspaceId: this.#id,
        state: head?.state ?? null,
        mark,
        steps,
        knownDays: this.#knownDays,
        now,
        whole,
        limit,
        between,
      });
    } catch (error) {
      if (error instanceof PortError && error.kind !== 'refused') throw error;
      const now = await readHead(store, this.#id, { serial: true });
      if ((now?.version ?? 0) === (head?.version ?? 0)) throw error;
      this.#lose(head);
      return null;
    }
  }

  #lose(head: Head | null): void {
    this.#parts.reporter.report('turn-lost', { workspaceId: this.#id, version: head?.version ?? 0 });
    this.forget();
  }

  /** Answers commands that were carried out before; the others are left. */
  async #answerKnown(steps: readonly Command[], loaded: Loaded): Promise<readonly Command[]> {
    const known = await Promise.all(steps.map((step) => this.#knownResult(step, loaded)));
    return steps.filter((step, index) => {
      const result = known[index];
      if (result == null) return true;
      if (isRequested(step)) this.#parts.answer(step.replyTo, { requestId: step.requestId, result });
      return false;
    });
  }

  async #knownResult(command: Command, loaded: Loaded): Promise<Result | null> {
    if (!isRequested(command)) return null;
    const remembered = this.#remembered.get(command.requestId);
    if (remembered !== undefined) return remembered.result;
    // What was asked after we loaded can't have been carried out by an owner before us, but its clock may be behind
    // ours. Of one that comes too late to be carried out, we may have forgotten that it was.
    if (command.issuedAt > loaded.at + CLOCK_SKEW_MS && this.#parts.clock.now() <= command.notAfter) return null;
    return readWrittenResult(this.#parts.store, this.#id, command.requestId);
  }

  async #load(): Promise<Loaded> {
    // That there is no Workspace is not kept: answers that rest on it pass no compare-and-set.
    if (this.#loaded !== null && this.#loaded.head !== null && this.#settled) return this.#loaded;
    const at = this.#parts.clock.now();
    const head = await readHead(this.#parts.store, this.#id, { serial: true });
    if (head !== null && head.pending !== null)
      await relayPending(this.#parts, await attachEventBodies(this.#parts.store, this.#id, head.pending), head.version);
    this.#settled = true;
    this.#loaded = { head, at, mark: {} };
    if (head !== null && head.pending !== null) this.#clearSoon();
    return this.#loaded;
  }

  /**
   * `lost`: somebody else changed the Workspace first; an error: the store refused the turn for good. Either way
   * nothing of it happened.
   */
  async #commit(turn: DecidedTurn, loaded: Loaded): Promise<'committed' | 'lost' | PortError> {
    if (turn.state === null) throw new Error('a turn of a workspace that does not exist has nothing to commit');
    const { store } = this.#parts;
    const whole =
      store.atom === 'store'
        ? atomicTurn(this.#parts, turn.pending, turn.encodedRows, (loaded.head?.version ?? 0) + 1)
        : null;
    const pending = owesNothing(turn.owed) ? null : turn.owed;
    const write = {
      state: turn.state,
      pending,
      bytes: turn.head,
      rows: turn.rows,
      ...(whole !== null && { implied: whole.implied }),
    };
    const head = await this.#compareAndSet(write, loaded.head).catch(refusal);
    if (head instanceof PortError) return head;
    if (head === null) {
      this.#lose(loaded.head);
      return 'lost';
    }
    this.#settled = false;
    this.#loaded = { ...loaded, head };
    this.#remember(turn);
    if (whole === null) await writeRows(store, turn.encodedRows, head.version);
    for (const key of turn.days) this.#knownDays.add(key);
    this.#answerAll(turn.answers);
    await (whole === null ? sendMessages(this.#parts, turn.pending) : whole.send());
    this.#settled = true;
    this.#parts.reporter.report('turn-committed', {
      workspaceId: this.#id,
      commands: turn.handled,
      rows: turn.pending.rows.length,
      messages: turn.pending.messages.length,
    });
    if (head.pending !== null) this.#clearSoon();
    return 'committed';
  }

  /**
   * The new head; null when it was not ours to write: somebody else wrote first. Rejects with `PortError` when nothing
   * was written.
   */
  async #compareAndSet({ state, pending, bytes, rows, implied }: HeadWrite, over: Head | null): Promise<Head | null> {
    const token = this.#parts.ids.token();
    const version = (over?.version ?? 0) + 1;
    const head: Head = { state, pending, version, token };
    try {
      const outcome = await this.#parts.store.compareAndSet(WORKSPACES, {
        partition: [this.#id],
        clustering: HEAD,
        expected: over?.version ?? null,
        next: { version, token, body: bytes, format: BODY_FORMAT },
        rows: [...rows, ...voidEventBodies(over?.pending ?? null)].map((row) => ({ partition: [this.#id], ...row })),
        ...(implied !== undefined && { implied }),
      });
      return outcome.applied ? head : null;
    } catch (error) {
      if (!(error instanceof PortError) || error.kind !== 'unknown') throw error;
      this.#loaded = null;
      const now = await readHead(this.#parts.store, this.#id, { serial: true });
      if (now?.token === over?.token)
        throw new PortError('unavailable', `the turn over version ${version - 1} was not taken`, { cause: error });
      return now?.token === token ? now : null;
    }
  }

  #remember(turn: DecidedTurn): void {
    turn.view.remember(turn.touched);
    const now = this.#parts.clock.now();
    for (const { answer } of turn.answers)
      this.#remembered.set(answer.requestId, { result: answer.result, until: now + REMEMBER_MS });
    for (const [requestId, { until }] of this.#remembered) {
      if (until > now) break;
      this.#remembered.delete(requestId);
    }
  }

  #answerAll(answers: DecidedTurn['answers']): void {
    for (const { replyTo, answer } of answers) this.#parts.answer(replyTo, answer);
  }

  /**
   * A lone turn's pending effects are taken out of the head soon after they are done, so that its result row counts.
   */
  #clearSoon(): void {
    this.#cancelClearing();
    this.#cancelClearing = this.#parts.clock.after(CLEAR_PENDING_MS, () => {
      this.#exclusively(() => this.#clear()).catch((error) => {
        this.#parts.reporter.failure('clearing-failed', error, { workspaceId: this.#id });
        this.#clearSoon();
      });
    });
  }

  async #clear(): Promise<void> {
    const loaded = await this.#load();
    if (loaded.head === null || loaded.head.pending === null) return;
    const { state } = loaded.head;
    const head = await this.#compareAndSet(
      { state, pending: null, bytes: encodeHead(state, NOTHING_PENDING), rows: [] },
      loaded.head,
    );
    if (head === null) this.forget();
    else this.#loaded = { ...loaded, head };
  }
}

/** A definite refusal as a value; what the store could not do, or may have done, stays an error. */
function refusal(error: unknown): PortError {
  if (error instanceof PortError && error.kind === 'refused') return error;
  throw error;
}

/**
 * After a refusal: with fewer steps, then without the one that is refused alone. When not even that is taken, nothing
 * more can be done.
 */
function limitAfter(error: PortError, turn: DecidedTurn, before: TurnLimit): TurnLimit {
  if (before.refused !== null) throw error;
  return turn.handled > 1
    ? { steps: Math.ceil(turn.handled / 2), refused: null }
    : { steps: 1, refused: error.message };
}
