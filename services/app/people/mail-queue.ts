import type { FairPool } from '#concurrency/fair-pool.ts';
import type { Permit } from '#concurrency/permit.ts';
import type { Pools } from '#concurrency/pools.ts';
import { accountIdOf } from '#domain/account.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Mail, Mailer } from '#ports/mailer.ts';
import type { EventFacts, Reporter } from '#reporting/reporter.ts';
import type { Service } from '#runtime/service.ts';

export interface MailQueueOptions {
  readonly mailer: Mailer;
  readonly pools: Pools;
  readonly clock: Pick<Clock, 'sleep' | 'after'>;
  readonly reporter: Reporter;
}

type Work = () => Promise<void>;

export type LetterPurpose = 'sign-in' | 'invitation' | 'endpoint';

/** Why a mail will not be sent: whose budget is used up, and when there may be room. */
export type NoRoom = Extract<Permit<'client' | 'workspace'>, { readonly granted: false }>;

/** Links to sign in; a client has half of what is free at most, so that another one finds a permit. */
const SIGN_IN_MAILS = { permits: 8, maxOf: { client: 4 }, maxWaiting: 1_000 } as const;
/** Letters that a Workspace causes: they take nothing of what people wait for. */
const LETTERS = { permits: 8, maxOf: { workspace: 2 }, maxWaiting: 1_000 } as const;
/** Once nothing more is taken, another process takes it. */
const ENDING: NoRoom = { granted: false, by: 'all', retryAfterMs: 60_000 };
/** Within the time in which who invites is answered. */
const TURN_WITHIN_MS = 5_000;
/** Before the second and the third attempt at a mail that was certainly not sent. */
const RETRY_DELAYS_MS = [1_000, 5_000];

/**
 * Mails after the answer to the request that caused it, so that no answer tells by its time what was mailed. Only an
 * invitation is mailed before the answer, which tells the Member who invites whether it was sent. Modes:
 * open -> draining (what waits is finished, nothing more is taken) -> stopped (what waits is given up, and the mailer
 * is closed).
 *
 * Ranges of addresses that clients ask from take turns, and Workspaces in a pool of their own: one that asks for many
 * mails while the mail server is slow stops no other.
 */
export class MailQueue implements Service {
  readonly name = 'mail';
  readonly #options: MailQueueOptions;
  readonly #signInMails: FairPool<'client'>;
  readonly #letters: FairPool<'workspace'>;
  readonly #ending = new AbortController();
  /** What waits and what runs. */
  readonly #works = new Set<Promise<void>>();
  #mode: 'open' | 'draining' | 'stopped' = 'open';

  constructor(options: MailQueueOptions) {
    this.#options = options;
    this.#signInMails = options.pools.openForClients('sign-in-mails', SIGN_IN_MAILS);
    this.#letters = options.pools.open('letters', LETTERS);
  }

  /** Runs soon what mails a link to who asks from there, and reports its failure. Null: it will be run. */
  addForClient(client: string, work: Work): NoRoom | null {
    const noRoom = this.#add(this.#signInMails, { client }, work);
    if (noRoom !== null) this.#reportFull({ pool: 'sign-in-mails', limit: noRoom.by, client });
    return noRoom;
  }

  /** Runs soon what mails letters that a Workspace causes, and reports its failure. Null: it will be run. */
  addForWorkspace(workspaceId: string, work: Work): NoRoom | null {
    const noRoom = this.#add(this.#letters, { workspace: workspaceId }, work);
    if (noRoom !== null) this.#reportFull({ pool: 'letters', limit: noRoom.by, workspaceId });
    return noRoom;
  }

  /**
   * Hands a letter that a Workspace causes over, as `send` does, when the Workspace has its turn: one with many letters
   * takes neither all connections of the mail server nor the turns of others. `unavailable`: not within five seconds,
   * and the letter was not sent.
   */
  async sendForWorkspace(workspaceId: string, mail: Mail, purpose: LetterPurpose): Promise<PortError | null> {
    const giveUp = new AbortController();
    const cancel = this.#options.clock.after(TURN_WITHIN_MS, () => giveUp.abort());
    const signal = AbortSignal.any([this.#ending.signal, giveUp.signal]);
    const permit = this.#mode === 'open' ? await this.#letters.acquire({ workspace: workspaceId }, signal) : ENDING;
    cancel();
    if (!permit.granted) {
      this.#reportFull({ pool: 'letters', limit: permit.by, workspaceId });
      return new PortError(
        'unavailable',
        'other mails of this Workspace, or of this installation, are still being sent',
      );
    }
    const sending = this.send(mail, purpose).finally(permit.release);
    this.#known(sending);
    return sending;
  }

  /** Hands a mail over, three times if need be. Null: it was taken; otherwise why not, as reported. */
  async send(mail: Mail, purpose: LetterPurpose): Promise<PortError | null> {
    const { mailer, clock, reporter } = this.#options;
    const accountId = accountIdOf(mail.to);
    for (let attempt = 0; ; attempt++) {
      try {
        await mailer.send(mail);
        reporter.report('link-mailed', { purpose, accountId });
        return null;
      } catch (error) {
        if (!(error instanceof PortError)) throw error;
        reporter.failure('mail-failed', error);
        const delayMs = error.kind === 'unavailable' ? RETRY_DELAYS_MS[attempt] : undefined;
        if (delayMs === undefined || this.#ending.signal.aborted) {
          reporter.report('link-not-mailed', { purpose, accountId, kind: error.kind });
          return error;
        }
        await clock.sleep(delayMs, this.#ending.signal);
      }
    }
  }

  async start(): Promise<void> {}

  async drain(): Promise<void> {
    if (this.#mode === 'open') this.#mode = 'draining';
    await Promise.all(this.#works);
  }

  async stop(): Promise<void> {
    if (this.#mode === 'stopped') return;
    this.#mode = 'stopped';
    this.#ending.abort();
    await this.#options.mailer.close();
  }

  trouble(): string | null {
    return null;
  }

  #add<K extends 'client' | 'workspace'>(
    pool: FairPool<K>,
    holders: Readonly<Record<K, string>>,
    work: Work,
  ): NoRoom | null {
    if (this.#mode !== 'open') return ENDING;
    const permit = pool.tryAcquire(holders);
    if (!permit.granted && !pool.hasRoom(holders)) return permit;
    this.#known(this.#run(permit.granted ? permit : pool.acquire(holders, this.#ending.signal), work));
    return null;
  }

  /** `drain` waits for it. It does not reject. */
  #known(work: Promise<unknown>): void {
    const done = work.then(
      () => void this.#works.delete(done),
      () => void this.#works.delete(done),
    );
    this.#works.add(done);
  }

  #reportFull(facts: EventFacts<'pool-saturated'>): void {
    if (this.#mode === 'open') this.#options.reporter.report('pool-saturated', facts);
  }

  async #run<K extends string>(awaited: Permit<K> | Promise<Permit<K>>, work: Work): Promise<void> {
    const permit = await awaited;
    if (!permit.granted) return;
    try {
      await work();
    } catch (error) {
      this.#options.reporter.failure('mail-failed', error);
    } finally {
      permit.release();
    }
  }
}
