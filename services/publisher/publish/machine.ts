import type { ArmedCall, ReconcileAnswer } from '#networks/contract/adapter.ts';
import { withMissingFile } from '#networks/contract/read-bytes.ts';
import type { TokensAnswer } from '#connections/connections.ts';
import { PortError } from '#ports/errors.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { Arm, ArmVerdict } from '#tables/repositories/ledger.ts';
import { armedWith, isFirstRun, ownArm, OwnArms } from './arms.ts';
import type { AnsweredStep, Attempt, AttemptJob, Finding, Step } from './attempt.ts';
import { evidenceOf, UnwrittenEvidence } from './evidence.ts';
import type { CallKind, CallMoment, ContentReading, PublishMachineOptions } from './machine-options.ts';
import { nextHeldLook } from './next-held-look.ts';
import { nextStep } from './next-step.ts';
import type { Obstacle } from './throttle.ts';
import { heldMs, isHeld } from '#domain/publishing-holds.ts';
import { readRestored } from './after-restore.ts';
import { search } from './search.ts';
import { ALONE, givesTurn, OUT_OF_TURN, OUT_OF_TURN_COUNTS_FOR_MS, type RunContext } from './turn-of-channel.ts';

/**
 * How old the holds may be that an attempt goes by at its beginning, and right before the irreversible call. With the
 * latter nothing is sent that a hold of more than so long ago covers; the rest of two seconds is for its way out.
 */
const HOLDS_AT_START_MAX_AGE_MS = 500;
const HOLDS_AT_SEND_MAX_AGE_MS = 1_000;

/**
 * What may be done for a job that is not durable yet: reads, and the writes that the job's own durability goes before.
 * What leaves the process waits, and so does what is set or reported beside the ledger. The holds and the sender's
 * deadline are looked at behind that wait, which may outlast both: nothing comes between them and the call.
 */
const BEFORE_DURABLE: ReadonlySet<Step['kind']> = new Set<Step['kind']>([
  'read-arm',
  'read-evidence',
  'get-tokens',
  'get-files',
  'ask-throttle',
  'prepare',
  'take-quota',
  'arm',
]);

/** Takes an attempt to its end, or to a timer that goes on with it, by what `nextStep` decides. */
export class PublishMachine<Job extends AttemptJob, Content> {
  readonly #options: PublishMachineOptions<Job, Content>;
  readonly #memory: MachineMemory = { arms: new OwnArms(), unwritten: new UnwrittenEvidence() };

  constructor(options: PublishMachineOptions<Job, Content>) {
    this.#options = options;
  }

  /**
   * Ends when the attempt is concluded or a timer will go on with it. Rejects with `PortError`: then call again. The
   * job may not be durable yet, and that of the Variant before it on the Channel may not have ended (`context`).
   */
  async run(job: Job, context: RunContext = ALONE): Promise<void> {
    await new AttemptRun(job, this.#options, this.#memory, context).run();
  }
}

/** What a process knows of attempts beside their ledger; without it, the Network is asked. */
interface MachineMemory {
  readonly arms: OwnArms;
  readonly unwritten: UnwrittenEvidence;
}

type UsableTokens = Extract<TokensAnswer, { kind: 'ok' }>;

/**
 * One run of one attempt: keeps what was read, performs one step at a time, and lets `nextStep` decide on the finding
 * of each. Nothing is kept beyond the run: the next one begins with the ledger.
 */
class AttemptRun<Job extends AttemptJob, Content> {
  readonly #job: Job;
  readonly #options: PublishMachineOptions<Job, Content>;
  readonly #memory: MachineMemory;
  readonly #context: RunContext;
  /** The attempt before it on the Channel; null once it is this one's turn. */
  #predecessor: RunContext['predecessor'];
  /** By the monotonic clock: since when what was found counts. */
  #begunAt = 0;
  /** The call that was made out of turn: its attempt begins with its turn. */
  #calledEarly: CallMoment | null = null;
  /** What preparing was answered, until the row has it. */
  #prepared: string | null = null;
  #attempt: Attempt;
  /** By the monotonic clock: a wall clock that was put back would let a sender that was held up send too late. */
  #armingSince = 0;
  #tokens: UsableTokens | null = null;
  /** When they were asked for, by the wall clock. */
  #tokensAt = 0;
  #content: ContentReading<Content> | null = null;
  /** The content as it is being read beside the tokens. */
  #reading: Promise<ContentReading<Content>> | null = null;
  /** Evidence on its way to the ledger, behind which only the report of it may go out. */
  #evidence: Promise<void> = Promise.resolve();

  constructor(job: Job, options: PublishMachineOptions<Job, Content>, memory: MachineMemory, context: RunContext) {
    this.#context = context;
    this.#predecessor = context.predecessor;
    this.#job = job;
    this.#options = options;
    this.#memory = memory;
    const { soleProcess, adapter } = options;
    const { publishTimeoutMs } = adapter;
    const brake = { isHeld: true, heldMs: 0 };
    this.#attempt = {
      job,
      row: null,
      arm: ownArm(null, job),
      evidence: [],
      publishTimeoutMs,
      soleProcess,
      isOwnArm: false,
      brake,
      restored: null,
      isDisconnected: false,
    };
  }

  async run(): Promise<void> {
    let finding = await this.#begin(isFirstRun(this.#job, this.#context));
    for (;;) {
      // The instant that the decision rests on is the one at which its step begins: nothing comes between them.
      const now = this.#options.clock.now();
      const step = nextStep(this.#attempt, finding, now);
      if (step.kind !== 'conclude') await this.#evidence;
      if (step.kind === 'end') return;
      if (this.#predecessor !== null && !OUT_OF_TURN.has(step.kind)) {
        if (!(await this.#takesTurn(this.#predecessor, step))) finding = await this.#beginAnew();
        continue;
      }
      if (!BEFORE_DURABLE.has(step.kind)) await this.#context.durable();
      finding = await this.#perform(step, now);
    }
  }

  /** `hasNoArm`: the ledger is not read for one. */
  async #begin(hasNoArm = false): Promise<Finding> {
    this.#begunAt = this.#options.clock.monotonic();
    await this.#askBrake(HOLDS_AT_START_MAX_AGE_MS);
    await this.#askRestored();
    this.#know({ isDisconnected: await this.#options.isDisconnected(this.#job) });
    return hasNoArm && this.#attempt.restored === null ? { kind: 'arm-read', isUnsent: false } : this.#readArm();
  }

  /**
   * Waits for the Channel's turn. True: the Network took the Variant before this one, which is about to be armed, and
   * what was found out for it counts.
   */
  async #takesTurn(predecessor: NonNullable<RunContext['predecessor']>, step: Step): Promise<boolean> {
    const { clock, throttle, observer } = this.#options;
    const { accountId, latestStart } = this.#job;
    const kind = await predecessor.over;
    this.#predecessor = null;
    if (this.#calledEarly !== null) observer.calling(this.#job, this.#calledEarly);
    const isFresh = clock.monotonic() - this.#begunAt <= OUT_OF_TURN_COUNTS_FOR_MS && clock.now() <= latestStart;
    // The answer to the Variant before this one may have begun a pause, or opened the circuit breaker.
    const isAdmitted = throttle.pausedMs(accountId) === 0 && !throttle.isCircuitOpen(accountId);
    return kind === 'passed' && step.kind === 'take-quota' && isFresh && isAdmitted;
  }

  /** From the row, which gets what was prepared meanwhile. */
  async #beginAnew(): Promise<Finding> {
    const { row, arm } = this.#attempt;
    const handle = this.#prepared;
    if (handle !== null && handle !== row?.handle && arm.stage === 'preparing') {
      await this.#context.durable();
      await this.#move({ ...arm, handle });
    }
    return this.#begin();
  }

  async #perform(step: Exclude<Step, { kind: 'end' }>, now: number): Promise<Finding> {
    if ('arm' in step) this.#know({ arm: step.arm });
    const job = this.#job;
    const { throttle, isUse } = this.#options;
    switch (step.kind) {
      case 'read-arm':
        return this.#readArm();
      case 'read-evidence':
        this.#know({ evidence: await this.#options.ledger.attempts(job.ledgerId) });
        return { kind: 'evidence-read' };
      case 'get-tokens':
        return this.#getTokens();
      case 'get-files':
        return this.#readContent();
      case 'ask-throttle':
        return { kind: 'throttle', obstacle: this.#seen(throttle.obstacle(job.accountId)) };
      case 'take-quota':
        return {
          kind: 'quota',
          obstacle: isUse ? this.#seen(await throttle.take(job)) : null,
        };
      case 'ask-pause':
        return { kind: 'pause', forMs: throttle.pausedMs(job.accountId), subject: step.subject };
      case 'arm':
        return this.#arm(step);
      case 'ask-brake':
        await this.#askBrake(HOLDS_AT_SEND_MAX_AGE_MS);
        return { kind: 'brake', row: step.row, armedForMs: this.#options.clock.monotonic() - this.#armingSince };
      case 'give-back':
        return this.#giveBack(step.arm);
      case 'report-given-back':
        await this.#options.giveBack?.(job);
        return { kind: 'left' };
      case 'prepare':
      case 'publish':
      case 'reconcile':
        return { kind: 'answered', answered: await this.#call(step, now) };
      case 'write-evidence':
        return this.#writeAnswer(step.answered);
      case 'refresh-tokens': {
        this.#tokensAt = now;
        const tokens = await this.#options.refreshNow(job.channelId, this.#access().accessToken);
        return step.then === null ? { kind: 'refreshed', tokens } : this.#perform(step.then, now);
      }
      case 'mark-channel':
        await this.#options.markChannel(job, 'needs_reconnect', this.#tokensAt);
        return this.#perform(step.then, now);
      case 'move':
        return (await this.#move(step.arm)) ? { kind: 'moved' } : { kind: 'lost' };
      case 'wait': {
        const until = this.#options.clock.now() + Math.ceil(step.delayMs);
        const isOurs = await this.#move({ ...step.arm, notBefore: until });
        return isOurs ? { kind: 'waiting', until, delayMs: step.delayMs } : { kind: 'lost' };
      }
      case 'wake':
        for (const at of step.at) await this.#options.continueAt(job, at);
        return { kind: 'left' };
      case 'close': {
        throttle.leave(job.accountId, job.variantId);
        const isOurs = await this.#move({ ...step.arm, stage: 'closed', verdict: step.verdict });
        return isOurs ? { kind: 'closed', verdict: step.verdict } : { kind: 'lost' };
      }
      case 'conclude':
        await this.#claim(step.verdict);
        // One commit for the evidence and its report, where the report can't be durable without it.
        await Promise.all([this.#evidence, this.#options.conclude(job, step.verdict)]);
        return { kind: 'left' };
    }
  }

  /** After a restore: before anybody is told, so that no other Variant names the same item. */
  async #claim(verdict: ArmVerdict): Promise<void> {
    if (this.#attempt.restored === null || verdict.kind !== 'published') return;
    await this.#evidence;
    const { liveItems, ids } = this.#options;
    const { network, accountId, ledgerId } = this.#job;
    await liveItems.claim({ network, accountId, remoteId: verdict.remoteId }, ledgerId, ids.token());
  }

  #seen(obstacle: Obstacle | null): Obstacle | null {
    if (obstacle !== null) this.#options.observer.heldBack(this.#job, obstacle);
    return obstacle;
  }

  /**
   * What is held by an older reading is looked at again: an attempt that is given back after a release loses its place
   * in the order of its Channel.
   */
  async #askBrake(maxAgeMs: number): Promise<void> {
    const { clock, brake } = this.#options;
    let { periods } = await brake.known(maxAgeMs);
    if (isHeld(periods, this.#job)) ({ periods } = await brake.knownFromNowOn());
    const between = { from: this.#job.dueAt, to: clock.now() };
    this.#know({ brake: { isHeld: isHeld(periods, this.#job), heldMs: heldMs(periods, this.#job, between) } });
  }

  /** By the same reading of the holds. */
  async #askRestored(): Promise<void> {
    const { clock, brake, firstDueAt } = this.#options;
    const { restoration } = await brake.known(HOLDS_AT_START_MAX_AGE_MS);
    this.#know({ restored: await readRestored(this.#job, restoration, { now: clock.now(), firstDueAt }) });
  }

  /** The row first: once the Workspace knows, the Variant may be cancelled, and no repeat of this job may send it. */
  async #giveBack(arm: Arm): Promise<Finding> {
    const { giveBack, continueAt, clock } = this.#options;
    if (giveBack === null) {
      await continueAt(this.#job, nextHeldLook(clock.now()));
      return { kind: 'left' };
    }
    if (!(await this.#move(arm))) return { kind: 'lost' };
    await giveBack(this.#job);
    return { kind: 'left' };
  }

  #know(news: Partial<Omit<Attempt, 'job' | 'isOwnArm'>>): void {
    this.#attempt = { ...this.#attempt, ...news };
    if (news.row == null) return;
    this.#attempt = { ...this.#attempt, isOwnArm: this.#memory.arms.has(news.row.armToken) };
  }

  async #readArm(): Promise<Finding> {
    const { ledger } = this.#options;
    const { ledgerId } = this.#job;
    const { arms, unwritten } = this.#memory;
    const row = await ledger.readArm(ledgerId);
    const known = row === null ? undefined : unwritten.under(row.armToken);
    if (known !== undefined) {
      await ledger.writeEvidence(ledgerId, known);
      unwritten.delete(known.armToken);
    }
    this.#know({ row });
    return { kind: 'arm-read', isUnsent: row !== null && arms.withdraw(row.armToken) };
  }

  async #getTokens(): Promise<Finding> {
    this.#tokensAt = this.#options.clock.now();
    this.#reading = this.#options.readContent(this.#job);
    // Where there are no tokens the content is not awaited: its failure must not end the process as unhandled.
    this.#reading.catch(() => {});
    const tokens = await this.#options.tokensFor(this.#job.channelId, async () => {
      // The call that is on its way bears the token that this one would replace.
      await this.#predecessor?.over;
      await this.#context.durable();
    });
    if (tokens.kind === 'ok') this.#tokens = tokens;
    return { kind: 'tokens', tokens };
  }

  async #readContent(): Promise<Finding> {
    const reading = this.#reading ?? this.#options.readContent(this.#job);
    this.#reading = null;
    this.#content = await reading;
    return { kind: 'files', renditions: this.#content.renditions };
  }

  async #arm({ armedAt, sendBefore }: Extract<Step, { kind: 'arm' }>): Promise<Finding> {
    const { ids, adapter, soleProcess, clock } = this.#options;
    this.#armingSince = clock.monotonic();
    const token = ids.token();
    const callTimeoutMs = adapter.timeoutFor?.(this.#contentNow(armedAt, 'publish')) ?? adapter.publishTimeoutMs;
    const arming = { armToken: token, armedAt, sendBefore, callTimeoutMs, process: soleProcess?.id ?? null };
    // Until it is sent under: a store that can't tell whether it took the arm must not leave a row that looks like a
    // lost send.
    this.#memory.arms.add(token);
    // In the same step as the write begins: a job that the log took back counts as never sent.
    if (!this.#context.isOurs()) throw new PortError('unavailable', 'the job is not ours any more');
    const isOurs = await this.#move(armedWith(this.#attempt.arm, arming), token);
    return isOurs ? { kind: 'armed', row: this.#attempt.row! } : { kind: 'lost' };
  }

  /** Writes the row over what was last read or written of it; false: it was moved meanwhile, and nothing is written. */
  async #move(next: Arm, token = this.#options.ids.token()): Promise<boolean> {
    const moved = await this.#options.ledger.moveArm(this.#job.ledgerId, this.#attempt.row, next, token);
    if (moved !== null) this.#know({ row: moved, arm: moved });
    return moved !== null;
  }

  async #call(
    step: Extract<Step, { kind: 'prepare' | 'publish' | 'reconcile' }>,
    startedAt: number,
  ): Promise<AnsweredStep> {
    const { adapter, observer } = this.#options;
    const { arm, row, brake } = this.#attempt;
    const content = this.#contentNow(startedAt, step.kind);
    const isUntouched = row === null || (row.stage === 'preparing' && row.handle === null && row.failures === 0);
    const scheduledAt = this.#content?.scheduledAt ?? null;
    const moment = { kind: step.kind, isUntouched, scheduledAt, heldMs: brake.heldMs };
    if (this.#predecessor === null) observer.calling(this.#job, moment);
    else this.#calledEarly = moment;
    switch (step.kind) {
      case 'prepare': {
        const answer = await adapter.prepare(content, arm.handle).catch(withMissingFile);
        this.#prepared = answer.kind === 'failed' ? null : answer.handle;
        return { step: 'prepare', startedAt, answer };
      }
      case 'publish':
        if (!this.#memory.arms.send(arm.armToken)) throw new PortError('unavailable', 'another run took the arm back');
        return { step: 'publish', startedAt, answer: await adapter.publish(content, arm.handle) };
      case 'reconcile': {
        const { kind } = step.subject;
        const isSearch = kind === 'restored' || (kind === 'duplicate' && arm.earlier?.restored !== undefined);
        const answer =
          isSearch && this.#attempt.restored !== null
            ? await this.#search(content, step.armed, startedAt)
            : await adapter.reconcile(content, step.armed);
        return { step: 'reconcile', startedAt, subject: step.subject, answer: await this.#ofOwn(answer, step.armed) };
      }
    }
  }

  /** Without an item that another Variant of the Workspace is known to be, though it says the same. */
  async #ofOwn(answer: ReconcileAnswer, { armedAt }: ArmedCall): Promise<ReconcileAnswer> {
    if (answer.kind !== 'published' || answer.ifOthers === undefined) return answer;
    const { network, accountId, workspaceId, variantId } = this.#job;
    const item = { network, accountId, remoteId: answer.remoteId };
    const isOthers = await this.#options.liveItems.isNamed(item, { workspaceId, at: armedAt, but: variantId });
    return isOthers ? answer.ifOthers : answer;
  }

  #search(content: Content, { armedAt, ...asked }: ArmedCall, now: number): Promise<ReconcileAnswer> {
    const { adapter, liveItems, ids } = this.#options;
    const about = { job: this.#job, restored: this.#attempt.restored!, sought: { ...asked, since: armedAt } };
    return search(adapter, content, about, { liveItems, token: () => ids.token(), now });
  }

  #contentNow(now: number, kind: CallKind): Content {
    if (this.#content === null) throw new Error('a Network is called only with the content at hand');
    const { accessToken, accountId, username, facts } = this.#access();
    const client = this.#options.observer.httpFor(kind, this.#job);
    const http: HttpClient = {
      send: async (request) => {
        await this.#context.durable();
        return client.send(request);
      },
    };
    return this.#content.contentFor({ http, accessToken, accountId, username, accountFacts: facts, now });
  }

  #access(): UsableTokens {
    if (this.#tokens === null) throw new Error('a Network is called only with tokens at hand');
    return this.#tokens;
  }

  /**
   * Writes an answer down as evidence. Where log and store are one, its report may follow before the evidence is
   * durable, because the report can not become durable without it; everything else waits.
   */
  async #writeAnswer(answered: AnsweredStep): Promise<Finding> {
    this.#evidence = this.#writeEvidence(answered);
    if (!this.#options.ledger.isInOrderWithLog) await this.#evidence;
    else this.#evidence.catch(() => {});
    // The next one's arm then is durable only with this evidence, or behind it: of all that a crash leaves of a
    // Channel, one outcome at most is unknown.
    if (givesTurn(answered, this.#attempt.restored)) this.#context.pass();
    return { kind: 'evidence-written', answered };
  }

  async #writeEvidence(answered: AnsweredStep): Promise<void> {
    const { row } = this.#attempt;
    const job = this.#job;
    const { throttle, ledger, ids, clock } = this.#options;
    const outcome = evidenceOf(answered);
    if (answered.step !== 'verdict') throttle.recordResult(job.accountId, answered.answer.summary, outcome.failure);
    const evidence = {
      ...outcome,
      attempt: job.attempt,
      id: ids.token(8),
      armToken: row?.armToken ?? '',
      finishedAt: clock.now(),
    };
    // What the irreversible call was answered is known here alone until it is written.
    if (answered.step === 'publish') this.#memory.unwritten.add(evidence);
    await ledger.writeEvidence(job.ledgerId, evidence);
    this.#memory.unwritten.delete(evidence.armToken);
  }
}
