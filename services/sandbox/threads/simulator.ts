import { consent } from '../consent.ts';
import { html, type SandboxAnswer, type Incoming } from '../exchange.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import { itemPage, missingPage } from '../feed-page.ts';
import type { GrantHolder } from '../grants.ts';
import { createLimits } from '../limits.ts';
import type { SimulatorCall, Simulator, SimulatorOptions } from '../simulator.ts';
import { LISTED_AFTER_MS } from '../timing.ts';
import { createUses } from '../uses.ts';
import { NEEDED_SCOPE, THREADS_CALLS, type AccountCall, type ThreadsCall } from './calls.ts';
import { createContainers } from './containers.ts';
import { playFault, THREADS_FAULTS } from './faults.ts';
import {
  expiredToken,
  noPermission,
  revokedToken,
  temporarilyDown,
  unknownError,
  unknownPath,
  unknownToken,
  unsupportedGet,
} from './graph-errors.ts';
import {
  listMedia,
  mediaIdOf,
  postsOf,
  readContainer,
  readMedia,
  readProfile,
  readQuota,
  repliesListed,
  type Listing,
  type Reading,
} from './media.ts';
import { threadsCodeExchange, threadsConsentRules, threadsLongLivedExchange, threadsRefresh } from './oauth.ts';
import { bearer, readParameters } from '../graph/parameters.ts';
import { createContainer, publishContainer, type PublishingOptions } from './publishing.ts';
import { createPublishingQuota, THREADS_LIMITS } from './quota.ts';
import { replyOf, rootOf } from './replies.ts';

type Publishing = SimulatorOptions & PublishingOptions;

interface AdmittedCall {
  readonly holder: GrantHolder;
  readonly parameters: URLSearchParams;
  readonly fault: Fault<NetworkFault> | null;
  readonly now: number;
}

interface Addressed {
  readonly name: AccountCall;
  /** The id of a user in the address; null when it names none. */
  readonly user: string | null;
  /** The first id in the address, of a user or another object. */
  readonly objectId: string;
}

/** A call on behalf of an account: checks the token, that the object is the account's own, and the scope. */
function accountCall(
  request: Incoming,
  { name, user, objectId }: Addressed,
  options: Publishing,
  work: (asked: AdmittedCall) => SandboxAnswer | Promise<SandboxAnswer>,
): SimulatorCall {
  return {
    name,
    perform(fault) {
      const parameters = readParameters(request);
      const now = options.clock.now();
      const found = options.grants.look('threads', bearer(request, parameters), now);
      if (found.state === 'expired') return expiredToken();
      if (found.state !== 'live') return found.state === 'revoked' ? revokedToken() : unknownToken();
      const played = fault === null ? null : playFault(fault, objectId, found, options);
      if (played !== null) return played;
      if (user !== null && user !== 'me' && user !== found.account.accountId) return unsupportedGet(user);
      if (!found.grant.scopes.includes(NEEDED_SCOPE[name])) return noPermission();
      return work({ holder: found, parameters, fault, now });
    },
  };
}

function readingOf({ holder, fault }: AdmittedCall, { baseUrl, containers, items }: Publishing): Reading {
  const withPermalink = fault?.fault !== 'permalink_missing';
  return { account: holder.account, baseUrl: baseUrl(), containers, items, withPermalink };
}

/** Whether the container to be published becomes a reply. */
const isReply = (parameters: URLSearchParams, { containers }: Publishing): boolean =>
  containers.get(parameters.get('creation_id') ?? '')?.replyTo !== undefined;

function listed(
  { parameters, now }: AdmittedCall,
  reading: Omit<Listing, 'listedUntil'>,
  { timing }: Publishing,
): SandboxAnswer {
  const listedUntil = now - timing.scaled('threads', LISTED_AFTER_MS);
  return listMedia(parameters, { ...reading, listedUntil });
}

/** GET /{user}/replies and /{media}/replies: this sandbox has the account's own replies alone. */
function listReplies(request: Incoming, id: string, options: Publishing): SimulatorCall {
  const isUser = id === 'me' || options.accounts.get(id) !== null;
  return accountCall(request, { name: 'replies.list', user: isUser ? id : null, objectId: id }, options, (asked) => {
    const { accountId } = asked.holder.account;
    const reading = readingOf(asked, options);
    const post = isUser ? null : options.items.get('threads', accountId, id);
    if (!isUser && post === null) return unsupportedGet(id);
    const posts = post === null ? options.items.ofAccount('threads', accountId) : [post];
    const path = `${post?.remoteId ?? accountId}/replies`;
    return listed(asked, { ...reading, path, media: repliesListed(posts, reading) }, options);
  });
}

/** The addresses below /v1.0: a user's edges, or an object by its id. */
function graphCall(request: Incoming, path: readonly string[], options: Publishing): SimulatorCall | null {
  const [first = '', edge] = path;
  if (path.length < 1 || path.length > 2) return null;
  const ofUser = (name: AccountCall, work: (asked: AdmittedCall) => SandboxAnswer | Promise<SandboxAnswer>) =>
    accountCall(request, { name, user: first, objectId: first }, options, work);
  const posted = request.method === 'POST' ? readParameters(request) : null;
  switch (`${request.method} ${edge ?? ''}`) {
    case 'POST threads':
      return ofUser(
        posted!.get('reply_to_id') ? 'replies.create' : 'threads.create',
        ({ parameters, holder, fault, now }) =>
          createContainer({ request, parameters, account: holder.account, fault, now }, options),
      );
    case 'POST threads_publish':
      return ofUser(isReply(posted!, options) ? 'replies.publish' : 'threads.publish', ({ parameters, holder, now }) =>
        publishContainer(parameters, holder.account, now, options),
      );
    case 'GET threads':
      return ofUser('threads.list', (asked) => {
        const reading = readingOf(asked, options);
        const path = `${reading.account.accountId}/threads`;
        return listed(asked, { ...reading, path, media: postsOf(reading) }, options);
      });
    case 'GET replies':
      return listReplies(request, first, options);
    case 'GET threads_publishing_limit':
      return ofUser('publishing_limit', ({ parameters, holder, now }) =>
        readQuota(parameters, holder.account, options, now),
      );
  }
  if (request.method !== 'GET' || edge !== undefined) return null;
  if (first === 'me' || options.accounts.get(first) !== null) {
    return ofUser('me', ({ parameters, holder }) => readProfile(parameters, holder.account, options.baseUrl()));
  }
  const container = options.containers.get(first);
  if (container !== null) {
    return accountCall(
      request,
      { name: 'containers.read', user: null, objectId: first },
      options,
      ({ parameters, holder, now }) =>
        container.accountId === holder.account.accountId
          ? readContainer(parameters, container, { now, timing: options.timing })
          : unsupportedGet(first),
    );
  }
  return accountCall(request, { name: 'media.read', user: null, objectId: first }, options, (asked) => {
    const { account } = asked.holder;
    const item = options.items.get('threads', account.accountId, first) ?? replyOf(first, account, options)?.item;
    return item === undefined ? unsupportedGet(first) : readMedia(asked.parameters, item, readingOf(asked, options));
  });
}

/** The page of a post, also by the address of a reply on it. */
function postPage(username: string, shortcode: string, { accounts, items, baseUrl }: SimulatorOptions): SandboxAnswer {
  const account = accounts.byUsername('threads', username);
  const item = account === null ? null : rootOf(mediaIdOf(shortcode), account.accountId, items);
  return account === null || item === null ? html(404, missingPage()) : html(200, itemPage(account, item, baseUrl()));
}

const isPublishing = (call: string): boolean => call === 'threads.publish' || call === 'replies.publish';

/** graph.threads.net and threads.com in one: sign-in, posts by container, their list. */
export function createThreadsSimulator(options: SimulatorOptions): Simulator {
  const limits = createLimits(options.store, 'threads', THREADS_LIMITS);
  const publishing: Publishing = {
    ...options,
    containers: createContainers(options.store),
    quota: createPublishingQuota(options.items, limits),
    limits,
    uses: createUses(options.store, 'threads'),
  };
  const plain = (name: ThreadsCall | 'page', perform: () => SandboxAnswer): SimulatorCall => ({ name, perform });
  const rules = () => ({ app: options.app, grants: options.grants, now: options.clock.now() });
  return {
    network: 'threads',
    calls: THREADS_CALLS,
    irreversible: 'threads.publish',
    faults: THREADS_FAULTS,
    limits,
    match(request, path) {
      switch (`${request.method} /${path.join('/')}`) {
        case 'GET /oauth/authorize':
        case 'POST /oauth/authorize':
          return plain('oauth.authorize', () =>
            consent(request, threadsConsentRules(options.app), { ...options, now: options.clock.now() }),
          );
        case 'POST /oauth/access_token':
          return plain('oauth.access_token', () => threadsCodeExchange(request, rules()));
        case 'GET /access_token':
          return plain('access_token.exchange', () => threadsLongLivedExchange(request, rules()));
        case 'GET /refresh_access_token':
          return plain('access_token.refresh', () => threadsRefresh(request, rules()));
      }
      const [first = '', second, third = ''] = path;
      if (first === 'v1.0') return graphCall(request, path.slice(1), publishing);
      return request.method === 'GET' && path.length === 3 && first.startsWith('@') && second === 'post'
        ? plain('page', () => postPage(first.slice(1), third, options))
        : null;
    },
    unknownAddress: (request) => unknownPath(request.path),
    serverError: (when, call) =>
      when === 'before' ? temporarilyDown() : isPublishing(call) ? noPermission() : unknownError(),
  };
}
