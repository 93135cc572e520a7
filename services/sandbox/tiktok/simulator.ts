import { consent } from '../consent.ts';
import { html, isRecord } from '../exchange.ts';
import type { Answer, Incoming } from '../exchange.ts';
import { itemPage, missingPage } from '../feed-page.ts';
import type { Holder } from '../grants.ts';
import { createLimits } from '../limits.ts';
import type { Call, Simulator, SimulatorDeps } from '../simulator.ts';
import { createUses } from '../uses.ts';
import { TIKTOK_LIMITS } from './asked.ts';
import type { Asked, TiktokDeps } from './asked.ts';
import { NEEDED_SCOPE, TIKTOK_CALLS } from './calls.ts';
import type { AccountCall, TiktokCall } from './calls.ts';
import { internalError, invalidToken, missingScope, refused } from './envelope.ts';
import { playFault, TIKTOK_FAULTS } from './faults.ts';
import { creatorInfo, initPhotos, initVideo } from './init.ts';
import { tiktokConsentRules, tiktokRevoke, tiktokToken } from './oauth.ts';
import { createPublications } from './publications.ts';
import { cancel, fetchStatus, listVideos, userInfo } from './read.ts';
import { putChunk } from './upload.ts';

type Work = (asked: Asked, deps: TiktokDeps, holder: Holder) => Answer | Promise<Answer>;

const CALLS: Readonly<Record<string, readonly [AccountCall, Work]>> = {
  'GET v2/user/info': ['user.info', (asked, deps, { grant }) => userInfo(asked, grant.scopes, deps) ?? missingScope()],
  'POST v2/post/publish/creator_info/query': ['creator_info', creatorInfo],
  'POST v2/post/publish/video/init': ['video.init', initVideo],
  'POST v2/post/publish/content/init': ['content.init', initPhotos],
  'POST v2/post/publish/status/fetch': ['status.fetch', fetchStatus],
  'POST v2/post/publish/cancel': ['publish.cancel', cancel],
  'POST v2/video/list': ['video.list', listVideos],
};

/** A call on behalf of an account: who is it, may they. */
function accountCall(request: Incoming, name: AccountCall, deps: TiktokDeps, work: Work): Call {
  return {
    name,
    perform(fault) {
      const now = deps.clock.now();
      const holder = deps.grants.look('tiktok', /^Bearer (\S+)$/i.exec(request.header('authorization'))?.[1] ?? '', now);
      if (holder.state !== 'live' || holder.token.kind !== 'access') return invalidToken();
      const played = fault === null ? null : playFault(fault, holder, deps.grants);
      if (played !== null) return played;
      if (!holder.grant.scopes.includes(NEEDED_SCOPE[name])) return missingScope();
      const body = request.json();
      return work({ body: isRecord(body) ? body : {}, query: request.query, account: holder.account, fault, now }, deps, holder);
    },
  };
}

/** The page of a post: `/@user/video/{id}` or `/@user/photo/{id}`. */
function postPage([user = '', , postId = '']: readonly string[], { accounts, items, baseUrl }: TiktokDeps): Answer {
  const account = accounts.byUsername('tiktok', user.slice(1));
  const item = account === null ? null : items.get('tiktok', account.accountId, postId);
  return account === null || item === null ? html(404, missingPage()) : html(200, itemPage(account, item, baseUrl()));
}

/** www.tiktok.com, open.tiktokapis.com and its upload host in one: videos and photos by Direct Post. */
export function createTiktokSimulator(given: SimulatorDeps): Simulator {
  const limits = createLimits(given.store, 'tiktok', TIKTOK_LIMITS);
  const deps: TiktokDeps = { ...given, limits, publications: createPublications(given.store), uses: createUses(given.store, 'tiktok') };
  const plain = (name: TiktokCall | 'page', perform: () => Answer): Call => ({ name, perform });
  return {
    network: 'tiktok',
    calls: TIKTOK_CALLS,
    irreversible: 'video.upload',
    faults: TIKTOK_FAULTS,
    limits,
    match(request, path) {
      const key = `${request.method} ${path.join('/')}`;
      const rules = { app: deps.app, grants: deps.grants, now: deps.clock.now() };
      switch (key) {
        case 'GET v2/auth/authorize':
        case 'POST v2/auth/authorize':
          return plain('oauth.authorize', () => consent(request, tiktokConsentRules(deps.app), { ...deps, now: rules.now }));
        case 'POST v2/oauth/token':
          return plain('oauth.token', () => tiktokToken(request, rules));
        case 'POST v2/oauth/revoke':
          return plain('oauth.revoke', () => tiktokRevoke(request, rules));
        case 'PUT video':
          return { name: 'video.upload', perform: (fault) => putChunk(request, fault, deps) };
      }
      if (Object.hasOwn(CALLS, key)) return accountCall(request, CALLS[key]![0], deps, CALLS[key]![1]);
      const isPage = request.method === 'GET' && path.length === 3 && path[0]!.startsWith('@') && (path[1] === 'video' || path[1] === 'photo');
      return isPage ? plain('page', () => postPage(path, deps)) : null;
    },
    unknownAddress: () => refused(404, 'invalid_params', 'There is no such API.'),
    serverError: () => internalError(),
  };
}
