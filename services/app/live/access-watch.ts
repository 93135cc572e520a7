import type { Cancel, Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { Membership } from '#tables/repositories/memberships.ts';
import type { StoredSession } from '#tables/repositories/sessions.ts';

/** By whom an open page was asked for, and for which Workspace. */
export interface PageViewer {
  readonly accountId: string;
  readonly sessionHash: string;
  readonly workspaceId: string;
}

export interface AccessWatchOptions {
  /** Both reject with `PortError`. */
  readonly memberships: (accountId: string) => Promise<readonly Membership[]>;
  readonly sessions: { list(accountId: string): Promise<readonly Pick<StoredSession, 'sessionHash'>[]> };
  readonly clock: Pick<Clock, 'after'>;
  readonly reporter: Reporter;
}

/** A Member who left, or signed out elsewhere, hears nothing after this long. */
const CHECK_EVERY_MS = 5_000;

interface OpenPage extends PageViewer {
  readonly lose: () => void;
}

interface WatchedAccount {
  readonly pages: Set<OpenPage>;
  cancel: Cancel;
}

/**
 * Ends open pages of people who signed out, or are no Members any more. An account is read once every 5 s, however many
 * pages it has open in this process, and not at all when it has none.
 */
export class AccessWatch {
  readonly #options: AccessWatchOptions;
  readonly #accounts = new Map<string, WatchedAccount>();

  constructor(options: AccessWatchOptions) {
    this.#options = options;
  }

  /** Calls `lose` once, when the page may not be told anything any more. Returns how to end that. */
  watch(access: PageViewer, lose: () => void): () => void {
    const page: OpenPage = { ...access, lose };
    const { accountId } = access;
    let account = this.#accounts.get(accountId);
    if (account === undefined) {
      account = { pages: new Set(), cancel: () => {} };
      this.#accounts.set(accountId, account);
      this.#checkLater(accountId, account);
    }
    account.pages.add(page);
    return () => this.#forget(accountId, account, page);
  }

  #forget(accountId: string, account: WatchedAccount, page: OpenPage): void {
    account.pages.delete(page);
    if (account.pages.size > 0 || this.#accounts.get(accountId) !== account) return;
    account.cancel();
    this.#accounts.delete(accountId);
  }

  #checkLater(accountId: string, account: WatchedAccount): void {
    account.cancel = this.#options.clock.after(CHECK_EVERY_MS, () => {
      void this.#check(accountId, account).finally(() => {
        if (this.#accounts.get(accountId) === account) this.#checkLater(accountId, account);
      });
    });
  }

  /** Never rejects. A store that is away is no reason to cut pages off: what they show comes from the same store. */
  async #check(accountId: string, { pages }: WatchedAccount): Promise<void> {
    const { memberships, sessions, reporter } = this.#options;
    // A page that is opened while the rows are read may belong to a session that is not among them yet.
    const known = [...pages];
    try {
      const [all, browsers] = await Promise.all([memberships(accountId), sessions.list(accountId)]);
      const present = new Set(all.filter(({ removed }) => !removed).map(({ workspaceId }) => workspaceId));
      const signedIn = new Set(browsers.map(({ sessionHash }) => sessionHash));
      for (const page of known)
        if (pages.has(page) && !(present.has(page.workspaceId) && signedIn.has(page.sessionHash))) page.lose();
    } catch (error) {
      if (!(error instanceof PortError)) reporter.failure('page-access-unchecked', error, { accountId });
    }
  }
}
