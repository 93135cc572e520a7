import type { Account } from '../accounts.ts';
import { consent } from '../consent.ts';
import { html } from '../exchange.ts';
import type { Answer, Incoming } from '../exchange.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import { itemPage, missingPage } from '../feed-page.ts';
import type { Holder } from '../grants.ts';
import { createLimits } from '../limits.ts';
import type { Call, Simulator, SimulatorDeps } from '../simulator.ts';
import { shelf } from '../store/store.ts';
import { LISTED_AFTER_MS } from '../timing.ts';
import { NEEDED_SCOPES, X_CALLS } from './calls.ts';
import type { AccountCall, XCall } from './calls.ts';
import { createPost, SHOWN_MEDIA } from './create-post.ts';
import type { ShownMedia } from './create-post.ts';
import { playFault, X_FAULTS } from './faults.ts';
import { me } from './me.ts';
import { appendSegment, describeMedia, finalizeUpload, initializeUpload, uploadStatus, uploadWhole } from './media.ts';
import type { MediaDeps } from './media.ts';
import { xConsentRules, xRevoke, xToken } from './oauth.ts';
import { missingScope, notFound, problem, tooManyRequests, unauthorized, withHeaders } from './problems.ts';
import { createRateWindows, X_LIMITS } from './rate-windows.ts';
import type { RateWindows } from './rate-windows.ts';
import { timeline } from './timeline.ts';

export interface XDeps extends SimulatorDeps {
  /** Whether the second use of a refresh token ends the grant. */
  readonly reuseEndsGrant: boolean;
}

/** What came with a call beside its address. */
interface Sent {
  /** The part called `media`. */
  readonly bytes: Uint8Array | null;
  readonly fields: URLSearchParams;
  readonly fault: Fault<NetworkFault> | null;
}

/** A call on behalf of an account: who is it, are they within the limits, may they. */
function accountCall(request: Incoming, name: AccountCall, deps: XDeps & { readonly windows: RateWindows }, work: (holder: Holder, sent: Sent) => Answer): Call {
  return {
    name,
    async perform(fault) {
      const parts = await request.parts();
      const file = parts?.get('media') ?? null;
      const bytes = file === null ? null : typeof file === 'string' ? new TextEncoder().encode(file) : await file.bytes();
      const fields = new URLSearchParams();
      for (const [field, value] of parts ?? []) if (typeof value === 'string') fields.set(field, value);
      const value = /^Bearer (\S+)$/i.exec(request.header('authorization'))?.[1] ?? '';
      const found = deps.grants.look('x', value, deps.clock.now());
      if (found.state !== 'live' || found.token.kind !== 'access') return unauthorized();
      const played = fault === null ? null : playFault(fault, name, found, deps);
      if (played !== null) return played;
      const { admitted, headers } = deps.windows.admit(name, found.account.accountId, deps.clock.now());
      if (!admitted) return withHeaders(tooManyRequests(), headers);
      const missing = NEEDED_SCOPES[name].filter((scope) => !found.grant.scopes.includes(scope));
      return withHeaders(missing.length > 0 ? missingScope(missing) : work(found, { bytes, fields, fault }), headers);
    },
  };
}

/** The page of a post. `i` stands for a user whose name isn't known. */
function postPage(username: string, id: string, { accounts, items, baseUrl }: XDeps): Answer {
  const named = accounts.byUsername('x', username);
  const candidates: readonly Account[] = username === 'i' ? accounts.list('x') : named === null ? [] : [named];
  for (const account of candidates) {
    const item = items.get('x', account.accountId, id);
    if (item !== null) return html(200, itemPage(account, item, baseUrl()));
  }
  return html(404, missingPage());
}

/** api.x.com and x.com in one: sign-in, media, posts, their timeline. */
export function createXSimulator(deps: XDeps): Simulator {
  const { accounts, grants, items, clock, timing } = deps;
  const limits = createLimits(deps.store, 'x', X_LIMITS);
  const caller = { ...deps, windows: createRateWindows(deps.store, limits) };
  const plain = (name: XCall | 'page', perform: () => Answer): Call => ({ name, perform });
  const rules = () => ({ app: deps.app, grants, now: clock.now(), reuseEndsGrant: deps.reuseEndsGrant });
  const readTimeline = (request: Incoming, userId: string): Answer => {
    const author = accounts.get(userId);
    const listedUntil = clock.now() - timing.scaled('x', LISTED_AFTER_MS);
    const mediaKeysOf = (postId: string) => shelf<ShownMedia>(deps.store, SHOWN_MEDIA).get(postId)?.keys ?? [];
    return timeline(request.query, userId, author?.network === 'x' ? author : null, { items, mediaKeysOf, listedUntil });
  };
  const mediaCall = (request: Incoming, name: AccountCall, work: (media: MediaDeps, sent: Sent) => Answer): Call =>
    accountCall(request, name, caller, ({ account }, sent) => work({ ...deps, account, now: clock.now(), fault: sent.fault }, sent));
  const media = (request: Incoming, id: string, verb: string): Call | null => {
    switch (`${request.method} ${id === '' ? '' : '{id}'}/${verb}`) {
      case 'POST /':
        return mediaCall(request, 'media.upload', (given, { bytes, fields }) => uploadWhole(bytes, fields.get('media_category') ?? '', given));
      case 'GET /':
        return mediaCall(request, 'media.status', (given) => uploadStatus(request.query, given));
      case 'POST {id}/append':
        return mediaCall(request, 'media.append', (given, { bytes, fields }) => appendSegment(id, bytes, fields.get('segment_index') ?? '', given));
      case 'POST {id}/finalize':
        return mediaCall(request, 'media.finalize', (given) => finalizeUpload(id, given));
      default:
        return null;
    }
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
          return plain('oauth.authorize', () => consent(request, xConsentRules(deps.app), { accounts, grants, now: clock.now() }));
        case 'POST /2/oauth2/token':
          return plain('oauth.token', () => xToken(request, rules()));
        case 'POST /2/oauth2/revoke':
          return plain('oauth.revoke', () => xRevoke(request, rules()));
        case 'GET /2/users/me':
          return accountCall(request, 'users.me', caller, ({ account }) => me(request.query, account, deps.baseUrl()));
        case 'POST /2/tweets':
          return accountCall(request, 'tweets.create', caller, ({ account }) => createPost(request, { ...deps, account, now: clock.now() }));
      }
      if (address === 'POST /2/media/upload/initialize') return mediaCall(request, 'media.initialize', (given) => initializeUpload(request, given));
      if (address === 'POST /2/media/metadata') return mediaCall(request, 'media.metadata', (given) => describeMedia(request, given));
      if (first === '2' && second === 'media' && third === 'upload' && path.length !== 4) return media(request, fourth ?? '', path[4] ?? '');
      if (request.method !== 'GET') return null;
      if (path.length === 4 && first === '2' && second === 'users' && fourth === 'tweets') {
        return accountCall(request, 'users.tweets', caller, () => readTimeline(request, third));
      }
      return path.length === 3 && second === 'status' ? plain('page', () => postPage(first!, third, deps)) : null;
    },
    unknownAddress: (request) => notFound(request.path),
    serverError: (when) =>
      when === 'before' ? problem(503, 'Service Unavailable', 'Service Unavailable') : problem(500, 'Internal Server Error', 'Internal Server Error'),
  };
}
