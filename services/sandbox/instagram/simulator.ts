import { html, type SandboxAnswer, type Incoming } from '../exchange.ts';
import { itemPage, missingPage } from '../feed-page.ts';
import { bearer, readParameters } from '../graph/parameters.ts';
import { createLimits } from '../limits.ts';
import { idFloor } from '../remote-ids.ts';
import type { SimulatorCall, Simulator, SimulatorOptions } from '../simulator.ts';
import { INSTAGRAM_LIMITS, type ContainerRequest, type InstagramOptions } from './container-request.ts';
import { INSTAGRAM_CALLS, PUBLISH_SCOPE, scopeOf, type AccountCall, type InstagramCall } from './calls.ts';
import { createComment, listComments, readComment } from './comments.ts';
import { createContainers } from './containers.ts';
import { createContainer } from './create.ts';
import { createDayCounts } from './day-counts.ts';
import { INSTAGRAM_FAULTS, playFault } from './faults.ts';
import {
  expiredToken,
  noPermission,
  restricted,
  revokedToken,
  serverFailed,
  SPAM_THOUGH_DONE,
  temporarilyDown,
  unknownPath,
  unknownToken,
  unsupported,
  usageHeaders,
} from './graph-errors.ts';
import {
  instagramCodeExchange,
  instagramConsent,
  instagramLongLivedExchange,
  instagramRefresh,
  PERSONAL,
} from './oauth.ts';
import { mediaIdOf, publishContainer } from './publish.ts';
import { listMedia, readContainer, readLimit, readMedia, readProfile } from './read.ts';
import { uploadBytes } from './upload.ts';

const VERSION = /^v\d+\.\d+$/;

type Work = (call: ContainerRequest) => SandboxAnswer | Promise<SandboxAnswer>;

/** The object of a call. `user`: the id in the address, null when it names none. */
interface About {
  readonly name: AccountCall;
  readonly version: string;
  readonly user: string | null;
  readonly objectId: string;
}

/** A call on behalf of an account: checks the token, that the object is the account's own, and the scope. */
function accountCall(
  request: Incoming,
  { name, version, user, objectId }: About,
  options: InstagramOptions,
  work: Work,
): SimulatorCall {
  return {
    name,
    async perform(fault) {
      const parameters = readParameters(request);
      const now = options.clock.now();
      const token = bearer(request, parameters) || (/^OAuth (\S+)$/i.exec(request.header('authorization'))?.[1] ?? '');
      const found = options.grants.look('instagram', token, now);
      if (found.state === 'expired') return expiredToken();
      if (found.state !== 'live') return found.state === 'revoked' ? revokedToken() : unknownToken();
      const played = fault === null ? null : playFault(fault, objectId, found, options);
      if (played !== null) return played;
      const { account } = found;
      if (user !== null && user !== 'me' && user !== account.accountId)
        return unsupported(request.method === 'GET' ? 'get' : 'post', user);
      const needed = scopeOf(name);
      if (!found.grant.scopes.includes(needed) || (needed === PUBLISH_SCOPE && account.kind === PERSONAL))
        return noPermission();
      const done = await work({ request, parameters, account, fault, version, now });
      const answer = fault?.reason === SPAM_THOUGH_DONE && done.status === 200 ? restricted(null) : done;
      return { ...answer, headers: { ...usageHeaders(account.accountId, 2, 0), ...answer.headers } };
    },
  };
}

const EDGES: Readonly<
  Record<
    string,
    readonly [
      AccountCall,
      (call: ContainerRequest, options: InstagramOptions) => SandboxAnswer | Promise<SandboxAnswer>,
    ]
  >
> = {
  'POST media': ['media.create', createContainer],
  'POST media_publish': ['media.publish', publishContainer],
  'GET media': ['media.list', (call, options) => listMedia('feed', call, options)],
  'GET stories': ['stories.list', (call, options) => listMedia('story', call, options)],
  'GET content_publishing_limit': ['publishing_limit', readLimit],
};

/** The edges of media, whose work checks whose they are. */
const MEDIA_EDGES: Readonly<
  Record<
    string,
    readonly [AccountCall, (id: string, call: ContainerRequest, options: InstagramOptions) => SandboxAnswer]
  >
> = {
  'POST comments': ['comments.create', createComment],
  'GET comments': ['comments.list', listComments],
};

/** The addresses below the version: an account's edges, or an object by its id. */
function graphCall(
  request: Incoming,
  version: string,
  path: readonly string[],
  options: InstagramOptions,
): SimulatorCall | null {
  const [first = '', edge] = path;
  if (path.length < 1 || path.length > 2) return null;
  if (edge !== undefined) {
    const key = `${request.method} ${edge}`;
    if (Object.hasOwn(MEDIA_EDGES, key)) {
      const [name, work] = MEDIA_EDGES[key]!;
      const about = { name, version, user: null, objectId: first };
      return accountCall(request, about, options, (call) => work(first, call, options));
    }
    if (!Object.hasOwn(EDGES, key)) return null;
    const [name, work] = EDGES[key]!;
    return accountCall(request, { name, version, user: first, objectId: first }, options, (call) =>
      work(call, options),
    );
  }
  if (request.method !== 'GET') return null;
  if (first === 'me' || options.accounts.get(first) !== null) {
    return accountCall(request, { name: 'me', version, user: first, objectId: first }, options, (call) =>
      readProfile(call, options),
    );
  }
  const about = { version, user: null, objectId: first };
  const container = options.containers.get(first);
  if (container !== null) {
    return accountCall(request, { name: 'containers.read', ...about }, options, (call) => {
      return container.accountId === call.account.accountId
        ? readContainer(container, call)
        : unsupported('get', first);
    });
  }
  return accountCall(request, { name: 'media.read', ...about }, options, (call) => {
    const item = options.items.get('instagram', call.account.accountId, first);
    if (item !== null) return readMedia(item, call, options);
    const found = options.items.commentOf('instagram', call.account.accountId, first);
    return found === null ? unsupported('get', first) : readComment(found, call);
  });
}

/** The page of a live item: `/p/<code>`, `/reel/<code>`, each also with `/c/<comment>`, and `/stories/<user>/<id>`. */
function publicPage(
  [first = '', second = '', third = '']: readonly string[],
  options: InstagramOptions,
): SandboxAnswer {
  const { accounts, items, containers, baseUrl } = options;
  const mediaId = first === 'stories' ? third : mediaIdOf(second);
  const accountId = containers.ofMedia(mediaId)?.accountId ?? '';
  const account = accounts.get(accountId);
  const item = items.get('instagram', accountId, mediaId);
  return account === null || item === null ? html(404, missingPage()) : html(200, itemPage(account, item, baseUrl()));
}

function isPublic(path: readonly string[]): boolean {
  const [first, , third] = path;
  if (first === 'stories') return path.length === 3;
  return (first === 'p' || first === 'reel') && (path.length === 2 || (path.length === 4 && third === 'c'));
}

/** www, api, graph and rupload of instagram.com in one: images, carousels, reels and Stories by container. */
export function createInstagramSimulator(given: SimulatorOptions): Simulator {
  const limits = createLimits(given.store, 'instagram', INSTAGRAM_LIMITS);
  const containers = createContainers(given.store);
  const posts = createDayCounts((accountId, since) =>
    given.items.ofAccount('instagram', accountId, { above: idFloor(since) }).map(({ publishedAt }) => publishedAt),
  );
  const options: InstagramOptions = {
    ...given,
    limits,
    containers,
    posts,
    made: createDayCounts(containers.madeSince),
  };
  const plain = (name: InstagramCall | 'page', perform: () => SandboxAnswer): SimulatorCall => ({ name, perform });
  return {
    network: 'instagram',
    calls: INSTAGRAM_CALLS,
    irreversible: 'media.publish',
    faults: INSTAGRAM_FAULTS,
    limits,
    match(request, path) {
      const { app, grants, accounts, appStates } = options;
      const rules = { app, grants, accounts, appStates, now: options.clock.now() };
      switch (`${request.method} /${path.join('/')}`) {
        case 'GET /oauth/authorize':
        case 'POST /oauth/authorize':
          return plain('oauth.authorize', () => instagramConsent(request, rules));
        case 'POST /oauth/access_token':
          return plain('oauth.access_token', () => instagramCodeExchange(request, rules));
        case 'GET /access_token':
          return plain('access_token.exchange', () => instagramLongLivedExchange(request, rules));
        case 'GET /refresh_access_token':
          return plain('access_token.refresh', () => instagramRefresh(request, rules));
      }
      if (request.method === 'GET' && isPublic(path)) return plain('page', () => publicPage(path, options));
      const [first = '', second = '', third = ''] = path;
      if (first === 'ig-api-upload' && VERSION.test(second) && path.length === 3 && request.method === 'POST') {
        return accountCall(
          request,
          { name: 'media.upload', version: second, user: null, objectId: third },
          options,
          (call) => uploadBytes(third, call, options),
        );
      }
      return VERSION.test(first) ? graphCall(request, first, path.slice(1), options) : null;
    },
    unknownAddress: (request) => unknownPath(request.path),
    serverError: (when) => (when === 'before' ? temporarilyDown() : serverFailed()),
  };
}
