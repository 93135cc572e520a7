import { createBoundedMap } from '#concurrency/bounded-map.ts';
import { isUnavailable } from '#concurrency/retry.ts';
import { transition, type Transitions } from '#concurrency/transition.ts';
import { MAX_APART_MS } from '#domain/workspace/clock-skew.ts';
import { isRequested } from '#domain/workspace/commands.ts';
import type { TurnStep } from '#domain/workspace/turn-step.ts';
import type { CommandAnswer, Result } from '#domain/workspace/results.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import type { Decide } from '#domain/workspace/decision.ts';
import type { Rules } from '#domain/workspace/rules.ts';
import type { LoadsOf } from '#domain/workspace/loads.ts';
import { PortError } from '#ports/errors.ts';
import type { Cancel } from '#ports/clock.ts';
import type { WorldPorts } from '#ports/ports.ts';
import type { ConditionalWrite } from '#ports/table-store.ts';
import { NO_TRACER, type Tracer } from '#ports/tracer.ts';
import { DURABLE, type Standing } from '#consumer/consumer-options.ts';
import { BUCKET_BYTES } from '#tables/buckets.ts';
import type { WrittenFormat } from '#tables/release.ts';
import { attachEventBodies, voidEventBodies } from '#outbox/event-bodies.ts';
import { HeadEncoder } from '#tables/rows/head-encoder.ts';
import { isEmptyOutbox } from '#tables/rows/pending-effects.ts';
import { WORKSPACES } from '#tables/declarations/tables.ts';
import {
  HEAD,
  NOTHING_PENDING,
  readHead,
  readHeadVersion,
  readWrittenResult,
  type Head,
  type HeadBody,
} from '#tables/repositories/workspaces.ts';
import type { Brake } from '#tables/repositories/publishing-brake.ts';
import { appendMessages, relayPending } from '#outbox/relay.ts';
import type { TimeSlices } from '#concurrency/time-slice.ts';
import type { TimerOptions } from '#outbox/timers.ts';
import { ownStepsOf } from './own-steps.ts';
import type { KnownPeriod } from './place-rows.ts';
import type { PostCache } from './post-cache.ts';
import type { Load, RecentDigests } from './recent-digests.ts';
import { stepsOf } from './steps.ts';
import { decideTurn } from './turn.ts';
import type { DecidedTurn } from './decided-turn.ts';
import { limitAfterRefusal, limitAfterTurn, NO_LIMIT, type TurnLimit } from './turn-limit.ts';
import { reportTurn } from './turn-report.ts';
import { traceTurn } from './turn-span.ts';
import { DECISION_HOLDS_MS, effectsOfTurn } from './turn-effects.ts';
import { deadLetterStep } from './dead-letter-step.ts';

export interface ActorOptions extends TimerOptions, Pick<WorldPorts, 'store' | 'ids' | 'reporter'> {
  readonly tracer?: Tracer;
  readonly decide: Decide;
  readonly loadsOf: LoadsOf;
  readonly rules: Rules;
  readonly brake: Pick<Brake, 'known'>;
  readonly writtenFormat: Pick<WrittenFormat, 'now'>;
  /** Told of every state that is read or committed. */
  readonly noteState: (state: WorkspaceState) => void;
  readonly posts: PostCache;
  readonly digests: RecentDigests;
  /** How much a bucket of a period holds; left out: `BUCKET_BYTES`. */
  readonly bucketBytes?: number;
  /** Shared by all actors of the process. */
  readonly slices: TimeSlices;
  /** Hints an answer to the process that waits at `replyTo`; the hint may be lost. */
  readonly answer: (replyTo: string, answer: CommandAnswer) => void;
}

/** A command lives 60 s in the log; twice that covers clocks that differ by `MAX_APART_MS`. */
const REMEMBER_MS = 120_000;
/** Days, weeks and months of which an owner keeps the buckets in memory; those of others it reads again. */
const MAX_PERIODS = 200;
/** After this the head of a Workspace without further commands is written once more, with an empty outbox. */
const CLEAR_OUTBOX_MS = 1_000;
/**
 * Longer than the time slices of requests: embedded, a turn that yields to the event loop misses the transaction in
 * which its commands are written, and costs an fsync of its own.
 */
const DECIDING_MS = 10;
/** When a sweep made no step for so long, its step is sent again: the log may have lost it. */
const REMIND_MS = 60_000;

interface LoadedHead {
  /** null: there is no such Workspace. */
  readonly head: Head | null;
  /** When the read had ended, epoch ms. */
  readonly at: number;
  /** This load and the turns committed since: what was cached under another one may be out of date. */
  readonly load: Load;
  /** The actor's count of `forget` at this load: a head that was loaded before a `forget` is not kept. */
  readonly forgotten: number;
}

/** What a compare-and-set writes: the head's body, and the rows that go with it. */
interface HeadWrite extends HeadBody {
  readonly format: number;
  readonly bytes: Uint8Array;
  readonly rows: DecidedTurn['rows'];
  readonly implied?: ConditionalWrite['implied'];
  readonly appends?: ConditionalWrite['appends'];
}

/** Commands that wait for their turn, as steps. */
interface WaitingSteps {
  readonly steps: readonly TurnStep[];
  readonly limit: TurnLimit;
}

type Mode = 'idle' | 'loading' | 'deciding' | 'committing' | 'relaying';

const TRANSITIONS: Transitions<Mode> = {
  idle: ['loading'],
  loading: ['idle', 'deciding', 'committing'],
  deciding: ['idle', 'committing'],
  committing: ['idle', 'relaying'],
  relaying: ['idle'],
};

/**
 * One Workspace in this process. Another process may take itself for its owner too: nothing here is true before the
 * compare-and-set of the head, whose version is the fencing token.
 *
 * Commands may come before they are durable (`Standing`). They are decided and committed at once: where log and store
 * are one, the head can not become durable without them, and one fsync serves both. What a turn owes goes out after its
 * commit in any case; an answer without a commit waits for its command.
 *
 * What is known: nothing (unloaded), or the head as this process last read or wrote it (loaded). A compare-and-set that
 * another owner won, or whose end is unknown, unloads; so does `forget`, at any time, even during a turn.
 *
 * Work is done one piece at a time, each through these modes:
 * - idle: no work.
 * - loading: unless a head is at hand whose outbox is relayed, the head is read serially and its outbox relayed, for
 *   its owner may have ended before it did so.
 * - deciding: the rules run over the commands that wait; nothing is written. Back to idle when there is nothing to
 *   commit, when another owner replaced the head meanwhile, or when the decision took too long to be written.
 * - committing: the compare-and-set. Entered only with the outbox relayed, as the new head replaces it. Back to idle
 *   when the store refuses the turn for good (then it is decided again with less in it), or another owner was first.
 * - relaying: the turn is true; its rows, answers and messages go out. Should that fail, the head is read and relayed
 *   again by the next piece of work.
 *
 * Work that fails goes from any mode to idle.
 */
export class WorkspaceActor {
  readonly #id: string;
  readonly #options: ActorOptions;
  readonly #heads = new HeadEncoder();
  #mode: Mode = 'idle';
  #loaded: LoadedHead | null = null;
  /** False from a compare-and-set until the outbox of the head that it wrote is carried out. */
  #isRelayed = true;
  #forgotten = 0;
  readonly #remembered = new Map<string, { readonly result: Result; readonly until: number }>();
  /** Of this load, as the cached Posts. */
  readonly #periods = createBoundedMap<string, KnownPeriod>(MAX_PERIODS);
  /** The end of the last piece of work. */
  #tail: Promise<unknown> = Promise.resolve();
  #cancelClearing = (): void => {};
  /** Set while a sweep goes on, which it does by commands of the Workspace to itself. */
  #cancelReminder: Cancel | null = null;

  constructor(id: string, options: ActorOptions) {
    this.#id = id;
    this.#options = options;
  }

  /**
   * Carries out commands in order. Rejects with `PortError` when the store or the log is away, or the commands are not
   * ours any more: if they are, call again with the same.
   */
  handle(commands: readonly TurnStep[], standing: Standing = DURABLE): Promise<void> {
    return this.#exclusively(async () => {
      let waiting: WaitingSteps = { steps: commands.flatMap(stepsOf), limit: NO_LIMIT };
      while (waiting.steps.length > 0) waiting = await this.#turn(waiting, standing);
    });
  }

  /** Forgets everything, for when another process may own the Workspace now. */
  forget(): void {
    this.#forgotten += 1;
    this.#cancelClearing();
    this.#cancelReminder?.();
    this.#cancelReminder = null;
    this.#loaded = null;
    this.#remembered.clear();
    this.#periods.clear();
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(work).finally(() => {
      this.#mode = 'idle';
    });
    this.#tail = result.catch(() => {});
    return result;
  }

  #enter(mode: Mode): void {
    if (mode === 'committing' && !this.#isRelayed)
      throw new Error(`the actor of workspace ${this.#id} would replace a head whose outbox is not relayed`);
    this.#mode = transition(`the actor of workspace ${this.#id}`, TRANSITIONS, this.#mode, mode);
  }

  /** One turn over the steps that wait; returns what waits after it. */
  async #turn({ steps, limit }: WaitingSteps, standing: Standing): Promise<WaitingSteps> {
    const { store, clock, reporter, tracer = NO_TRACER } = this.#options;
    const begun = clock.monotonic();
    const startedAt = tracer.now();
    const known = this.#loaded;
    const loaded = await this.#load();
    const fresh = await this.#answerKnown(steps, loaded, standing);
    const again = (nextLimit = limit): WaitingSteps => {
      this.#enter('idle');
      return { steps: fresh ?? steps, limit: nextLimit };
    };
    if (fresh === null || fresh.length === 0) return again();
    this.#enter('deciding');
    const decidedAt = clock.now();
    const turn = await this.#decide(fresh, loaded, decidedAt, limit);
    const isStale = store.atom !== 'partition' && clock.now() > decidedAt + DECISION_HOLDS_MS;
    if (turn === null || isStale) return again();
    const mayBeOld = !turn.isChanged && loaded === known;
    const unwritten = mayBeOld && (await this.#isOvertaken(loaded)) ? 'overtaken' : 'unchanged';
    const outcome = turn.isChanged ? await this.#commit(turn, loaded, standing) : unwritten;
    const nextLimit =
      outcome instanceof PortError ? limitAfterRefusal(outcome, turn.handled, limit) : limitAfterTurn(turn, limit);
    if (outcome === 'overtaken' || outcome instanceof PortError) return again(nextLimit);
    if (outcome === 'unchanged') {
      await standing.durable();
      this.#answerAll(turn.answers);
    } else {
      const before = loaded.head?.state ?? null;
      const durationMs = clock.monotonic() - begun;
      reportTurn(reporter, { workspaceId: this.#id, steps: fresh, turn, before, decidedAt, durationMs });
      if (tracer.isOn) traceTurn(tracer, { workspaceId: this.#id, steps: fresh, turn, startedAt });
    }
    if (turn.oversize !== null) await deadLetterStep(this.#options, this.#id, turn.oversize);
    this.#enter('idle');
    return { steps: turn.remaining, limit: nextLimit };
  }

  /**
   * Null: another owner replaced the head meanwhile. The rows that were read may be the new owner's already, so an
   * error of the rules, which saw a mixture of both, says nothing of the Workspace: it must not park the key.
   */
  async #decide(
    steps: readonly TurnStep[],
    loaded: LoadedHead,
    now: number,
    limit: TurnLimit,
  ): Promise<DecidedTurn | null> {
    const { head, load } = loaded;
    try {
      return await decideTurn({
        ...this.#options,
        workspaceId: this.#id,
        state: head?.state ?? null,
        heads: this.#heads,
        version: (head?.version ?? 0) + 1,
        load,
        digestsSince: this.#options.clock.monotonic() - this.#options.rules.duplicateWindowMs - REMEMBER_MS,
        steps,
        periods: this.#periods,
        bucketBytes: this.#options.bucketBytes ?? BUCKET_BYTES,
        now,
        format: this.#options.writtenFormat.now(),
        atom: this.#options.store.atom,
        limit,
        yieldToOthers: this.#options.slices.begin(this.#id, DECIDING_MS),
      });
    } catch (error) {
      if (isUnavailable(error)) throw error;
      if (!(await this.#isOvertaken(loaded))) throw error;
      return null;
    }
  }

  /**
   * A turn that changes nothing is not written, so no compare-and-set shows whether another owner replaced the head
   * since it was read: a report that the new head waits for would count as one that nobody waits for.
   */
  async #isOvertaken({ head }: LoadedHead): Promise<boolean> {
    if ((await readHeadVersion(this.#options.store, this.#id)) === (head?.version ?? 0)) return false;
    this.#overtaken(head);
    return true;
  }

  #overtaken(head: Head | null): void {
    this.#options.reporter.report('turn-lost', { workspaceId: this.#id, version: head?.version ?? 0 });
    this.forget();
  }

  /**
   * Answers commands that were carried out before, and returns the others. A result that was read may be of a turn of
   * another owner, later than the head that was loaded: the rows of that turn may not be written yet, so the head is
   * loaded anew, which writes them, before anybody is answered (null).
   */
  async #answerKnown(
    steps: readonly TurnStep[],
    loaded: LoadedHead,
    standing: Standing,
  ): Promise<readonly TurnStep[] | null> {
    const known = await Promise.all(steps.map((step) => this.#knownResult(step, loaded)));
    if (known.every((result) => result === null)) return steps;
    const isRead = (step: TurnStep): boolean => isRequested(step) && !this.#remembered.has(step.requestId);
    const wasRead = steps.some((step, index) => known[index] !== null && isRead(step));
    if (wasRead && (await this.#isOvertaken(loaded))) return null;
    await standing.durable();
    return steps.filter((step, index) => {
      const result = known[index];
      if (result == null) return true;
      if (isRequested(step)) this.#options.answer(step.replyTo, { requestId: step.requestId, result });
      return false;
    });
  }

  async #knownResult(command: TurnStep, loaded: LoadedHead): Promise<Result | null> {
    if (!isRequested(command)) return null;
    const remembered = this.#remembered.get(command.requestId);
    if (remembered !== undefined) return remembered.result;
    // A command issued after the load was not carried out by an owner before us, unless the clock of its issuer is
    // ahead of ours. After `notAfter` the result may have been forgotten here, so the row is read.
    const isNew = command.issuedAt > loaded.at + MAX_APART_MS && loaded.forgotten === this.#forgotten;
    if (isNew && this.#options.clock.now() <= command.notAfter) return null;
    return readWrittenResult(this.#options.store, this.#id, command.requestId);
  }

  /**
   * Not if everything was forgotten since it was loaded, as when the partition went to another owner during a turn: the
   * results of the turns since are forgotten too, and a repeat of one of their commands would look new.
   */
  #keep(loaded: LoadedHead): void {
    this.#loaded = loaded.forgotten === this.#forgotten ? loaded : null;
  }

  async #load(): Promise<LoadedHead> {
    this.#enter('loading');
    // The absence of a Workspace is not cached: a refusal that rests on it is answered without a compare-and-set, so
    // nothing would show that it is out of date.
    if (this.#loaded !== null && this.#loaded.head !== null && this.#isRelayed) return this.#loaded;
    const { store, clock } = this.#options;
    const head = await readHead(store, this.#id, { serial: true });
    // After the read: one that was slow, or that a pause held up, finds commands that were issued since it was called.
    const at = clock.now();
    if (head !== null && head.pending !== null)
      await relayPending(this.#options, await attachEventBodies(store, this.#id, head.pending), head.version);
    this.#isRelayed = true;
    if (head !== null) await appendMessages(this.#options, ownStepsOf(head.state, at));
    // A Workspace that there was not has made no Post yet.
    const load = { digestsFrom: head === null ? Number.NEGATIVE_INFINITY : clock.monotonic() };
    const loaded: LoadedHead = { head, at, load, forgotten: this.#forgotten };
    this.#loaded = loaded;
    this.#periods.clear();
    if (head !== null) {
      this.#options.noteState(head.state);
      this.#remindOf(head.state);
    }
    if (head !== null && head.pending !== null) this.#clearSoon();
    return loaded;
  }

  /** The step that a sweep waits for is sent again, unless the sweep has gone on by then. */
  #remindOf(state: WorkspaceState): void {
    if (state.sweeps.length === 0 || this.#cancelReminder !== null) return;
    const { clock, reporter } = this.#options;
    this.#cancelReminder = clock.after(REMIND_MS, () => {
      this.#cancelReminder = null;
      const now = this.#loaded?.head?.state;
      if (now === undefined) return;
      const isStill = now.sweeps.some((sweep) => state.sweeps.includes(sweep));
      const sent = isStill ? appendMessages(this.#options, ownStepsOf(now, clock.now())) : Promise.resolve();
      sent.catch((error) => reporter.failure('sweep-reminder-failed', error, { workspaceId: this.#id }));
      this.#remindOf(now);
    });
  }

  /** `overtaken`, or an error with which the store refused the turn for good: nothing of the turn happened. */
  async #commit(
    turn: DecidedTurn,
    loaded: LoadedHead,
    standing: Standing,
  ): Promise<'committed' | 'overtaken' | PortError> {
    if (turn.state === null) throw new Error('a turn of a workspace that does not exist has nothing to commit');
    this.#enter('committing');
    const { pending, encodedRows: rows } = turn;
    const effects = effectsOfTurn(this.#options, { pending, rows, version: (loaded.head?.version ?? 0) + 1 });
    const { implied, appends } = effects;
    const write = {
      format: turn.pending.format,
      state: turn.state,
      pending: isEmptyOutbox(turn.outbox) ? null : turn.outbox,
      bytes: turn.head,
      rows: turn.rows,
      ...(implied !== undefined && { implied }),
      ...(appends !== undefined && { appends }),
    };
    // In the step in which the write begins: commands that the log has taken back by then count as never sent.
    if (!standing.isOurs()) throw new PortError('unavailable', 'the commands of the turn are not ours any more');
    const head = await this.#compareAndSet(write, loaded.head).catch(refusal);
    if (head instanceof PortError) return head;
    if (head === null) {
      this.#overtaken(loaded.head);
      return 'overtaken';
    }
    this.#enter('relaying');
    this.#isRelayed = false;
    this.#keep({ ...loaded, head });
    this.#remember(turn);
    // Rows before answers and messages: who gets one of those reads the rows.
    await effects.write();
    this.#answerAll(turn.answers);
    await effects.send();
    this.#isRelayed = true;
    // After the rows of the turn: what is told of the state reads them, to release what a hold kept back.
    this.#options.noteState(turn.state);
    this.#remindOf(turn.state);
    if (head.pending !== null) this.#clearSoon();
    return 'committed';
  }

  /** The new head; null when another owner wrote first. Rejects with `PortError` when nothing was written. */
  async #compareAndSet(
    { format, state, pending, bytes, rows, implied, appends = [] }: HeadWrite,
    over: Head | null,
  ): Promise<Head | null> {
    const { store, ids } = this.#options;
    const token = ids.token();
    const version = (over?.version ?? 0) + 1;
    const head: Head = { state, pending, version, token };
    try {
      const outcome = await store.compareAndSet(WORKSPACES, {
        partition: [this.#id],
        clustering: HEAD,
        expected: over?.version ?? null,
        next: { version, token, body: bytes, format },
        rows: [...rows, ...voidEventBodies(over?.pending ?? null)].map((row) => ({ partition: [this.#id], ...row })),
        ...(implied !== undefined && { implied }),
        ...(appends.length > 0 && { appends }),
      });
      return outcome.applied ? head : null;
    } catch (error) {
      if (!(error instanceof PortError) || error.kind !== 'unknown') throw error;
      this.#loaded = null;
      const current = await readHead(store, this.#id, { serial: true });
      if (current?.token === over?.token)
        throw new PortError('unavailable', `the turn over version ${version - 1} was not taken`, { cause: error });
      return current?.token === token ? current : null;
    }
  }

  #remember(turn: DecidedTurn): void {
    turn.view.remember(turn.changedPostIds, this.#options.clock.monotonic());
    for (const [name, period] of turn.periods) this.#periods.set(name, period);
    const now = this.#options.clock.now();
    for (const { answer } of turn.answers)
      this.#remembered.set(answer.requestId, { result: answer.result, until: now + REMEMBER_MS });
    for (const [requestId, { until }] of this.#remembered) {
      if (until > now) break;
      this.#remembered.delete(requestId);
    }
  }

  #answerAll(answers: DecidedTurn['answers']): void {
    for (const { replyTo, answer } of answers) this.#options.answer(replyTo, answer);
  }

  /**
   * Empties the outbox of a head that no turn replaces soon after it was relayed: until then readers do not rely on the
   * turn's results.
   */
  #clearSoon(): void {
    this.#cancelClearing();
    this.#cancelClearing = this.#options.clock.after(CLEAR_OUTBOX_MS, () => {
      this.#exclusively(() => this.#clear()).catch((error) => {
        this.#options.reporter.failure('outbox-clear-failed', error, { workspaceId: this.#id });
        this.#clearSoon();
      });
    });
  }

  async #clear(): Promise<void> {
    const loaded = await this.#load();
    if (loaded.head === null || loaded.head.pending === null) return;
    this.#enter('committing');
    const { state } = loaded.head;
    const { format } = loaded.head.pending;
    const write = { format, state, pending: null, bytes: this.#heads.encodeHead(state, NOTHING_PENDING), rows: [] };
    const head = await this.#compareAndSet(write, loaded.head);
    if (head === null) this.forget();
    else this.#keep({ ...loaded, head });
  }
}

/** A definite refusal as a value; what the store could not do, or may have done, stays an error. */
function refusal(error: unknown): PortError {
  if (error instanceof PortError && error.kind === 'refused') return error;
  throw error;
}
