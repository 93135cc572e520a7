import type { PublishVariant } from '#messages/messages.ts';
import type { NetworkAdapter, Publication } from '#networks/contract/adapter.ts';
import type { TokensAnswer } from '#connections/connections.ts';
import { postIdOfVariant } from '#domain/post/ids.ts';
import type { WorldPorts } from '#ports/ports.ts';
import type { Rendition, RenditionSource } from '#ports/rendition-source.ts';
import { publishTimer } from '#outbox/publish-messages.ts';
import type { Arm, ArmVerdict, Ledger } from '#tables/repositories/ledger.ts';
import type { TimerEffect } from '#tables/rows/pending-effects.ts';
import { armedWith, ownArm, UnsentArms } from './arms.ts';
import type { AnsweredStep, Attempt, Finding, Step } from './attempt.ts';
import { evidenceOf } from './evidence.ts';
import { nextStep } from './next-step.ts';
import type { Throttle } from './throttle.ts';

/** What a Member wrote of the Variant. */
export interface PublishContent {
  readonly text: string;
  readonly title: string | null;
  /** One for each file, in order; '' = none. */
  readonly altTexts: readonly string[];
}

export interface PublishMachineOptions extends Pick<WorldPorts, 'http' | 'clock' | 'ids'> {
  readonly adapter: NetworkAdapter;
  readonly ledger: Ledger;
  readonly tokensFor: (channelId: string) => Promise<TokensAnswer>;
  readonly refreshNow: (channelId: string, staleAccessToken: string) => Promise<TokensAnswer>;
  /** What the Variant says. */
  readonly contentOf: (job: PublishVariant) => Promise<PublishContent>;
  readonly renditions: RenditionSource;
  readonly throttle: Throttle;
  readonly setTimer: (timer: TimerEffect) => Promise<void>;
  /** Reports to the Workspace how an attempt ended. */
  readonly conclude: (job: PublishVariant, verdict: ArmVerdict) => Promise<void>;
  /** Reports to the Workspace what the Network's answer means for the Channel. */
  readonly markChannel: (job: PublishVariant, state: 'needs_reconnect') => Promise<void>;
}

/** Takes an attempt at a Variant to its end, or to a timer that goes on with it, by what `nextStep` decides. */
export class PublishMachine {
  readonly #options: PublishMachineOptions;
  readonly #unsent = new UnsentArms();

  constructor(options: PublishMachineOptions) {
    this.#options = options;
  }

  /** Ends when the attempt is concluded or a timer will go on with it. Rejects with `PortError`: then call again. */
  async run(job: PublishVariant): Promise<void> {
    await new AttemptRun(job, this.#options, this.#unsent).run();
  }
}

type UsableTokens = Extract<TokensAnswer, { kind: 'ok' }>;

/**
 * One run of one attempt: keeps what was read, performs one step at a time, and lets `nextStep` decide on the finding
 * of each. Nothing is kept beyond the run: the next one begins with the ledger.
 */
class AttemptRun {
  readonly #options: PublishMachineOptions;
  readonly #unsent: UnsentArms;
  #attempt: Attempt;
  #tokens: UsableTokens | null = null;
  #content: PublishContent | null = null;
  #files: readonly Rendition[] = [];

  constructor(job: PublishVariant, options: PublishMachineOptions, unsent: UnsentArms) {
    this.#options = options;
    this.#unsent = unsent;
    const { publishTimeoutMs } = options.adapter;
    this.#attempt = { job, row: null, arm: ownArm(null, job), evidence: [], publishTimeoutMs };
  }

  async run(): Promise<void> {
    let finding = await this.#readArm();
    for (;;) {
      // The instant that the decision rests on is the one at which its step begins: nothing comes between them.
      const now = this.#options.clock.now();
      const step = nextStep(this.#attempt, finding, now);
      if (step.kind === 'end') return;
      finding = await this.#perform(step, now);
    }
  }

  async #perform(step: Exclude<Step, { kind: 'end' }>, now: number): Promise<Finding> {
    if ('arm' in step) this.#know({ arm: step.arm });
    const { job } = this.#attempt;
    const { throttle } = this.#options;
    switch (step.kind) {
      case 'read-arm':
        return this.#readArm();
      case 'read-evidence':
        this.#know({ evidence: await this.#options.ledger.attempts(job.variantId) });
        return { kind: 'evidence-read' };
      case 'get-tokens':
        return this.#getTokens();
      case 'get-files':
        return this.#getFiles();
      case 'ask-throttle':
        return { kind: 'throttle', obstacle: throttle.obstacle(job.accountId) };
      case 'take-quota':
        return { kind: 'quota', obstacle: await throttle.take(job.accountId) };
      case 'ask-hold':
        return { kind: 'hold', forMs: throttle.heldMs(job.accountId), subject: step.subject };
      case 'arm':
        return this.#arm(step);
      case 'prepare':
      case 'publish':
      case 'reconcile':
        return { kind: 'answered', answered: await this.#call(step, now) };
      case 'write-evidence':
        await this.#writeEvidence(step.answered);
        return { kind: 'evidence-written', answered: step.answered };
      case 'refresh-tokens': {
        const tokens = await this.#options.refreshNow(job.channelId, this.#publication(now).accessToken);
        return step.then === null ? { kind: 'refreshed', tokens } : this.#perform(step.then, now);
      }
      case 'mark-channel':
        await this.#options.markChannel(job, 'needs_reconnect');
        return this.#perform(step.then, now);
      case 'move':
        return (await this.#move(step.arm)) ? { kind: 'moved' } : { kind: 'lost' };
      case 'wait': {
        const until = this.#options.clock.now() + Math.ceil(step.delayMs);
        const isOurs = await this.#move({ ...step.arm, notBefore: until });
        return isOurs ? { kind: 'waiting', until, delayMs: step.delayMs } : { kind: 'lost' };
      }
      case 'wake':
        for (const at of step.at) await this.#options.setTimer(publishTimer(job, 'continue', at));
        return { kind: 'left' };
      case 'close': {
        const isOurs = await this.#move({ ...step.arm, stage: 'closed', verdict: step.verdict });
        return isOurs ? { kind: 'closed', verdict: step.verdict } : { kind: 'lost' };
      }
      case 'conclude':
        await this.#options.conclude(job, step.verdict);
        return { kind: 'left' };
    }
  }

  #know(news: Partial<Pick<Attempt, 'row' | 'arm' | 'evidence'>>): void {
    this.#attempt = { ...this.#attempt, ...news };
  }

  async #readArm(): Promise<Finding> {
    const row = await this.#options.ledger.readArm(this.#attempt.job.variantId);
    this.#know({ row });
    return { kind: 'arm-read', isUnsent: row !== null && this.#unsent.has(row.armToken) };
  }

  async #getTokens(): Promise<Finding> {
    const tokens = await this.#options.tokensFor(this.#attempt.job.channelId);
    if (tokens.kind === 'ok') this.#tokens = tokens;
    return { kind: 'tokens', tokens };
  }

  async #getFiles(): Promise<Finding> {
    const { job } = this.#attempt;
    this.#content = await this.#options.contentOf(job);
    const { workspaceId, variantId, network, placement } = job;
    const renditions = await this.#options.renditions.filesOf({
      workspaceId,
      postId: postIdOfVariant(variantId),
      variantId,
      network,
      placement,
      altTexts: this.#content.altTexts,
    });
    this.#files = renditions.kind === 'ready' ? renditions.files : [];
    return { kind: 'files', renditions };
  }

  async #arm({ armedAt, sendBefore }: Extract<Step, { kind: 'arm' }>): Promise<Finding> {
    const token = this.#options.ids.token();
    // Until it is sent under: a store that can't tell whether it took the arm must not leave a row that looks like a
    // lost send.
    this.#unsent.add(token);
    const isOurs = await this.#move(armedWith(this.#attempt.arm, token, armedAt, sendBefore), token);
    return isOurs ? { kind: 'armed', row: this.#attempt.row! } : { kind: 'lost' };
  }

  /** Writes the row over what was last read or written of it; false: it was moved meanwhile, and nothing is written. */
  async #move(next: Arm, token = this.#options.ids.token()): Promise<boolean> {
    const { job, row } = this.#attempt;
    const moved = await this.#options.ledger.moveArm(job.variantId, row, next, token);
    if (moved !== null) this.#know({ row: moved, arm: moved });
    return moved !== null;
  }

  async #call(
    step: Extract<Step, { kind: 'prepare' | 'publish' | 'reconcile' }>,
    startedAt: number,
  ): Promise<AnsweredStep> {
    const { adapter } = this.#options;
    const { arm } = this.#attempt;
    const publication = this.#publication(startedAt);
    switch (step.kind) {
      case 'prepare':
        return { step: 'prepare', startedAt, answer: await adapter.prepare(publication, arm.handle) };
      case 'publish':
        this.#unsent.delete(arm.armToken);
        return { step: 'publish', startedAt, answer: await adapter.publish(publication, arm.handle) };
      case 'reconcile': {
        const answer = await adapter.reconcile(publication, step.armed);
        return { step: 'reconcile', startedAt, subject: step.subject, answer };
      }
    }
  }

  #publication(now: number): Publication {
    if (this.#tokens === null || this.#content === null)
      throw new Error('a Network is called only with tokens and content at hand');
    const { accessToken, accountId, username, facts } = this.#tokens;
    const { text, title } = this.#content;
    return {
      http: this.#options.http,
      accessToken,
      accountId,
      username,
      accountFacts: facts,
      placement: this.#attempt.job.placement,
      text,
      title,
      media: this.#files,
      now,
    };
  }

  async #writeEvidence(answered: AnsweredStep): Promise<void> {
    const { job, row } = this.#attempt;
    const { throttle, ledger, ids, clock } = this.#options;
    const evidence = evidenceOf(answered);
    if (answered.step !== 'verdict') throttle.recordResult(job.accountId, answered.answer.summary, evidence.failure);
    await ledger.writeEvidence(job.variantId, {
      ...evidence,
      attempt: job.attempt,
      id: ids.token(8),
      armToken: row?.armToken ?? '',
      finishedAt: clock.now(),
    });
  }
}
