import assert from 'node:assert/strict';
import { accountIdOf } from '#domain/account.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Mail, Mailer } from '#ports/mailer.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { Service } from '#runtime/service.ts';

export interface MailQueueOptions {
  readonly mailer: Mailer;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly reporter: Reporter;
}

export type LetterPurpose = 'sign-in' | 'invitation' | 'endpoint';

/** Work beyond this is dropped: people ask again for a link that does not come. */
const MAX_WAITING = 1_000;
const AT_ONCE = 8;
/** Before the second and the third attempt at a mail that was certainly not sent. */
const RETRY_DELAYS_MS = [1_000, 5_000];

/**
 * Mails after the answer to the request that caused it, so that no answer tells by its time what was mailed. Modes:
 * open -> draining (what waits is finished, nothing more is taken) -> stopped (what waits is given up, and the mailer
 * is closed).
 */
export class MailQueue implements Service {
  readonly name = 'mail';
  readonly #options: MailQueueOptions;
  readonly #ending = new AbortController();
  readonly #waiting: (() => Promise<void>)[] = [];
  #running = 0;
  #mode: 'open' | 'draining' | 'stopped' = 'open';
  #idle = Promise.withResolvers<void>();

  constructor(options: MailQueueOptions) {
    this.#options = options;
  }

  /** Runs the work soon, and reports its failure. False: too much waits already, or the process ends. */
  add(work: () => Promise<void>): boolean {
    if (this.#mode !== 'open' || this.#waiting.length >= MAX_WAITING) return false;
    this.#waiting.push(work);
    this.#next();
    return true;
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
    if (this.#running > 0) await this.#idle.promise;
  }

  async stop(): Promise<void> {
    if (this.#mode === 'stopped') return;
    this.#mode = 'stopped';
    this.#waiting.length = 0;
    this.#ending.abort();
    await this.#options.mailer.close();
  }

  trouble(): string | null {
    return null;
  }

  #next(): void {
    if (this.#running >= AT_ONCE) return;
    const work = this.#waiting.shift();
    if (work === undefined) {
      if (this.#running > 0) return;
      this.#idle.resolve();
      this.#idle = Promise.withResolvers();
      return;
    }
    this.#running += 1;
    void this.#run(work);
  }

  async #run(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.reporter.failure('mail-failed', error);
    }
    assert(this.#running > 0, 'more work ended than began');
    this.#running -= 1;
    this.#next();
  }
}
