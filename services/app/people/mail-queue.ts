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

type Work = () => Promise<void>;

export type LetterPurpose = 'sign-in' | 'invitation' | 'endpoint';

/** Of all holders together; work beyond it is refused. */
const MAX_WAITING = 1_000;
const AT_ONCE = 8;
/** Before the second and the third attempt at a mail that was certainly not sent. */
const RETRY_DELAYS_MS = [1_000, 5_000];

/**
 * Mails after the answer to the request that caused it, so that no answer tells by its time what was mailed. Modes:
 * open -> draining (what waits is finished, nothing more is taken) -> stopped (what waits is given up, and the mailer
 * is closed).
 *
 * Holders, the ranges of addresses that clients ask from, take turns, and each may have as much waiting as room is left
 * and as much running as is free: one that asks for many mails while the mail server is slow stops no other.
 */
export class MailQueue implements Service {
  readonly name = 'mail';
  readonly #options: MailQueueOptions;
  readonly #ending = new AbortController();
  /** By holder, in the order of their turns. */
  readonly #waiting = new Map<string, Work[]>();
  readonly #runningOf = new Map<string, number>();
  #waits = 0;
  #running = 0;
  #mode: 'open' | 'draining' | 'stopped' = 'open';
  #idle = Promise.withResolvers<void>();

  constructor(options: MailQueueOptions) {
    this.#options = options;
  }

  /** Runs the work soon, and reports its failure. False: too much waits already, or the process ends. */
  add(holder: string, work: Work): boolean {
    const own = this.#waiting.get(holder) ?? [];
    if (this.#mode !== 'open' || own.length >= MAX_WAITING - this.#waits) return false;
    own.push(work);
    this.#waiting.set(holder, own);
    this.#waits += 1;
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
    this.#waiting.clear();
    this.#waits = 0;
    this.#ending.abort();
    await this.#options.mailer.close();
  }

  trouble(): string | null {
    return null;
  }

  #next(): void {
    const free = AT_ONCE - this.#running;
    for (const [holder, own] of this.#waiting) {
      const runs = this.#runningOf.get(holder) ?? 0;
      if (runs >= free) continue;
      const work = own.shift()!;
      this.#waits -= 1;
      // Behind all others that wait.
      this.#waiting.delete(holder);
      if (own.length > 0) this.#waiting.set(holder, own);
      this.#runningOf.set(holder, runs + 1);
      this.#running += 1;
      return void this.#run(holder, work);
    }
    if (this.#running > 0) return;
    this.#idle.resolve();
    this.#idle = Promise.withResolvers();
  }

  async #run(holder: string, work: Work): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.reporter.failure('mail-failed', error);
    }
    assert(this.#running > 0, 'more work ended than began');
    this.#running -= 1;
    const runs = this.#runningOf.get(holder)! - 1;
    if (runs === 0) this.#runningOf.delete(holder);
    else this.#runningOf.set(holder, runs);
    // What ended may have made room for two: for its own holder, and for one that had as much running as was free.
    this.#next();
    this.#next();
  }
}
