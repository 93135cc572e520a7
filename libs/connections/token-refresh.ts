import { backoffMs, type Backoff } from '#concurrency/backoff.ts';
import { CLOCK_SKEW_MS } from '#domain/workspace/clock-skew.ts';
import type { Network } from '#domain/network.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { Ids } from '#ports/ids.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import {
  withoutVersion,
  type Connection,
  type ConnectionRows,
  type RefreshState,
  type StoredConnection,
} from '#tables/repositories/connections.ts';
import type { AuthAnswer, NetworkAuth, Tokens } from '#networks/contract/adapter.ts';
import { jitteredDueAt, openTokens, sealTokens } from './token-pair.ts';

export type RefreshResult =
  | { readonly kind: 'ok'; readonly stored: Connection; readonly tokens: Tokens }
  | { readonly kind: 'needs_reconnect'; readonly detail: string }
  | { readonly kind: 'unavailable'; readonly delayMs: number; readonly detail: string };

export interface TokenRefreshOptions {
  readonly rows: ConnectionRows;
  readonly secretBox: SecretBox;
  readonly http: HttpClient;
  readonly auths: Readonly<Partial<Record<Network, NetworkAuth>>>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly reporter: Reporter;
}

/** Longer than the call may take, so that no other process spends the same refresh token meanwhile. */
const LEASE_MS = 60_000;
const BUSY_DELAY_MS = 1_000;
/** Of a Network whose app an operator took away, and may set up again. */
const WITHOUT_APP_DELAY_MS = 5 * 60_000;
/** Of a Network that could not refresh the tokens. */
const REFRESH_BACKOFF: Backoff = { firstMs: 15_000, maxMs: 5 * 60_000 };
const STORE_ATTEMPTS = 7;
/** Of a store that does not take the new pair. */
const STORE_BACKOFF: Backoff = { firstMs: 200, maxMs: 6_400 };
const DAY_MS = 86_400_000;

/**
 * Gets a new token pair, one call at a time for each Channel: here by joining, across processes by a claim in the row.
 * The claim is durable before the Network is asked, and the new pair before it is used. A process that dies in
 * between, or a lost answer, may have spent a single-use refresh token: the next one tries it once more, and is refused
 * if so. Only such a definite refusal ends a connection; time-outs and 5xx never do.
 */
export class TokenRefresh {
  readonly #underWay = new Map<string, { readonly forced: boolean; readonly result: Promise<RefreshResult> }>();
  readonly #options: TokenRefreshOptions;

  constructor(options: TokenRefreshOptions) {
    this.#options = options;
  }

  /**
   * `stored`: the row as just read, not refused. `forced`: its access token is known to be dead, whatever its dates
   * say.
   */
  refresh(channelId: string, stored: StoredConnection, forced: boolean): Promise<RefreshResult> {
    const joined = this.#underWay.get(channelId);
    if (joined !== undefined) return forced && !joined.forced ? joined.result.then(askedAgainSoon) : joined.result;
    const result = this.#claimAndAsk(channelId, stored, forced).finally(() => this.#underWay.delete(channelId));
    this.#underWay.set(channelId, { forced, result });
    return result;
  }

  async #claimAndAsk(channelId: string, stored: StoredConnection, forced: boolean): Promise<RefreshResult> {
    const { rows, clock, ids, http, secretBox, auths } = this.#options;
    const now = clock.now();
    const { refresh } = stored;
    if (refresh.state === 'refused') return { kind: 'needs_reconnect', detail: refresh.detail };
    // A refused prolongation is not tried again for a day, as the token serves on: one that is dead does not.
    const waitMs = forced && isProlongationRefused(refresh) ? 0 : waitFor(refresh, now);
    if (waitMs > 0) {
      return refresh.state === 'claimed'
        ? { kind: 'unavailable', delayMs: Math.min(waitMs, BUSY_DELAY_MS), detail: 'The tokens are being refreshed.' }
        : { kind: 'unavailable', delayMs: waitMs, detail: COULD_NOT };
    }
    const auth = auths[stored.network];
    if (auth === undefined) {
      const detail = `This installation has no app on ${stored.network} any more.`;
      return { kind: 'unavailable', delayMs: WITHOUT_APP_DELAY_MS, detail };
    }
    const tokens = openTokens(secretBox, channelId, stored);
    const lostAnswers = refresh.lostAnswers + (refresh.state === 'claimed' ? 1 : 0);
    const claim: RefreshState = { state: 'claimed', until: now + LEASE_MS, failures: refresh.failures, lostAnswers };
    const claimed = await rows.replace(channelId, stored, { ...withoutVersion(stored), refresh: claim }, ids.token());
    if (claimed === null) return this.#asStored(channelId, stored.pair);
    const answer = await auth.refresh(http, tokens, now);
    if (answer.kind === 'ok') return this.#keep(channelId, claimed, auth, answer.value);
    return this.#release(channelId, claimed, { ...claim, tokens, forced }, answer);
  }

  /**
   * The pair exists only in this process until it is stored, and the old one may be dead. So writing it is tried
   * several times, also when another process wrote the row meanwhile.
   */
  async #keep(channelId: string, claimed: StoredConnection, auth: NetworkAuth, tokens: Tokens): Promise<RefreshResult> {
    const { rows, clock, ids, secretBox, reporter } = this.#options;
    const issuedAt = clock.now();
    const next: Connection = {
      ...withoutVersion(claimed),
      sealed: sealTokens(secretBox, channelId, tokens),
      pair: claimed.pair + 1,
      issuedAt,
      expiresAt: tokens.expiresAt,
      refreshDueAt: jitteredDueAt(auth, tokens, issuedAt, ids.random()),
      refresh: { state: 'idle', notBefore: 0, failures: 0, lostAnswers: 0 },
    };
    let over: StoredConnection | null = claimed;
    for (let attempt = 1; ; attempt++) {
      try {
        // A row with the pair that we claimed is older than what we have; a newer pair (a reconnect) is newer.
        if (over === null || over.pair !== claimed.pair) return await this.#asStored(channelId, claimed.pair);
        if ((await rows.replace(channelId, over, next, ids.token())) !== null) break;
        over = await rows.find(channelId, { serial: true });
      } catch (error) {
        if (!(error instanceof PortError) || attempt >= STORE_ATTEMPTS) {
          reporter.failure('connection-tokens-lost', error, { channelId, network: claimed.network });
          throw error;
        }
        await clock.sleep(backoffMs(STORE_BACKOFF, attempt - 1));
        over = await rows.find(channelId, { serial: true }).catch(() => over);
      }
    }
    reporter.report('connection-refreshed', { channelId, network: claimed.network });
    return { kind: 'ok', stored: next, tokens };
  }

  async #release(
    channelId: string,
    claimed: StoredConnection,
    was: { readonly tokens: Tokens; readonly forced: boolean; readonly failures: number; readonly lostAnswers: number },
    answer: Exclude<AuthAnswer<Tokens>, { readonly kind: 'ok' }>,
  ): Promise<RefreshResult> {
    const { rows, clock, ids, reporter } = this.#options;
    const now = clock.now();
    const { detail } = answer.summary;
    const facts = { channelId, network: claimed.network, status: answer.summary.status, detail };
    // Where the access token prolongs itself, a refused prolongation leaves it good until its end.
    const servesOn =
      answer.kind === 'refused' && was.tokens.refreshToken === null && !was.forced && now < claimed.expiresAt;
    if (answer.kind === 'refused' && !servesOn) {
      const lost = was.lostAnswers > 0 ? ' (the answer to an earlier refresh was lost)' : '';
      const refused: RefreshState = { state: 'refused', detail: `${detail}${lost}`, at: now };
      if (
        (await rows.replace(channelId, claimed, { ...withoutVersion(claimed), refresh: refused }, ids.token())) === null
      ) {
        return this.#asStored(channelId, claimed.pair);
      }
      reporter.report('connection-refresh-refused', facts);
      return { kind: 'needs_reconnect', detail: refused.detail };
    }
    const delayMs = servesOn ? DAY_MS : backoffMs(REFRESH_BACKOFF, was.failures);
    const lostAnswers = was.lostAnswers + (answer.kind === 'unavailable' && answer.sent ? 1 : 0);
    const idle: RefreshState = {
      state: 'idle',
      notBefore: now + delayMs,
      failures: Math.min(was.failures + 1, 10),
      lostAnswers,
      ...(servesOn && { prolongationRefused: true }),
    };
    const moved =
      (await rows.replace(channelId, claimed, { ...withoutVersion(claimed), refresh: idle }, ids.token())) === null;
    if (moved) return this.#asStored(channelId, claimed.pair);
    reporter.report('connection-refresh-failed', facts);
    return { kind: 'unavailable', delayMs, detail };
  }

  /** The row moved under us: by a newer pair, which serves, or by another claim or verdict. */
  async #asStored(channelId: string, pair: number): Promise<RefreshResult> {
    const stored = await this.#options.rows.find(channelId, { serial: true });
    if (stored === null) return { kind: 'needs_reconnect', detail: 'The Channel has no connection.' };
    if (stored.refresh.state === 'refused') return { kind: 'needs_reconnect', detail: stored.refresh.detail };
    if (stored.pair !== pair)
      return { kind: 'ok', stored, tokens: openTokens(this.#options.secretBox, channelId, stored) };
    return { kind: 'unavailable', delayMs: BUSY_DELAY_MS, detail: 'The tokens are being refreshed.' };
  }
}

const COULD_NOT = 'The Network could not refresh the tokens; it is asked again later.';

function isProlongationRefused(refresh: RefreshState): boolean {
  return refresh.state === 'idle' && refresh.prolongationRefused === true;
}

/** For who knows the token to be dead, and joined a refresh by who did not: how long to wait is told by the row. */
function askedAgainSoon(result: RefreshResult): RefreshResult {
  return result.kind === 'unavailable' ? { ...result, delayMs: Math.min(result.delayMs, BUSY_DELAY_MS) } : result;
}

/**
 * Milliseconds until the Network may be asked. A wait longer than any that is ever set was set by a clock that led, and
 * is none: it would last for as long as that clock had led.
 */
export function waitFor(refresh: Exclude<RefreshState, { state: 'refused' }>, now: number): number {
  const [until, longestMs] = refresh.state === 'claimed' ? [refresh.until, LEASE_MS] : [refresh.notBefore, DAY_MS];
  return until - now > longestMs + CLOCK_SKEW_MS ? 0 : Math.max(0, until - now);
}
