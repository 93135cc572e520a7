import { consent } from '../consent.ts';
import { html } from '../exchange.ts';
import type { Answer, Incoming } from '../exchange.ts';
import { itemPage, missingPage } from '../feed-page.ts';
import { bearer, readParameters } from '../graph/parameters.ts';
import { createLimits } from '../limits.ts';
import type { Call, Simulator, SimulatorDeps } from '../simulator.ts';
import { INSTAGRAM_LIMITS } from './asked.ts';
import type { Asked, InstagramDeps } from './asked.ts';
import { INSTAGRAM_CALLS, scopeOf } from './calls.ts';
import type { AccountCall, InstagramCall } from './calls.ts';
import { createContainers } from './containers.ts';
import { createContainer, uploadBytes } from './create.ts';
import { INSTAGRAM_FAULTS, playFault } from './faults.ts';
import { expiredToken, noPermission, revokedToken, serverFailed, temporarilyDown, unknownPath, unknownToken, unsupported } from './graph-errors.ts';
import { instagramCodeExchange, instagramConsentRules, instagramLongLivedExchange, instagramRefresh } from './oauth.ts';
import { mediaIdOf, publishContainer } from './publish.ts';
import { listMedia, readContainer, readLimit, readMedia, readProfile } from './read.ts';

type Work = (asked: Asked) => Answer | Promise<Answer>;

/** A call on behalf of an account: who is it, is it about themselves, may they. `user`: the id in the address, null when it names none. */
function accountCall(request: Incoming, name: AccountCall, user: string | null, objectId: string, deps: InstagramDeps, work: Work): Call {
  return {
    name,
    perform(fault) {
      const parameters = readParameters(request);
      const now = deps.clock.now();
      const token = bearer(request, parameters) || (/^OAuth (\S+)$/i.exec(request.header('authorization'))?.[1] ?? '');
      const found = deps.grants.look('instagram', token, now);
      if (found.state === 'expired') return expiredToken();
      if (found.state !== 'live') return found.state === 'revoked' ? revokedToken() : unknownToken();
      const played = fault === null ? null : playFault(fault, objectId, found, deps);
      if (played !== null) return played;
      const { account } = found;
      if (user !== null && user !== 'me' && user !== account.accountId) return unsupported(request.method === 'GET' ? 'get' : 'post', user);
      if (!found.grant.scopes.includes(scopeOf(name))) return noPermission();
      return work({ request, parameters, account, fault, now });
    },
  };
}

const EDGES: Readonly<Record<string, readonly [AccountCall, (asked: Asked, deps: InstagramDeps) => Answer | Promise<Answer>]>> = {
  'POST media': ['media.create', createContainer],
  'POST media_publish': ['media.publish', publishContainer],
  'GET media': ['media.list', (asked, deps) => listMedia('feed', asked, deps)],
  'GET stories': ['stories.list', (asked, deps) => listMedia('story', asked, deps)],
  'GET content_publishing_limit': ['publishing_limit', readLimit],
};

/** What is below the version: an account's edges, or an object by its id. */
function graphCall(request: Incoming, path: readonly string[], deps: InstagramDeps): Call | null {
  const [first = '', edge] = path;
  if (path.length < 1 || path.length > 2) return null;
  if (edge !== undefined) {
    const key = `${request.method} ${edge}`;
    return Object.hasOwn(EDGES, key) ? accountCall(request, EDGES[key]![0], first, first, deps, (asked) => EDGES[key]![1](asked, deps)) : null;
  }
  if (request.method !== 'GET') return null;
  if (first === 'me' || deps.accounts.get(first) !== null) return accountCall(request, 'me', first, first, deps, (asked) => readProfile(asked, deps));
  const container = deps.containers.get(first);
  if (container !== null) {
    return accountCall(request, 'containers.read', null, first, deps, (asked) => {
      return container.accountId === asked.account.accountId ? readContainer(container, asked) : unsupported('get', first);
    });
  }
  return accountCall(request, 'media.read', null, first, deps, (asked) => {
    const item = deps.items.get('instagram', asked.account.accountId, first);
    return item === null ? unsupported('get', first) : readMedia(item, asked, deps);
  });
}

/** The page of something that is live: `/p/<code>`, `/reel/<code>`, `/stories/<user>/<id>`. */
function publicPage([first = '', second = '', third = '']: readonly string[], { accounts, items, containers, baseUrl }: InstagramDeps): Answer {
  const mediaId = first === 'stories' ? third : mediaIdOf(second);
  const accountId = containers.ofMedia(mediaId)?.accountId ?? '';
  const account = accounts.get(accountId);
  const item = items.get('instagram', accountId, mediaId);
  return account === null || item === null ? html(404, missingPage()) : html(200, itemPage(account, item, baseUrl()));
}

function isPublic(path: readonly string[]): boolean {
  return (path.length === 2 && (path[0] === 'p' || path[0] === 'reel')) || (path.length === 3 && path[0] === 'stories');
}

/** www, api, graph and rupload of instagram.com in one: images, carousels, reels and Stories by container. */
export function createInstagramSimulator(given: SimulatorDeps): Simulator {
  const limits = createLimits(given.store, 'instagram', INSTAGRAM_LIMITS);
  const deps: InstagramDeps = { ...given, limits, containers: createContainers(given.store) };
  const plain = (name: InstagramCall | 'page', perform: () => Answer): Call => ({ name, perform });
  return {
    network: 'instagram',
    calls: INSTAGRAM_CALLS,
    irreversible: 'media.publish',
    faults: INSTAGRAM_FAULTS,
    limits,
    match(request, path) {
      const rules = { app: deps.app, grants: deps.grants, now: deps.clock.now() };
      switch (`${request.method} /${path.join('/')}`) {
        case 'GET /oauth/authorize':
        case 'POST /oauth/authorize':
          return plain('oauth.authorize', () => consent(request, instagramConsentRules(deps.app), { ...deps, now: rules.now }));
        case 'POST /oauth/access_token':
          return plain('oauth.access_token', () => instagramCodeExchange(request, rules));
        case 'GET /access_token':
          return plain('access_token.exchange', () => instagramLongLivedExchange(request, rules));
        case 'GET /refresh_access_token':
          return plain('access_token.refresh', () => instagramRefresh(request, rules));
      }
      if (request.method === 'GET' && isPublic(path)) return plain('page', () => publicPage(path, deps));
      const [first = '', , third = ''] = path;
      if (first === 'ig-api-upload' && path.length === 3 && request.method === 'POST') {
        return accountCall(request, 'media.upload', null, third, deps, ({ account, fault, now }) => uploadBytes(request, third, account.accountId, fault, now, deps));
      }
      return /^v\d+\.\d+$/.test(first) ? graphCall(request, path.slice(1), deps) : null;
    },
    unknownAddress: (request) => unknownPath(request.path),
    serverError: (when) => (when === 'before' ? temporarilyDown() : serverFailed()),
  };
}
