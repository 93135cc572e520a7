import { accountIdOf, emailOf, isMailbox } from '#domain/account.ts';
import { clientHolderOf } from '#http-server/client-holder.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { RateLimiter } from '#rate-limit/rate-limiter.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { signInLetter } from './letters.ts';
import type { MailQueue, NoRoom } from './mail-queue.ts';
import type { BrowserSessions } from './sessions.ts';
import type { SignInLinks } from './sign-in-links.ts';

export interface LinkRequestsOptions {
  readonly links: SignInLinks;
  readonly mail: MailQueue;
  readonly sessions: Pick<BrowserSessions, 'hasBegun'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'uuid7'>;
  readonly reporter: Reporter;
  readonly byAccount: Pick<RateLimiter, 'admit'>;
  readonly byClient: Pick<RateLimiter, 'admit'>;
}

export interface AskedLink {
  /** As it was typed. */
  readonly email: string;
  /** The address of the caller. */
  readonly client: string | undefined;
  /** SHA-256 of the key of the browser that asks. */
  readonly browserHash: string;
  /** Words for a person. */
  readonly browser: string;
  readonly returnPath: string;
  /** Sessions that its cookies say it has or had, by their hashes. */
  readonly claimedSessions: readonly string[];
}

export type AskedLinkOutcome =
  /** Whether anything is mailed is not reported: whether the address has an account, or asked too often. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'no-address' }
  /** Too many mails wait already: those that this client caused, or all of them. */
  | { readonly kind: 'no-room'; readonly by: NoRoom['by']; readonly retryAfterSeconds: number }
  | { readonly kind: 'too-many'; readonly retryAfterSeconds: number };

export const LINKS_BY_ACCOUNT = { limit: 10, windowMs: 3_600_000 } as const;
export const LINKS_BY_CLIENT = { limit: 30, windowMs: 600_000 } as const;
const LINK_MINUTES = 15;

/** Requests for links to sign in. */
export class LinkRequests {
  readonly #options: LinkRequestsOptions;

  constructor(options: LinkRequestsOptions) {
    this.#options = options;
  }

  /** Every address is taken alike and at once: the rest is done after the answer. Rejects with `PortError`. */
  async ask(asked: AskedLink): Promise<AskedLinkOutcome> {
    const { byClient, mail, reporter, ids, clock } = this.#options;
    const email = emailOf(asked.email);
    if (email === null || !isMailbox(email)) return { kind: 'no-address' };
    const client = clientHolderOf(asked.client);
    const { admitted, resetSeconds } = await byClient.admit(`links-of-client/${client}`, ids.uuid7(clock.now()));
    if (!admitted) {
      reporter.report('link-refused', { purpose: 'sign-in', client });
      return { kind: 'too-many', retryAfterSeconds: resetSeconds };
    }
    const noRoom = mail.addForClient(client, () => this.#mail(email, asked));
    if (noRoom === null) return { kind: 'taken' };
    reporter.report('link-refused', { purpose: 'sign-in', accountId: accountIdOf(email) });
    return { kind: 'no-room', by: noRoom.by, retryAfterSeconds: Math.ceil(noRoom.retryAfterMs / 1_000) };
  }

  async #mail(email: string, { browserHash, browser, returnPath, claimedSessions }: AskedLink): Promise<void> {
    const { byAccount, links, mail, clock, ids, reporter } = this.#options;
    const accountId = accountIdOf(email);
    const { admitted } = await byAccount.admit(await this.#holder(email, claimedSessions), ids.uuid7(clock.now()));
    if (!admitted) return reporter.report('link-refused', { purpose: 'sign-in', accountId });
    const askedAt = clock.now();
    const url = await links.make({
      email,
      purpose: 'sign-in',
      browserHash,
      returnPath,
      expiresAt: askedAt + LINK_MINUTES * 60_000,
      invitation: null,
    });
    await mail.send(signInLetter({ to: email, url, browser, askedAt, minutes: LINK_MINUTES }), 'sign-in');
  }

  /**
   * A browser in which the account was signed in before has a count of its own: otherwise whoever asks ten times an
   * hour for links of that address keeps its owner out.
   */
  async #holder(email: string, claimedSessions: readonly string[]): Promise<string> {
    for (const sessionHash of claimedSessions)
      if (await this.#options.sessions.hasBegun(email, sessionHash)) return `links-of-session/${sessionHash}`;
    return `links-of-account/${accountIdOf(email)}`;
  }
}
