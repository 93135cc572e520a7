import type { Account } from '../accounts.ts';
import { consent } from '../consent.ts';
import { html, isRecord, type SandboxAnswer, type Incoming } from '../exchange.ts';
import { itemPage, missingPage } from '../feed-page.ts';
import { createLimits } from '../limits.ts';
import type { SimulatorCall, Simulator, SimulatorOptions } from '../simulator.ts';
import { shelf } from '../store/store.ts';
import { LISTED_AFTER_MS } from '../timing.ts';
import { accountCall } from './account-call.ts';
import { X_CALLS, type XCall } from './calls.ts';
import { createPost, SHOWN_MEDIA, type ShownMedia } from './create-post.ts';
import { X_FAULTS } from './faults.ts';
import { me } from './me.ts';
import { mediaCall } from './media-calls.ts';
import { xConsentRules, xRevoke, xToken } from './oauth.ts';
import { notFound, problem } from './problems.ts';
import { createRateWindows, X_LIMITS } from './rate-windows.ts';
import { createReplies } from './replies.ts';
import { timeline } from './timeline.ts';

export interface XSimulatorOptions extends SimulatorOptions {
  /** Whether the second use of a refresh token ends the grant. */
  readonly reuseEndsGrant: boolean;
}

/** The page of a post. `i` stands for an unknown user name. */
function postPage(username: string, id: string, { accounts, items, baseUrl }: XSimulatorOptions): SandboxAnswer {
  const named = accounts.byUsername('x', username);
  const candidates: readonly Account[] = username === 'i' ? accounts.list('x') : named === null ? [] : [named];
  for (const account of candidates) {
    const item = items.get('x', account.accountId, id) ?? items.commentOf('x', account.accountId, id)?.item ?? null;
    if (item !== null) return html(200, itemPage(account, item, baseUrl()));
  }
  return html(404, missingPage());
}

/** X has one call for both; the list of calls and faults tell replies apart. */
function isReply(request: Incoming): boolean {
  const body = request.json();
  return isRecord(body) && body['reply'] !== undefined;
}

/** api.x.com and x.com in one: sign-in, media, posts, their timeline. */
export function createXSimulator(options: XSimulatorOptions): Simulator {
  const { accounts, grants, appStates, items, clock, timing } = options;
  const limits = createLimits(options.store, 'x', X_LIMITS);
  const caller = { ...options, windows: createRateWindows(options.store, limits) };
  const plain = (name: XCall | 'page', perform: () => SandboxAnswer): SimulatorCall => ({ name, perform });
  const rules = () => ({ app: options.app, grants, now: clock.now(), reuseEndsGrant: options.reuseEndsGrant });
  const readTimeline = (request: Incoming, userId: string): SandboxAnswer => {
    const author = accounts.get(userId);
    const listedUntil = clock.now() - timing.scaled('x', LISTED_AFTER_MS);
    const mediaKeysOf = (postId: string) => shelf<ShownMedia>(options.store, SHOWN_MEDIA).get(postId)?.keys ?? [];
    return timeline(request.query, userId, author?.network === 'x' ? author : null, {
      items,
      replies: createReplies(options.store),
      mediaKeysOf,
      listedUntil,
      mostListed: limits.get('timelinePosts'),
    });
  };
  return {
    network: 'x',
    calls: X_CALLS,
    irreversible: 'tweets.create',
    faults: X_FAULTS,
    limits,
    match(request, path) {
      const address = `${request.method} /${path.join('/')}`;
      const [first, second = '', third = '', fourth] = path;
      switch (address) {
        case 'GET /i/oauth2/authorize':
        case 'POST /i/oauth2/authorize':
          return plain('oauth.authorize', () =>
            consent(request, xConsentRules(options.app), { accounts, grants, appStates, now: clock.now() }),
          );
        case 'POST /2/oauth2/token':
          return plain('oauth.token', () => xToken(request, rules()));
        case 'POST /2/oauth2/revoke':
          return plain('oauth.revoke', () => xRevoke(request, rules()));
        case 'GET /2/users/me':
          return accountCall(request, 'users.me', caller, ({ account }) =>
            me(request.query, account, options.baseUrl()),
          );
        case 'POST /2/tweets':
          return accountCall(request, isReply(request) ? 'tweets.reply' : 'tweets.create', caller, ({ account }) =>
            createPost(request, { ...options, account, now: clock.now() }),
          );
      }
      if (first === '2' && second === 'media') return mediaCall(request, path.slice(2), caller);
      if (request.method !== 'GET') return null;
      if (path.length === 4 && first === '2' && second === 'users' && fourth === 'tweets') {
        return accountCall(request, 'users.tweets', caller, () => readTimeline(request, third));
      }
      return path.length === 3 && second === 'status' ? plain('page', () => postPage(first!, third, options)) : null;
    },
    unknownAddress: (request) => notFound(request.path),
    serverError: (when) =>
      when === 'before'
        ? problem(503, 'Service Unavailable', 'Service Unavailable')
        : problem(500, 'Internal Server Error', 'Internal Server Error'),
  };
}
