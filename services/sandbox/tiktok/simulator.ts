import { html, isRecord, type SandboxAnswer, type Incoming } from '../exchange.ts';
import { itemPage, missingPage } from '../feed-page.ts';
import { createLimits } from '../limits.ts';
import type { SimulatorCall, Simulator, SimulatorOptions } from '../simulator.ts';
import { createUses } from '../uses.ts';
import { TIKTOK_LIMITS, type PublishRequest, type TiktokCallOptions, type TiktokOptions } from './publish-request.ts';
import { NEEDED_SCOPE, TIKTOK_CALLS, type AccountCall, type TiktokCall } from './calls.ts';
import { creatorInfo } from './creator-info.ts';
import { internalError, invalidParameter, invalidToken, missingScope, refused } from './envelope.ts';
import { playFault, TIKTOK_FAULTS } from './faults.ts';
import { initPhotos, initVideo } from './init.ts';
import { tiktokConsent, tiktokRevoke, tiktokToken } from './oauth.ts';
import { listVideos, userInfo } from './profile.ts';
import { cancel, fetchStatus } from './publication-status.ts';
import { createPublications } from './publications.ts';
import { namedUpload, putChunk, uploadCallOf } from './upload.ts';

type Work = (call: PublishRequest, options: TiktokCallOptions) => SandboxAnswer | Promise<SandboxAnswer>;

const CALLS: Readonly<Record<string, readonly [AccountCall, Work]>> = {
  'GET v2/user/info': ['user.info', userInfo],
  'POST v2/post/publish/creator_info/query': ['creator_info', creatorInfo],
  'POST v2/post/publish/video/init': ['video.init', initVideo],
  'POST v2/post/publish/content/init': ['content.init', initPhotos],
  'POST v2/post/publish/status/fetch': ['status.fetch', fetchStatus],
  'POST v2/post/publish/cancel': ['publish.cancel', cancel],
  'POST v2/video/list': ['video.list', listVideos],
};

/** The body, where one is sent, must be a JSON object with the JSON content type. */
function readBody(request: Incoming): Readonly<Record<string, unknown>> | string {
  if (request.bytes.length === 0) return {};
  if (!/^application\/json\b/i.test(request.header('content-type')))
    return 'Content-Type must be application/json; charset=UTF-8.';
  const body = request.json();
  return isRecord(body) ? body : 'The request body must be a JSON object.';
}

/** A call on behalf of an account: checks the token and the scope. */
function accountCall(request: Incoming, name: AccountCall, options: TiktokCallOptions, work: Work): SimulatorCall {
  return {
    name,
    perform(fault) {
      const now = options.clock.now();
      const holder = options.grants.look(
        'tiktok',
        /^Bearer (\S+)$/i.exec(request.header('authorization'))?.[1] ?? '',
        now,
      );
      if (holder.state !== 'live' || holder.token.kind !== 'access') return invalidToken();
      const played = fault === null ? null : playFault(fault, holder, options.grants);
      if (played !== null) return played;
      if (!holder.grant.scopes.includes(NEEDED_SCOPE[name])) return missingScope();
      const body = readBody(request);
      if (typeof body === 'string') return invalidParameter(body);
      return work({ body, query: request.query, account: holder.account, grant: holder.grant, fault, now }, options);
    },
  };
}

const isPage = ([user = '', kind, ...rest]: readonly string[]): boolean =>
  user.startsWith('@') && (kind === 'video' || kind === 'photo') && rest.length === 1;

/** The page of a post: `/@user/video/{id}` or `/@user/photo/{id}`. */
function postPage(
  [user = '', kind, postId = '']: readonly string[],
  { accounts, items, publications, baseUrl }: TiktokCallOptions,
): SandboxAnswer {
  const account = accounts.byUsername('tiktok', user.slice(1));
  const isOfKind = publications.byPost(postId)?.kind === kind;
  const item = account === null || !isOfKind ? null : items.get('tiktok', account.accountId, postId);
  return account === null || item === null ? html(404, missingPage()) : html(200, itemPage(account, item, baseUrl()));
}

/** www.tiktok.com, open.tiktokapis.com and its upload host in one: videos and photos by Direct Post. */
export function createTiktokSimulator(given: SimulatorOptions & TiktokOptions): Simulator {
  const limits = createLimits(given.store, 'tiktok', TIKTOK_LIMITS);
  const options: TiktokCallOptions = {
    ...given,
    limits,
    publications: createPublications(given.store),
    uses: createUses(given.store, 'tiktok'),
  };
  const plain = (name: TiktokCall | 'page', perform: () => SandboxAnswer): SimulatorCall => ({ name, perform });
  return {
    network: 'tiktok',
    calls: TIKTOK_CALLS,
    irreversible: 'video.upload',
    faults: TIKTOK_FAULTS,
    limits,
    match(request, path) {
      const key = `${request.method} ${path.join('/')}`;
      const { app, grants, accounts, appStates } = options;
      const rules = { app, grants, accounts, appStates, now: options.clock.now() };
      switch (key) {
        case 'GET v2/auth/authorize':
        case 'POST v2/auth/authorize':
          return plain('oauth.authorize', () => tiktokConsent(request, rules));
        case 'POST v2/oauth/token':
          return plain('oauth.token', () => tiktokToken(request, rules));
        case 'POST v2/oauth/revoke':
          return plain('oauth.revoke', () => tiktokRevoke(request, rules));
        case 'PUT video':
          return { name: uploadCallOf(request), perform: (fault) => putChunk(request, fault, options) };
      }
      if (Object.hasOwn(CALLS, key)) return accountCall(request, CALLS[key]![0], options, CALLS[key]![1]);
      return request.method === 'GET' && isPage(path) ? plain('page', () => postPage(path, options)) : null;
    },
    isOpenUpload: (request, path) =>
      request.method === 'PUT' && path.join('/') === 'video' && namedUpload(request, options) !== null,
    unknownAddress: () => refused(404, 'invalid_params', 'There is no such API.'),
    serverError: () => internalError(),
  };
}
