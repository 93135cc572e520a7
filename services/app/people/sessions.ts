import { hash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { accountIdOf } from '#domain/account.ts';
import { addCookie, cookieOf } from '#http-server/cookies.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { SessionRows, StoredSession } from '#tables/repositories/sessions.ts';
import { SESSION_COOKIE } from '#http-server/form-guard.ts';
import type { Sessions, SignedIn } from './signed-in.ts';

export interface BrowserSessionsOptions {
  readonly rows: SessionRows;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'token'>;
  readonly reporter: Reporter;
  /** The address of the installation, without a slash at the end. */
  readonly publicUrl: string;
}

/** The secret of a session that is yet to be made. Only the browser gets it; rows know its hash. */
export interface SessionSecret {
  readonly value: string;
  readonly hash: string;
}

export type EndCause = 'sign-out' | 'list' | 'replaced' | 'too-many';

const DAY_MS = 86_400_000;
const SESSION_MS = 30 * DAY_MS;
const SEEN_EVERY_MS = 3_600_000;
const MAX_SESSIONS = 50;
const COOKIE = /^([\da-f]{64})\.([\w-]{43})$/;
/** Stays when a session ends, and says by its hash, which opens nothing, that this browser had it. */
const KNOWN_COOKIE = 'crier_known';
const KNOWN_SECONDS = (60 * DAY_MS) / 1_000;
const HASH = /^[\da-f]{64}$/;

/**
 * Sessions of browsers. A cookie names the account and holds a secret of 32 random bytes; the row is found by the
 * secret's hash. Every sign-in makes a new session, so one that somebody planted in a browser never becomes another
 * account's.
 */
export class BrowserSessions implements Sessions {
  readonly #options: BrowserSessionsOptions;

  constructor(options: BrowserSessionsOptions) {
    this.#options = options;
  }

  async current(request: Pick<IncomingMessage, 'headers'>): Promise<SignedIn | null> {
    const session = await this.#session(request);
    if (session === null) return null;
    const { accountId, email, sessionHash } = session;
    return { accountId, email, sessionHash };
  }

  newSecret(): SessionSecret {
    const value = this.#options.ids.token(32);
    return { value, hash: hashOf(value) };
  }

  /**
   * Makes the session of a secret, and ends the oldest of more than 50. False: it was prevented, and whoever did that
   * signs in instead. Rejects with `PortError`.
   */
  async begin({ hash: sessionHash }: SessionSecret, email: string, browser: string): Promise<boolean> {
    const { rows, clock } = this.#options;
    const accountId = accountIdOf(email);
    const now = clock.now();
    const session = { email, createdAt: now, expiresAt: now + SESSION_MS, lastSeenAt: now, browser };
    // Before the row is there: a process that dies here leaves a link that can be used again.
    const others = await this.list(accountId);
    for (const oldest of others.slice(MAX_SESSIONS - 1)) await this.#end(oldest, 'too-many');
    return rows.create(accountId, sessionHash, session);
  }

  /** Whether the session of this hash was made. */
  hasBegun(email: string, sessionHash: string): Promise<boolean> {
    return this.#options.rows.wasMade(accountIdOf(email), sessionHash);
  }

  /** True: no browser has the session of this hash, and none will. False: one had it. */
  neverBegins(email: string, sessionHash: string): Promise<boolean> {
    return this.#options.rows.prevent(accountIdOf(email), sessionHash);
  }

  /** Newest first, without expired ones. */
  async list(accountId: string): Promise<readonly StoredSession[]> {
    const now = this.#options.clock.now();
    const all = await this.#options.rows.list(accountId);
    return all.filter(({ expiresAt }) => expiresAt > now).sort((one, other) => other.createdAt - one.createdAt);
  }

  /** Ends a session of the account; harmless when there is none. */
  async end(accountId: string, sessionHash: string, cause: EndCause): Promise<void> {
    // A page that was just served may have noted when the session was seen; then it is read once more.
    for (let look = 0; look < 3; look++) {
      const session = await this.#options.rows.find(accountId, sessionHash);
      if (session === null || (await this.#end(session, cause))) return;
    }
  }

  giveCookie(response: ServerResponse, email: string, secret: SessionSecret): void {
    const value = `${accountIdOf(email)}.${secret.value}`;
    addCookie(response, { ...this.#cookie, value, maxAgeSeconds: SESSION_MS / 1000 });
    addCookie(response, { ...this.#cookie, name: KNOWN_COOKIE, value: secret.hash, maxAgeSeconds: KNOWN_SECONDS });
  }

  /** The hashes of the sessions that the browser says it has or had, of whatever accounts; `hasBegun` knows whose. */
  claimed(request: Pick<IncomingMessage, 'headers'>): readonly string[] {
    const secret = COOKIE.exec(cookieOf(request, this.#cookie) ?? '')?.[2];
    const known = cookieOf(request, { ...this.#cookie, name: KNOWN_COOKIE }) ?? '';
    return [...(secret === undefined ? [] : [hashOf(secret)]), ...(HASH.test(known) ? [known] : [])];
  }

  takeCookie(response: ServerResponse): void {
    addCookie(response, { ...this.#cookie, value: '', maxAgeSeconds: 0 });
  }

  get #cookie() {
    return { name: SESSION_COOKIE, secure: this.#options.publicUrl.startsWith('https:') } as const;
  }

  async #session(request: Pick<IncomingMessage, 'headers'>): Promise<StoredSession | null> {
    const [, accountId, secret] = COOKIE.exec(cookieOf(request, this.#cookie) ?? '') ?? [];
    if (accountId === undefined || secret === undefined) return null;
    const session = await this.#options.rows.find(accountId, hashOf(secret));
    const now = this.#options.clock.now();
    if (session === null || session.expiresAt <= now) return null;
    if (now - session.lastSeenAt >= SEEN_EVERY_MS) await this.#note(session, now);
    return session;
  }

  /** When a session was last seen is for people to read: that it can not be noted keeps nobody out. */
  async #note(session: StoredSession, now: number): Promise<void> {
    try {
      await this.#options.rows.replace(session, { ...session, lastSeenAt: now });
    } catch (error) {
      this.#options.reporter.failure('session-not-noted', error, { accountId: session.accountId });
    }
  }

  async #end(session: StoredSession, cause: EndCause): Promise<boolean> {
    const ended = await this.#options.rows.end(session);
    if (ended) this.#options.reporter.report('session-ended', { cause, accountId: session.accountId });
    return ended;
  }
}

function hashOf(secret: string): string {
  return hash('sha256', secret, 'hex');
}
