import type { SandboxAnswer, Incoming } from '../exchange.ts';
import { readParameters } from '../graph/parameters.ts';
import { partBegin } from '../known-sender.ts';
import type { SimulatorCall } from '../simulator.ts';
import { pageCall, personCall } from './admission.ts';
import type { FacebookOptions, PageRequest } from './page-request.ts';
import { finishReel, finishVideoStory, startByAddress } from './by-address.ts';
import type { PageCall } from './calls.ts';
import { createComment, listComments } from './comments.ts';
import { deleteObject } from './delete.ts';
import { parameterError } from './graph-errors.ts';
import { readObject } from './objects.ts';
import { listPosts, listReels, listStories } from './page-lists.ts';
import { listAccounts, listPermissions, readMe, readPage } from './people.ts';
import { createPhotoStory } from './photo-stories.ts';
import { createPhoto } from './photos.ts';
import { createPost, publishPost } from './posts.ts';
import { readUpload, startUpload, transferUpload } from './resumable.ts';
import { createThumbnail, listThumbnails } from './thumbnails.ts';
import { cancelVideo, createVideo, finishVideo, startVideo, transferVideo } from './videos.ts';

type Work = (asked: PageRequest, options: FacebookOptions) => SandboxAnswer | Promise<SandboxAnswer>;
type Edge = readonly [PageCall, Work];

const noPhase: Work = () => parameterError('(#100) Param upload_phase must be one of {start, finish}');

/** By phase; '' stands for a call without one, or with an unknown one. */
const PHASES: Readonly<Record<string, Readonly<Record<string, Edge>>>> = {
  videos: {
    '': ['videos.create', createVideo],
    start: ['videos.start', startVideo],
    transfer: ['videos.transfer', transferVideo],
    finish: ['videos.finish', finishVideo],
    cancel: ['videos.cancel', cancelVideo],
  },
  video_reels: {
    '': ['video_reels.start', noPhase],
    start: ['video_reels.start', (asked, options) => startByAddress('reel', asked, options)],
    finish: ['video_reels.finish', finishReel],
  },
  video_stories: {
    '': ['video_stories.start', noPhase],
    start: ['video_stories.start', (asked, options) => startByAddress('story', asked, options)],
    finish: ['video_stories.finish', finishVideoStory],
  },
};

const EDGES: Readonly<Record<string, Edge>> = {
  'POST photos': ['photos.create', createPhoto],
  'POST feed': ['feed.create', createPost],
  'GET feed': ['feed.list', listPosts],
  'GET published_posts': ['published_posts.list', listPosts],
  'GET video_reels': ['video_reels.list', listReels],
  'POST photo_stories': ['photo_stories.create', createPhotoStory],
  'GET stories': ['stories.list', listStories],
};

type ObjectWork = (id: string, ...args: Parameters<Work>) => ReturnType<Work>;

/** The edges of posts and videos, which any Page may name: the work checks whose they are. */
const OBJECT_EDGES: Readonly<Record<string, readonly [PageCall, ObjectWork]>> = {
  'POST comments': ['comments.create', createComment],
  'GET comments': ['comments.list', listComments],
  'POST thumbnails': ['thumbnails.create', createThumbnail],
  'GET thumbnails': ['thumbnails.list', listThumbnails],
};

const MAX_PHASE_LENGTH = 20;

/** The phase names the call before it is admitted: in a multipart body it is read without parsing the body. */
function phaseOf(request: Incoming): string {
  const named = readParameters(request).get('upload_phase');
  return named ?? /^\w+/.exec(partBegin(request, 'upload_phase', MAX_PHASE_LENGTH) ?? '')?.[0] ?? '';
}

function edgeOf(request: Incoming, name: string): Edge | null {
  const phases = request.method === 'POST' && Object.hasOwn(PHASES, name) ? PHASES[name]! : null;
  if (phases === null) return EDGES[`${request.method} ${name}`] ?? null;
  const phase = phaseOf(request);
  return phases[Object.hasOwn(phases, phase) ? phase : '']!;
}

/** The calls of people: about themselves, and their uploads, whose addresses are unlike those of objects. */
function ofPerson(
  request: Incoming,
  [first = '', edge]: readonly string[],
  options: FacebookOptions,
): SimulatorCall | null {
  const key = `${request.method} ${[first.replace(/^upload:.*/s, 'upload:'), ...(edge === undefined ? [] : [edge])].join('/')}`;
  switch (key) {
    case 'GET me':
      return personCall(request, 'me', options, (asked) => readMe(asked, options));
    case 'GET me/accounts':
      return personCall(request, 'me.accounts', options, (asked) => listAccounts(asked, options));
    case 'GET me/permissions':
      return personCall(request, 'me.permissions', options, listPermissions);
    case `POST ${options.app.clientId}/uploads`:
      return personCall(request, 'uploads.start', options, (asked) => startUpload(asked, options));
    case 'POST upload:':
      return personCall(request, 'uploads.transfer', options, (asked) => transferUpload(first, asked, options));
    case 'GET upload:':
      return personCall(request, 'uploads.read', options, (asked) => readUpload(first, asked, options));
    default:
      return null;
  }
}

/** The addresses below the version: a person's own, a Page's edges, or an object by its id. */
export function graphCall(
  request: Incoming,
  version: string,
  path: readonly string[],
  options: FacebookOptions,
): SimulatorCall | null {
  const [first = '', name] = path;
  if (path.length < 1 || path.length > 2) return null;
  const personal = ofPerson(request, path, options);
  if (personal !== null) return personal;
  const call = (
    of: PageCall,
    pageId: string | null,
    work: (asked: PageRequest) => SandboxAnswer | Promise<SandboxAnswer>,
  ) => pageCall(request, { name: of, pageId, version }, options, work);
  if (name !== undefined) {
    const ofObject = OBJECT_EDGES[`${request.method} ${name}`];
    if (ofObject !== undefined) return call(ofObject[0], null, (asked) => ofObject[1](first, asked, options));
    const edge = edgeOf(request, name);
    return edge === null ? null : call(edge[0], first, (asked) => edge[1](asked, options));
  }
  switch (request.method) {
    case 'POST':
      return call('posts.publish', null, (asked) => publishPost(first, asked, options));
    case 'DELETE':
      return call('objects.delete', null, (asked) => deleteObject(first, asked, options));
    case 'GET':
      if (options.accounts.get(first)?.network === 'facebook')
        return call('page.read', first, (asked) => readPage(first, asked, options));
      return call('objects.read', null, (asked) => readObject(first, asked, options));
    default:
      return null;
  }
}
