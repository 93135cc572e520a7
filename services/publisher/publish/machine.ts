import type { PublishVariant } from '#messages/messages.ts';
import type { NetworkAdapter, Publication, CallSummary } from '#networks/contract/adapter.ts';
import type { TokensAnswer } from '#connections/connections.ts';
import { postIdOfVariant } from '#domain/post/ids.ts';
import type { Failure } from '#domain/variant/failure.ts';
import type { Clock } from '#ports/clock.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { Ids } from '#ports/ids.ts';
import type { Rendition, Renditions, RenditionSource } from '#ports/rendition-source.ts';
import type { Reporter } from '#ports/reporter.ts';
import { publishTimer } from '#outbox/publish-messages.ts';
import type { Arm, ArmRow, Evidence, Ledger, ArmVerdict } from '#tables/repositories/ledger.ts';
import type { TimerEffect } from '#tables/rows/pending-effects.ts';
import { armedWith, ownArm, UnsentArms } from './arms.ts';
import type { Obstacle, Throttle } from './throttle.ts';
import { backoffMs, MAY_BE_LIVE, MISSED_WINDOW, refusalIn, stillUnknown } from './verdicts.ts';

/** What a Member wrote of the Variant. */
export interface PublishContent {
  readonly text: string;
  readonly title: string | null;
  /** One for each file, in order; '' = none. */
  readonly altTexts: readonly string[];
}

export interface PublishMachineOptions {
  readonly adapter: NetworkAdapter;
  readonly ledger: Ledger;
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reporter: Reporter;
  readonly tokensFor: (channelId: string) => Promise<TokensAnswer>;
  readonly refreshNow: (channelId: string, staleAccessToken: string) => Promise<TokensAnswer>;
  /** What the Variant says. */
  readonly contentOf: (job: PublishVariant) => Promise<PublishContent>;
  readonly renditions: RenditionSource;
  readonly throttle: Throttle;
  readonly setTimer: (timer: TimerEffect) => Promise<void>;
  /** Tells the Workspace how an attempt ended. */
  readonly conclude: (job: PublishVariant, verdict: ArmVerdict) => Promise<void>;
  /** Tells the Workspace what the Network said of the Channel. */
  readonly markChannel: (job: PublishVariant, state: 'needs_reconnect') => Promise<void>;
}

/** `again`: the ledger moved (by us or by somebody else): look at it anew. */
type Step = 'done' | 'again';

/** A sender that was held up longer than this after arming must not send. */
const SEND_WITHIN_MS = 5_000;
const CLOCK_SKEW_MS = 5_000;
/** Without a usable token nobody can ask; after this it is said that nobody can tell. */
const GIVE_UP_ASKING_MS = 15 * 60_000;
const ASK_AGAIN_MS = 60_000;
/** Covers the way of a timer's message, so that the next one is not early again. */
const WOKEN_EARLY_MS = 200;

/**
 * One attempt at a Variant, whatever happened to it before: looks at the ledger and takes the one step that is safe
 * from there.
 *
 * nothing or an older attempt -> prepare (repeatable) -> arm (compare-and-set) -> the irreversible call, once ->
 * evidence -> verdict. Armed without evidence: the call may have been made, so never again before the Network was
 * asked; not asked before the sender's deadline, its call's time-out and the clocks' skew are over. Every wait is a
 * timer; a step that meets one early ends.
 */
export class PublishMachine {
  readonly #parts: PublishMachineOptions;
  readonly #unsent = new UnsentArms();

  constructor(parts: PublishMachineOptions) {
    this.#parts = parts;
  }

  /** Ends when the attempt is concluded or a timer will go on with it. Rejects with `PortError`: then call again. */
  async run(job: PublishVariant): Promise<void> {
    while ((await this.#step(job)) === 'again');
  }

  async #step(job: PublishVariant): Promise<Step> {
    const row = await this.#parts.ledger.readArm(job.variantId);
    if (row === null || row.attempt < job.attempt) return this.#prepare(job, row);
    if (row.attempt > job.attempt) return 'done';
    if (row.stage === 'closed') return this.#conclude(job, row.verdict!);
    if (this.#parts.clock.now() < row.notBefore) return this.#notYet(job, row.notBefore);
    return row.stage === 'preparing' ? this.#prepare(job, row) : this.#findOut(job, row);
  }

  async #prepare(job: PublishVariant, row: ArmRow | null): Promise<Step> {
    const arm = ownArm(row, job);
    if (this.#parts.clock.now() > job.latestStart) return this.#close(job, row, arm, MISSED_WINDOW);
    const tokens = await this.#parts.tokensFor(job.channelId);
    if (tokens.kind === 'needs_reconnect') return this.#needsReconnect(job, row, arm, tokens.detail);
    if (tokens.kind === 'unavailable') return this.#wait(job, row, arm, tokens.delayMs);
    const content = await this.#parts.contentOf(job);
    const renditions = await this.#renditionsOf(job, content);
    if (renditions.kind === 'pending') return this.#wait(job, row, arm, renditions.delayMs);
    if (renditions.kind === 'failed')
      return this.#close(job, row, arm, { kind: 'failed', reason: 'media_problem', detail: renditions.detail });
    const publication = this.#publication(job, tokens, content, renditions.files);
    if (arm.earlier !== null && !arm.earlier.settled) return this.#askAboutEarlier(job, row, arm, publication);
    const obstacle = this.#parts.throttle.obstacle(job.accountId);
    if (obstacle !== null) return this.#heldBack(job, row, arm, obstacle);
    const startedAt = this.#parts.clock.now();
    const answer = await this.#parts.adapter.prepare(publication, arm.handle);
    // A Network with nothing to prepare said nothing worth a row.
    if (answer.said.status !== 0 || answer.kind === 'failed') {
      await this.#witness(job, row, {
        step: 'prepare',
        startedAt,
        outcome: answer.kind,
        said: answer.said,
        failure: failureIn(answer),
      });
    }
    switch (answer.kind) {
      case 'ready':
        return this.#publish(job, row, { ...arm, handle: answer.handle }, publication);
      case 'wait':
        return this.#wait(job, row, { ...arm, handle: answer.handle }, answer.delayMs);
      case 'failed':
        return this.#fail(job, row, withHandle(arm, answer), answer.failure, publication);
    }
  }

  async #publish(job: PublishVariant, over: ArmRow | null, arm: Arm, publication: Publication): Promise<Step> {
    const obstacle = await this.#parts.throttle.take(job.accountId);
    if (obstacle !== null) return this.#heldBack(job, over, arm, obstacle);
    const now = this.#parts.clock.now();
    const token = this.#parts.ids.token();
    // Until it is sent under: a store that can't tell whether it took the arm must not leave a row that looks like a
    // lost send.
    this.#unsent.add(token);
    const armed = await this.#parts.ledger.moveArm(
      job.variantId,
      over,
      armedWith(arm, token, now, now + SEND_WITHIN_MS),
      token,
    );
    if (armed === null) return 'again';
    const startedAt = this.#parts.clock.now();
    // Held up: somebody may soon take it that we sent.
    if (startedAt >= armed.sendBefore) return this.#takeBack(job, armed);
    this.#unsent.delete(token);
    const answer = await this.#parts.adapter.publish({ ...publication, now: startedAt }, armed.handle);
    const failure =
      answer.kind === 'failed' ? answer.failure : answer.kind === 'unknown' ? (answer.ifAbsent ?? null) : null;
    const named = answer.kind === 'accepted' && answer.handle !== undefined ? { handle: answer.handle } : {};
    await this.#witness(job, armed, {
      step: 'publish',
      startedAt,
      outcome: answer.kind,
      said: answer.said,
      failure,
      published: answer,
      ...named,
    });
    if (answer.kind === 'published') return this.#conclude(job, answer);
    if (answer.kind === 'failed') return this.#fail(job, armed, withHandle(armed, answer), answer.failure, publication);
    if (answer.kind === 'accepted') return this.#wait(job, armed, withHandle(armed, answer), answer.delayMs);
    return this.#ask(job, armed, publication, failure);
  }

  /** Not the attempt's doing, so it costs it nothing but time; only a handle that is new is kept. */
  async #heldBack(
    job: PublishVariant,
    over: ArmRow | null,
    arm: Arm,
    { forMs, reason, detail }: Obstacle,
  ): Promise<Step> {
    const at = this.#parts.clock.now() + forMs;
    if (at > job.latestStart) return this.#close(job, over, arm, { kind: 'failed', reason, detail });
    if (arm.handle === (over?.handle ?? null)) return this.#wakeAt(job, at);
    return this.#wait(job, over, { ...arm, stage: 'preparing' }, forMs);
  }

  /** Nothing was sent under this arm, so the attempt goes on before it, if the row still is ours. */
  async #takeBack(job: PublishVariant, armed: ArmRow): Promise<Step> {
    await this.#parts.ledger.moveArm(job.variantId, armed, { ...armed, stage: 'preparing' }, this.#parts.ids.token());
    return 'again';
  }

  /** Armed: what became of it? The ledger may know; else the Network is asked, when nobody can still be sending. */
  async #findOut(job: PublishVariant, row: ArmRow): Promise<Step> {
    if (this.#unsent.has(row.armToken)) return this.#takeBack(job, row);
    const steps = (await this.#parts.ledger.attempts(job.variantId)).filter((step) => step.attempt === job.attempt);
    const published = steps.find((step) => step.outcome === 'published');
    if (published !== undefined)
      return this.#conclude(job, { kind: 'published', remoteId: published.remoteId!, permalink: published.permalink });
    const answered = steps.find((step) => step.step === 'publish' && step.armToken === row.armToken);
    const armed = withHandle(row, answered ?? {});
    const quietAt = armed.sendBefore + this.#parts.adapter.publishTimeoutMs + CLOCK_SKEW_MS;
    if (answered === undefined && this.#parts.clock.now() < quietAt) return this.#notYet(job, quietAt);
    const tokens = await this.#parts.tokensFor(job.channelId);
    if (tokens.kind !== 'ok') return this.#withoutTokens(job, armed, tokens, refusalIn(steps, armed.armToken));
    const content = await this.#parts.contentOf(job);
    const renditions = await this.#renditionsOf(job, content);
    // What was armed had its files; if they are gone meanwhile, they are not what is asked about.
    const publication = this.#publication(job, tokens, content, renditions.kind === 'ready' ? renditions.files : []);
    if (answered?.outcome === 'failed' && answered.failure !== null)
      return this.#fail(job, armed, armed, answered.failure, publication);
    return this.#ask(job, armed, publication, answered?.failure ?? null);
  }

  /** `ifAbsent`: what the Network's answer means once it is proven that nothing was published. */
  async #ask(job: PublishVariant, armed: ArmRow, publication: Publication, ifAbsent: Failure | null): Promise<Step> {
    const heldMs = this.#parts.throttle.heldMs(job.accountId);
    if (heldMs > 0) return this.#wait(job, armed, armed, heldMs);
    const startedAt = this.#parts.clock.now();
    const answer = await this.#parts.adapter.reconcile({ ...publication, now: startedAt }, armed);
    await this.#witness(job, armed, {
      step: 'reconcile',
      startedAt,
      outcome: answer.kind,
      said: answer.said,
      failure: failureIn(answer),
      published: answer,
    });
    switch (answer.kind) {
      case 'published':
        return this.#conclude(job, answer);
      case 'failed':
        return this.#fail(job, armed, withHandle(armed, answer), answer.failure, publication);
      case 'processing':
        return this.#wait(job, armed, { ...armed, asked: armed.asked + 1 }, answer.delayMs);
      case 'absent':
        if (ifAbsent !== null) return this.#fail(job, armed, armed, ifAbsent, publication);
        if (this.#parts.clock.now() > job.latestStart) return this.#close(job, armed, armed, MISSED_WINDOW);
        return this.#sendAgain(job, armed, publication);
      case 'unknown':
        if (answer.delayMs === null) return this.#close(job, armed, armed, stillUnknown(answer.said.detail));
        if (answer.tokenRefused === true) await this.#parts.refreshNow(job.channelId, publication.accessToken);
        return this.#wait(job, armed, { ...armed, asked: armed.asked + 1 }, answer.delayMs);
    }
  }

  /** At once the first time, then less and less often: a Network in trouble is not asked in a circle. */
  async #sendAgain(job: PublishVariant, armed: ArmRow, publication: Publication): Promise<Step> {
    const again: Arm = { ...armed, failures: armed.failures + 1 };
    if (armed.failures === 0) return this.#publish(job, armed, again, publication);
    return this.#wait(job, armed, { ...again, stage: 'preparing' }, backoffMs(armed.failures));
  }

  /**
   * A Member asked for another attempt after one that may be live. Only what the Network proves or can't tell lets it
   * go on.
   */
  async #askAboutEarlier(job: PublishVariant, row: ArmRow | null, arm: Arm, publication: Publication): Promise<Step> {
    const earlier = arm.earlier!;
    // Its sender may have heard after everybody stopped waiting for him.
    const published = (await this.#parts.ledger.attempts(job.variantId)).find((step) => step.outcome === 'published');
    if (published !== undefined)
      return this.#close(job, row, arm, {
        kind: 'published',
        remoteId: published.remoteId!,
        permalink: published.permalink,
      });
    const startedAt = this.#parts.clock.now();
    const answer = await this.#parts.adapter.reconcile(publication, {
      handle: earlier.handle,
      armedAt: earlier.armedAt,
      asked: arm.asked,
    });
    await this.#witness(job, row, {
      step: 'reconcile',
      startedAt,
      outcome: answer.kind,
      said: answer.said,
      failure: failureIn(answer),
      published: answer,
    });
    if (answer.kind === 'published')
      return this.#close(job, row, arm, { kind: 'published', remoteId: answer.remoteId, permalink: answer.permalink });
    if (answer.kind === 'processing') return this.#wait(job, row, { ...arm, asked: arm.asked + 1 }, answer.delayMs);
    if (answer.kind === 'unknown' && answer.delayMs !== null) {
      if (answer.tokenRefused === true) await this.#parts.refreshNow(job.channelId, publication.accessToken);
      return this.#wait(job, row, { ...arm, asked: arm.asked + 1 }, answer.delayMs);
    }
    const settled: Arm = {
      ...arm,
      handle: answer.kind === 'absent' ? earlier.handle : null,
      asked: 0,
      earlier: { ...earlier, settled: true },
    };
    await this.#parts.ledger.moveArm(job.variantId, row, settled, this.#parts.ids.token());
    return 'again';
  }

  async #fail(
    job: PublishVariant,
    over: ArmRow | null,
    arm: Arm,
    failure: Failure,
    publication: Publication,
  ): Promise<Step> {
    // Refused as a duplicate after an attempt that may be live: it is evidence of that one, not a refusal.
    if (failure.duplicate === true && arm.earlier !== null)
      return this.#explainDuplicate(job, over, arm, failure, publication);
    const verdict: ArmVerdict = { kind: 'failed', reason: failure.reason, detail: failure.detail };
    switch (failure.retry) {
      case 'never':
        return this.#close(job, over, arm, verdict);
      case 'afterReconnect':
        return this.#needsReconnect(job, over, arm, failure.detail);
      case 'once':
      case 'later': {
        if (failure.retry === 'once' && arm.failures > 0) return this.#close(job, over, arm, verdict);
        const delayMs = Math.max(failure.delayMs ?? 0, backoffMs(arm.failures));
        if (this.#parts.clock.now() + delayMs > job.latestStart) return this.#close(job, over, arm, verdict);
        return this.#wait(job, over, { ...arm, stage: 'preparing', failures: arm.failures + 1 }, delayMs);
      }
      case 'refresh': {
        if (arm.refreshed) return this.#needsReconnect(job, over, arm, failure.detail);
        const tokens = await this.#parts.refreshNow(job.channelId, publication.accessToken);
        if (tokens.kind === 'needs_reconnect') return this.#needsReconnect(job, over, arm, tokens.detail);
        return this.#wait(
          job,
          over,
          { ...arm, stage: 'preparing', refreshed: tokens.kind === 'ok' },
          tokens.kind === 'ok' ? 0 : tokens.delayMs,
        );
      }
    }
  }

  async #explainDuplicate(
    job: PublishVariant,
    over: ArmRow | null,
    arm: Arm,
    failure: Failure,
    publication: Publication,
  ): Promise<Step> {
    const startedAt = this.#parts.clock.now();
    const answer = await this.#parts.adapter.reconcile(
      { ...publication, now: startedAt },
      { handle: arm.earlier!.handle, armedAt: arm.earlier!.armedAt, asked: arm.asked },
    );
    await this.#witness(job, over, {
      step: 'reconcile',
      startedAt,
      outcome: answer.kind,
      said: answer.said,
      failure: null,
      published: answer,
    });
    if (answer.kind === 'published')
      return this.#close(job, over, arm, { kind: 'published', remoteId: answer.remoteId, permalink: answer.permalink });
    return this.#close(job, over, arm, { kind: 'unconfirmed', detail: `${failure.detail} ${MAY_BE_LIVE}` });
  }

  async #needsReconnect(job: PublishVariant, over: ArmRow | null, arm: Arm, detail: string): Promise<Step> {
    await this.#parts.markChannel(job, 'needs_reconnect');
    return this.#close(job, over, arm, { kind: 'failed', reason: 'needs_reconnect', detail });
  }

  /** What the Network refused was not published, whether or not it can still be asked. */
  #withoutTokens(
    job: PublishVariant,
    armed: ArmRow,
    tokens: Exclude<TokensAnswer, { kind: 'ok' }>,
    refused: Failure | null,
  ): Promise<Step> {
    // A duplicate of an attempt that may be live says nothing about that one.
    if (refused === null || (refused.duplicate === true && armed.earlier !== null))
      return this.#cannotAsk(job, armed, tokens);
    if (refused.retry === 'never')
      return this.#close(job, armed, armed, { kind: 'failed', reason: refused.reason, detail: refused.detail });
    if (tokens.kind === 'needs_reconnect') return this.#needsReconnect(job, armed, armed, tokens.detail);
    return this.#wait(job, armed, { ...armed, stage: 'preparing' }, tokens.delayMs);
  }

  async #cannotAsk(job: PublishVariant, armed: ArmRow, tokens: Exclude<TokensAnswer, { kind: 'ok' }>): Promise<Step> {
    if (tokens.kind === 'needs_reconnect') await this.#parts.markChannel(job, 'needs_reconnect');
    if (this.#parts.clock.now() > armed.armedAt + GIVE_UP_ASKING_MS)
      return this.#close(job, armed, armed, stillUnknown(tokens.detail));
    return this.#wait(job, armed, armed, tokens.kind === 'unavailable' ? tokens.delayMs : ASK_AGAIN_MS);
  }

  /**
   * A verdict that does not rest on `published` is ours to give only while the row is: whoever moved it may be
   * publishing.
   */
  async #close(job: PublishVariant, over: ArmRow | null, arm: Arm, verdict: ArmVerdict): Promise<Step> {
    const closed = await this.#parts.ledger.moveArm(
      job.variantId,
      over,
      { ...arm, stage: 'closed', verdict },
      this.#parts.ids.token(),
    );
    if (closed === null) return 'again';
    const said: CallSummary = { status: 0, detail: verdict.kind === 'published' ? '' : verdict.detail };
    const outcome = verdict.kind;
    await this.#witness(job, closed, {
      step: 'verdict',
      startedAt: this.#parts.clock.now(),
      outcome,
      said,
      failure: null,
      published: verdict,
    });
    return this.#conclude(job, verdict);
  }

  async #conclude(job: PublishVariant, verdict: ArmVerdict): Promise<Step> {
    await this.#parts.conclude(job, verdict);
    return 'done';
  }

  async #wait(job: PublishVariant, over: ArmRow | null, arm: Arm, delayMs: number): Promise<Step> {
    const notBefore = this.#parts.clock.now() + Math.ceil(delayMs);
    const moved = await this.#parts.ledger.moveArm(job.variantId, over, { ...arm, notBefore }, this.#parts.ids.token());
    if (moved === null || delayMs <= 0) return 'again';
    return this.#wakeAt(job, notBefore);
  }

  /**
   * Too soon: handed over again, or woken by a clock ahead of ours. That one counts the timer as fired, and the same
   * timer set again is none; so another is set, later by how far ahead that clock must be.
   */
  async #notYet(job: PublishVariant, at: number): Promise<Step> {
    if (job.why === 'continue') await this.#wakeAt(job, at + (at - this.#parts.clock.now()) + WOKEN_EARLY_MS);
    return this.#wakeAt(job, at);
  }

  async #wakeAt(job: PublishVariant, at: number): Promise<Step> {
    await this.#parts.setTimer(publishTimer(job, 'continue', at));
    return 'done';
  }

  #renditionsOf(job: PublishVariant, { altTexts }: PublishContent): Promise<Renditions> {
    const { workspaceId, variantId, network, placement } = job;
    return this.#parts.renditions.filesOf({
      workspaceId,
      postId: postIdOfVariant(variantId),
      variantId,
      network,
      placement,
      altTexts,
    });
  }

  #publication(
    job: PublishVariant,
    tokens: Extract<TokensAnswer, { kind: 'ok' }>,
    { text, title }: PublishContent,
    media: readonly Rendition[],
  ): Publication {
    const { accessToken, accountId, username, facts } = tokens;
    const account = { accessToken, accountId, username, accountFacts: facts };
    return {
      ...account,
      http: this.#parts.http,
      placement: job.placement,
      text,
      title,
      media,
      now: this.#parts.clock.now(),
    };
  }

  /** What was said is written before anything is done about it. */
  async #witness(
    job: PublishVariant,
    arm: ArmRow | null,
    what: Pick<Evidence, 'step' | 'startedAt' | 'outcome' | 'failure' | 'handle'> & {
      readonly said: CallSummary;
      readonly published?: { readonly kind: string; readonly remoteId?: string; readonly permalink?: string | null };
    },
  ): Promise<void> {
    const { said, published, ...rest } = what;
    if (what.step !== 'verdict') this.#parts.throttle.heard(job.accountId, said, what.failure);
    const live = published?.kind === 'published';
    await this.#parts.ledger.writeEvidence(job.variantId, {
      ...rest,
      attempt: job.attempt,
      id: this.#parts.ids.token(8),
      armToken: arm?.armToken ?? '',
      finishedAt: this.#parts.clock.now(),
      detail: said.detail,
      remoteId: live ? (published.remoteId ?? null) : null,
      permalink: live ? (published.permalink ?? null) : null,
    });
  }
}

/** What the next try goes on from, where the answer says. */
function withHandle<A extends Arm>(arm: A, answer: { readonly handle?: string | null }): A {
  return answer.handle === undefined ? arm : { ...arm, handle: answer.handle };
}

function failureIn(answer: { readonly kind: string; readonly failure?: Failure }): Failure | null {
  return answer.kind === 'failed' ? (answer.failure ?? null) : null;
}
