import { consent } from '../consent.ts';
import { html, json } from '../exchange.ts';
import type { Answer, Incoming } from '../exchange.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import { itemPage, missingPage } from '../feed-page.ts';
import type { Holder } from '../grants.ts';
import { bearer, readParameters } from '../graph/parameters.ts';
import { createLimits } from '../limits.ts';
import type { Call, Simulator, SimulatorDeps } from '../simulator.ts';
import { FACEBOOK_LIMITS } from './asked.ts';
import type { FacebookDeps, PageAsked } from './asked.ts';
import { FACEBOOK_CALLS, scopeOf } from './calls.ts';
import type { FacebookCall, PageCall, PersonCall } from './calls.ts';
import { FACEBOOK_FAULTS, playFault } from './faults.ts';
import { expiredToken, noPermission, noToken, pageTokenNeeded, revokedToken, temporarilyDown, unknownError, unknownPath, unknownToken, unsupported } from './graph-errors.ts';
import { facebookConsentRules, facebookToken } from './oauth.ts';
import { debugToken, listAccounts, listPermissions, readMe, readPage } from './people.ts';
import { createPhoto } from './photos.ts';
import { createPost, deleteObject, publishPost } from './posts.ts';
import { listPosts, listReels, listStories, readObject } from './read.ts';
import { createRecords } from './records.ts';
import { createPhotoStory, finishReel, finishVideoStory, startByAddress } from './reels.ts';
import { uploadVideo } from './upload.ts';
import { cancelVideo, createVideo, finishVideo, startVideo, transferVideo } from './videos.ts';

interface Admitted {
  readonly holder: Holder;
  readonly parameters: URLSearchParams;
  readonly parts: FormData | null;
}

/** Who calls, and with what; or why nobody may. */
async function admit(request: Incoming, { grants, clock }: SimulatorDeps): Promise<Admitted | Answer> {
  const parts = await request.parts();
  const parameters = readParameters(request);
  for (const [name, value] of parts ?? []) if (typeof value === 'string') parameters.set(name, value);
  const token = bearer(request, parameters) || (/^OAuth (\S+)$/i.exec(request.header('authorization'))?.[1] ?? '');
  if (token === '') return noToken();
  const holder = grants.look('facebook', token, clock.now());
  if (holder.state === 'expired') return expiredToken();
  if (holder.state !== 'live') return holder.state === 'revoked' ? revokedToken() : unknownToken();
  return { holder, parameters, parts };
}

function personCall(request: Incoming, name: PersonCall, deps: FacebookDeps, work: (asked: Admitted, fault: Fault<NetworkFault> | null) => Answer): Call {
  return {
    name,
    async perform(fault) {
      const admitted = await admit(request, deps);
      return 'status' in admitted ? admitted : work(admitted, fault);
    },
  };
}

/** A call in the name of a Page. `pageId`: as the address says; null where it names something of the Page's. */
function pageCall(request: Incoming, name: PageCall, pageId: string | null, deps: FacebookDeps, work: (asked: PageAsked) => Answer | Promise<Answer>): Call {
  return {
    name,
    async perform(fault) {
      const admitted = await admit(request, deps);
      if ('status' in admitted) return admitted;
      const { holder } = admitted;
      if (name === 'page.read' && holder.token.subject === 'person') return readPage(admitted.parameters, pageId!, holder, deps);
      const played = fault === null ? null : playFault(fault, holder, deps);
      if (played !== null) return played;
      if (holder.token.subject !== 'page') return pageTokenNeeded();
      const own = holder.account.accountId;
      if (pageId !== null && pageId !== 'me' && pageId !== own) return unsupported(request.method === 'GET' ? 'get' : 'post', pageId);
      if (!holder.grant.scopes.includes(scopeOf(name))) return noPermission();
      const answer = await work({ ...admitted, request, pageId: own, fault, now: deps.clock.now() });
      const usage = { [own]: [{ type: 'pages', call_count: 2, total_cputime: 1, total_time: 1, estimated_time_to_regain_access: 0 }] };
      return { ...answer, headers: { 'x-business-use-case-usage': JSON.stringify(usage), ...answer.headers } };
    },
  };
}

/** The phase is in the parameters; a chunk comes as a form of parts, whose names can be seen without taking it apart. */
function phaseOf(request: Incoming): string {
  if (/^multipart\//i.test(request.header('content-type'))) {
    const body = Buffer.from(request.bytes.buffer, request.bytes.byteOffset, request.bytes.byteLength);
    return body.includes('name="video_file_chunk"') ? 'transfer' : '';
  }
  return readParameters(request).get('upload_phase') ?? '';
}

type Work = (asked: PageAsked, deps: FacebookDeps) => Answer | Promise<Answer>;

const PHASES: Readonly<Record<string, Readonly<Record<string, readonly [PageCall, (version: string) => Work]>>>> = {
  videos: {
    '': ['videos.create', () => createVideo],
    start: ['videos.start', () => startVideo],
    transfer: ['videos.transfer', () => transferVideo],
    finish: ['videos.finish', () => finishVideo],
    cancel: ['videos.cancel', () => cancelVideo],
  },
  video_reels: {
    start: ['video_reels.start', (version) => (asked, deps) => startByAddress('reel', version, asked, deps)],
    finish: ['video_reels.finish', () => finishReel],
  },
  video_stories: {
    start: ['video_stories.start', (version) => (asked, deps) => startByAddress('story', version, asked, deps)],
    finish: ['video_stories.finish', () => finishVideoStory],
  },
};

const EDGES: Readonly<Record<string, readonly [PageCall, Work]>> = {
  'POST photos': ['photos.create', createPhoto],
  'POST feed': ['feed.create', createPost],
  'GET feed': ['feed.list', listPosts],
  'GET published_posts': ['published_posts.list', listPosts],
  'GET video_reels': ['video_reels.list', listReels],
  'POST photo_stories': ['photo_stories.create', createPhotoStory],
  'GET stories': ['stories.list', listStories],
};

/** What is below the version: a Page's edges, or an object by its id. */
function graphCall(request: Incoming, version: string, path: readonly string[], deps: FacebookDeps): Call | null {
  const [first = '', edge] = path;
  const { method } = request;
  if (path.length < 1 || path.length > 2) return null;
  if (first === 'me' && method === 'GET' && (edge === undefined || edge === 'accounts' || edge === 'permissions')) {
    const name = edge === undefined ? 'me' : (`me.${edge}` as const);
    return personCall(request, name, deps, ({ holder, parameters }, fault) => {
      if (name === 'me') return readMe(parameters, holder, deps);
      if (name === 'me.permissions') return listPermissions(holder);
      return fault?.fault === 'me_accounts_empty' ? json(200, { data: [] }) : listAccounts(parameters, holder, deps);
    });
  }
  if (edge !== undefined) {
    const phases = Object.hasOwn(PHASES, edge) && method === 'POST' ? PHASES[edge]! : null;
    const phase = phases === null ? '' : phaseOf(request);
    if (phases !== null && Object.hasOwn(phases, phase)) return pageCall(request, phases[phase]![0], first, deps, (asked) => phases[phase]![1](version)(asked, deps));
    const key = `${method} ${edge}`;
    return Object.hasOwn(EDGES, key) ? pageCall(request, EDGES[key]![0], first, deps, (asked) => EDGES[key]![1](asked, deps)) : null;
  }
  if (method === 'POST') return pageCall(request, 'posts.publish', null, deps, (asked) => publishPost(first, asked, deps));
  if (method === 'DELETE') return pageCall(request, 'objects.delete', null, deps, (asked) => deleteObject(first, asked, deps));
  if (method !== 'GET') return null;
  if (deps.accounts.get(first)?.network === 'facebook') return pageCall(request, 'page.read', first, deps, (asked) => readPage(asked.parameters, first, asked.holder, deps));
  return pageCall(request, 'objects.read', null, deps, (asked) => readObject(first, asked, deps));
}

/** The page of something that is live: `/{page}/posts/{post}`, `/reel/{id}`, `/videos/{id}`, `/stories/{id}`. */
function publicPage([first = '', second = '', third = '']: readonly string[], { accounts, items, records, baseUrl }: FacebookDeps): Answer {
  const video = records.videos.get(second);
  const [pageId, remoteId] = second === 'posts' ? [first, `${first}_${third}`] : [video?.pageId ?? '', second];
  const item = first === 'stories' ? items.all({ network: 'facebook' }).find((one) => one.remoteId === second) : items.get('facebook', pageId, remoteId);
  const account = item == null ? null : accounts.get(item.accountId);
  return item == null || account === null ? html(404, missingPage()) : html(200, itemPage(account, item, baseUrl()));
}

function isPublic(path: readonly string[]): boolean {
  return (path.length === 3 && path[1] === 'posts') || (path.length === 2 && ['reel', 'videos', 'stories'].includes(path[0]!));
}

/** www, graph, graph-video and rupload of facebook.com in one: Pages with text, photos, videos, reels and Stories. */
export function createFacebookSimulator(given: SimulatorDeps): Simulator {
  const limits = createLimits(given.store, 'facebook', FACEBOOK_LIMITS);
  const deps: FacebookDeps = { ...given, limits, records: createRecords(given.store) };
  const plain = (name: FacebookCall | 'page', perform: () => Answer): Call => ({ name, perform });
  return {
    network: 'facebook',
    calls: FACEBOOK_CALLS,
    irreversible: 'posts.publish',
    faults: FACEBOOK_FAULTS,
    limits,
    match(request, path) {
      const [first = '', second = '', third = ''] = path;
      const rules = { app: deps.app, grants: deps.grants, now: deps.clock.now() };
      if (first === 'video-upload' && path.length === 3 && request.method === 'POST') return { name: 'video.upload', perform: (fault) => uploadVideo(request, third, fault, deps) };
      if (request.method === 'GET' && isPublic(path)) return plain('page', () => publicPage(path, deps));
      if (!/^v\d+\.\d+$/.test(first)) return null;
      if (second === 'dialog' && third === 'oauth' && path.length === 3) {
        return plain('oauth.dialog', () => consent(request, facebookConsentRules(deps.app), { ...deps, now: rules.now }));
      }
      if (second === 'oauth' && third === 'access_token' && path.length === 3) return plain('oauth.access_token', () => facebookToken(request, rules));
      if (second === 'debug_token' && path.length === 2 && request.method === 'GET') return plain('debug_token', () => debugToken(readParameters(request), deps));
      return graphCall(request, first, path.slice(1), deps);
    },
    unknownAddress: (request) => unknownPath(request.path),
    serverError: (when) => (when === 'before' ? temporarilyDown() : unknownError()),
  };
}
