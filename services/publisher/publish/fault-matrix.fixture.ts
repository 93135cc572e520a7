import type { Network, Placement } from '#domain/network.ts';
import type { FixtureName } from '#testing/media-fixtures.ts';
import type { ArmVerdict } from '#tables/repositories/ledger.ts';

/** What is published in a row of the matrix. */
export interface Kind {
  readonly network: Network;
  readonly kind: string;
  readonly placement: Placement;
  readonly files: readonly FixtureName[];
  /** The irreversible call, as the sandbox names it. */
  readonly call: string;
  /** The same call, as it looks from here. */
  readonly step: RegExp;
}

export interface FaultCase {
  readonly fault: string;
  /** Left out: the irreversible call. */
  readonly call?: string;
  readonly reason?: string;
}

/**
 * Where the first worker dies, if at all: right before it makes the irreversible call, when that was answered, or when
 * the answer was written.
 */
export const CRASHES = ['no crash', 'before send', 'after send', 'after write'] as const;
export type PublishCrash = (typeof CRASHES)[number];

export type End = 'published' | 'unconfirmed' | `failed ${string}`;

export function endOfVerdict(verdict: ArmVerdict): End {
  return verdict.kind === 'failed' ? `failed ${verdict.reason}` : verdict.kind;
}

const X = { network: 'x', call: 'tweets.create', step: /POST \/sim\/x\/2\/tweets$/ } as const;
const THREADS = { network: 'threads', call: 'threads.publish', step: /POST .*\/threads_publish$/ } as const;
const INSTAGRAM = { network: 'instagram', call: 'media.publish', step: /POST .*\/media_publish$/ } as const;
const FACEBOOK_POST = {
  network: 'facebook',
  call: 'posts.publish',
  step: /POST \/sim\/facebook\/v[\d.]+\/\d+_\d+$/,
} as const;

export const KINDS: readonly Kind[] = [
  { ...X, kind: 'text', placement: 'feed', files: [] },
  { ...X, kind: 'picture', placement: 'feed', files: ['photo'] },
  { ...X, kind: 'pictures', placement: 'feed', files: ['photo', 'square', 'wideshot', 'story'] },
  { ...X, kind: 'video', placement: 'feed', files: ['film'] },
  { ...THREADS, kind: 'text', placement: 'feed', files: [] },
  { ...THREADS, kind: 'image', placement: 'feed', files: ['photo'] },
  { ...THREADS, kind: 'video', placement: 'feed', files: ['reel'] },
  { ...THREADS, kind: 'carousel', placement: 'feed', files: ['photo', 'reel', 'square'] },
  { ...FACEBOOK_POST, kind: 'text', placement: 'feed', files: [] },
  { ...FACEBOOK_POST, kind: 'photo', placement: 'feed', files: ['photo'] },
  { ...FACEBOOK_POST, kind: 'photos', placement: 'feed', files: ['photo', 'square', 'wideshot'] },
  {
    network: 'facebook',
    kind: 'video',
    placement: 'feed',
    files: ['film'],
    call: 'videos.finish',
    step: /POST .*\/videos finish$/,
  },
  {
    network: 'facebook',
    kind: 'reel',
    placement: 'feed',
    files: ['reel'],
    call: 'video_reels.finish',
    step: /POST .*\/video_reels finish$/,
  },
  {
    network: 'facebook',
    kind: 'photo Story',
    placement: 'story',
    files: ['story'],
    call: 'photo_stories.create',
    step: /POST .*\/photo_stories$/,
  },
  {
    network: 'facebook',
    kind: 'video Story',
    placement: 'story',
    files: ['reel'],
    call: 'video_stories.finish',
    step: /POST .*\/video_stories finish$/,
  },
  { ...INSTAGRAM, kind: 'image', placement: 'feed', files: ['photo'] },
  { ...INSTAGRAM, kind: 'carousel', placement: 'feed', files: ['photo', 'reel', 'square'] },
  { ...INSTAGRAM, kind: 'reel', placement: 'feed', files: ['reel'] },
  { ...INSTAGRAM, kind: 'image Story', placement: 'story', files: ['story'] },
  { ...INSTAGRAM, kind: 'video Story', placement: 'story', files: ['reel'] },
  {
    network: 'tiktok',
    kind: 'video',
    placement: 'feed',
    files: ['reel'],
    call: 'video.upload',
    step: /PUT \/sim\/tiktok\/video\/$/,
  },
  {
    network: 'tiktok',
    kind: 'photos',
    placement: 'feed',
    files: ['photo', 'square'],
    call: 'content.init',
    step: /POST .*\/content\/init\/$/,
  },
  {
    network: 'youtube',
    kind: 'video',
    placement: 'feed',
    files: ['film'],
    call: 'videos.upload',
    step: /PUT \/sim\/youtube\/upload\/youtube\/v3\/videos$/,
  },
];

export const COMMON: readonly FaultCase[] = [
  { fault: 'none' },
  { fault: 'drop_before_commit' },
  { fault: 'drop_after_commit' },
  { fault: '5xx_before_commit' },
  { fault: '5xx_after_commit' },
];

const X_FAULTS: readonly FaultCase[] = [
  ...COMMON,
  { fault: 'token_revoked' },
  { fault: 'scope_removed' },
  { fault: 'account_restricted', reason: 'suspended' },
  { fault: 'account_restricted', reason: 'automated' },
  { fault: 'rate_limited' },
  { fault: 'quota_exhausted', reason: 'daily' },
  { fault: 'quota_exhausted', reason: 'monthly' },
  { fault: 'duplicate' },
  { fault: 'x_no_credits' },
];

/** Uploads are never public: whatever happens to one, it can be made again. */
function xUploading({ files }: Kind): readonly FaultCase[] {
  if (files.length === 0) return [];
  const lost = (call: string): readonly FaultCase[] => [
    { fault: 'drop_after_commit', call },
    { fault: '5xx_before_commit', call },
  ];
  if (files.includes('film')) {
    const processing: readonly FaultCase[] = [
      { fault: 'processing_failed', call: 'media.finalize' },
      { fault: 'processing_stuck', call: 'media.finalize' },
    ];
    return [
      ...lost('media.initialize'),
      ...lost('media.append'),
      ...lost('media.finalize'),
      ...lost('media.status'),
      ...processing,
    ];
  }
  return [...lost('media.append'), { fault: 'token_revoked', call: 'media.append' }, ...lost('media.metadata')];
}

const THREADS_FAULTS: readonly FaultCase[] = [
  ...COMMON,
  { fault: 'drop_after_commit', call: 'threads.create' },
  { fault: '5xx_before_commit', call: 'threads.create' },
  { fault: 'token_revoked', call: 'threads.create' },
  { fault: 'token_revoked' },
  { fault: 'scope_removed', call: 'threads.create' },
  { fault: 'scope_removed' },
  { fault: 'lost_container' },
  { fault: 'account_restricted', reason: 'restricted' },
  { fault: 'account_restricted', reason: 'spam' },
  { fault: 'rate_limited' },
  { fault: 'quota_exhausted' },
  { fault: 'processing_failed', call: 'threads.create', reason: 'UNKNOWN' },
  { fault: 'duplicate' },
  { fault: 'permalink_missing', call: 'media.read' },
  { fault: 'container_read_100_33', call: 'containers.read' },
];

const INSTAGRAM_FAULTS: readonly FaultCase[] = [
  ...COMMON,
  { fault: 'drop_after_commit', call: 'media.create' },
  { fault: '5xx_before_commit', call: 'media.create' },
  { fault: 'token_revoked', call: 'media.create' },
  { fault: 'token_revoked' },
  { fault: 'scope_removed', call: 'media.create' },
  { fault: 'account_restricted', reason: 'spam' },
  { fault: 'account_restricted', reason: 'spam_though_done' },
  { fault: 'account_restricted', reason: 'inactive' },
  { fault: 'rate_limited' },
  { fault: 'rate_limited', call: 'media.create' },
  { fault: 'quota_exhausted' },
  { fault: 'processing_stuck', call: 'media.create' },
  { fault: 'processing_failed', call: 'media.create', reason: '2207026' },
  { fault: 'processing_failed', call: 'media.create', reason: '2207053' },
  { fault: 'media_fetch_blocked', call: 'media.create' },
  { fault: 'duplicate' },
  { fault: 'permalink_missing', call: 'media.read' },
  { fault: 'container_read_100_33', call: 'containers.read' },
];

const FACEBOOK_FAULTS: readonly FaultCase[] = [
  ...COMMON,
  { fault: 'token_revoked' },
  { fault: 'scope_removed' },
  { fault: 'account_restricted', reason: 'limited' },
  { fault: 'account_restricted', reason: 'abusive' },
  { fault: 'account_restricted', reason: 'checkpoint' },
  { fault: 'account_restricted', reason: 'authorization' },
  { fault: 'rate_limited' },
  { fault: 'quota_exhausted' },
  { fault: 'duplicate' },
  { fault: 'permalink_missing', call: 'objects.read' },
];

/** Before anything can be public, by what the kind is prepared with. */
function facebookPreparing({ files, call, placement }: Kind): readonly FaultCase[] {
  const lost = (at: string): readonly FaultCase[] => [
    { fault: 'drop_after_commit', call: at },
    { fault: '5xx_before_commit', call: at },
    { fault: 'token_revoked', call: at },
  ];
  if (call === 'posts.publish')
    return [
      ...lost('feed.create'),
      ...(files.length === 0
        ? []
        : [...lost('photos.create'), { fault: 'media_fetch_blocked', call: 'photos.create' }]),
    ];
  if (call === 'photo_stories.create') return lost('photos.create');
  const processing: readonly FaultCase[] = [{ fault: 'processing_failed' }, { fault: 'processing_stuck' }];
  // Then the finish succeeds, and the video dies later.
  const dies: FaultCase = { fault: 'processing_failed', call: 'videos.transfer' };
  if (call === 'videos.finish') return [...lost('videos.start'), ...lost('videos.transfer'), ...processing, dies];
  return [
    ...lost(placement === 'story' ? 'video_stories.start' : 'video_reels.start'),
    ...lost('video.upload'),
    ...processing,
  ];
}

const TIKTOK_FAULTS: readonly FaultCase[] = [
  ...COMMON,
  { fault: 'drop_after_commit', call: 'creator_info' },
  { fault: '5xx_before_commit', call: 'creator_info' },
  { fault: 'token_revoked', call: 'creator_info' },
  { fault: 'scope_removed', call: 'creator_info' },
  { fault: 'rate_limited', call: 'creator_info' },
  { fault: 'processing_failed', reason: 'internal' },
  { fault: 'processing_failed', reason: 'file_format_check_failed' },
  { fault: 'processing_failed', reason: 'spam_risk' },
  { fault: 'processing_failed', reason: 'auth_removed' },
  { fault: 'processing_stuck' },
  { fault: 'tiktok_no_post_id' },
  { fault: 'moderation_hold' },
  { fault: '5xx_before_commit', call: 'status.fetch' },
  { fault: 'token_revoked', call: 'status.fetch' },
  { fault: 'permalink_missing', call: 'status.fetch' },
];

/** The call that begins it: for a video harmless, for photos the irreversible one. */
function tiktokBeginning({ call }: Kind): readonly FaultCase[] {
  const at = call === 'video.upload' ? 'video.init' : 'content.init';
  const refusals: readonly FaultCase[] = [
    { fault: 'token_revoked', call: at },
    { fault: 'account_restricted', call: at, reason: 'banned' },
    { fault: 'account_restricted', call: at, reason: 'unaudited' },
    { fault: 'rate_limited', call: at },
    { fault: 'quota_exhausted', call: at },
  ];
  if (at === 'content.init') return [...refusals, { fault: 'media_fetch_blocked' }];
  return [...refusals, { fault: 'drop_after_commit', call: at }, { fault: '5xx_before_commit', call: at }];
}

const YOUTUBE_FAULTS: readonly FaultCase[] = [
  ...COMMON,
  { fault: 'drop_after_commit', call: 'videos.insert' },
  { fault: '5xx_before_commit', call: 'videos.insert' },
  { fault: 'token_revoked', call: 'videos.insert' },
  { fault: 'scope_removed', call: 'videos.insert' },
  { fault: 'account_restricted', call: 'videos.insert', reason: 'suspended' },
  { fault: 'rate_limited', call: 'videos.insert' },
  { fault: 'quota_exhausted', call: 'videos.insert', reason: 'project' },
  { fault: 'quota_exhausted', call: 'videos.insert', reason: 'channel' },
  { fault: 'processing_failed', reason: 'codec' },
  { fault: 'processing_failed', reason: 'uploadAborted' },
  { fault: 'processing_failed', reason: 'rejected copyright' },
  { fault: 'processing_failed', reason: 'rejected length' },
  { fault: 'processing_stuck' },
  { fault: 'duplicate' },
  { fault: 'yt_session_gone' },
  { fault: 'yt_session_gone', call: 'videos.upload_status' },
  { fault: '5xx_before_commit', call: 'videos.list' },
  { fault: 'token_revoked', call: 'videos.list' },
];

/** What each Network can do to a publication, from its documentation and what was seen of it. */
export function faultsOf(kind: Kind): readonly FaultCase[] {
  switch (kind.network) {
    case 'x':
      return [...X_FAULTS, ...xUploading(kind)];
    case 'threads':
      return kind.files.length === 0
        ? THREADS_FAULTS
        : [...THREADS_FAULTS, { fault: 'media_fetch_blocked', call: 'threads.create' }];
    case 'instagram':
      return INSTAGRAM_FAULTS;
    case 'facebook':
      return [...FACEBOOK_FAULTS, ...facebookPreparing(kind)];
    case 'tiktok':
      return [...TIKTOK_FAULTS, ...tiktokBeginning(kind)];
    case 'youtube':
      return YOUTUBE_FAULTS;
    default:
      return [];
  }
}

/**
 * Written down before any run: the cells that may end `unconfirmed`. X names nothing before it publishes, so a worker
 * that dies while armed leaves nothing to prove absence by; and where X itself says nothing, its timeline is the only
 * witness. Elsewhere there is a handle, and the outcome stays unknown only where the Network does not answer: our token
 * died with the call out, or Facebook never comes to an end with a video. A Story of Facebook's is sent twice at most,
 * since nothing says that sending it again makes no second one: one send is lost with a worker that died before it, and
 * when the other goes wrong or is refused, neither that nor not being listed says anything of the first. Photos of
 * TikTok's have no handle before the call that publishes them, and no list has them; its videos have one, which answers
 * unless our token dies or it never comes to an end. At youtube the upload's own address tells, unless YouTube forgets
 * it: then the list of the channel may prove presence, but never absence.
 */
/** Answers that do not say whether it was done. */
const LOST_OR_NOT = ['drop_before_commit', 'drop_after_commit', '5xx_before_commit', '5xx_after_commit'];
/** After these nothing was done by the call. */
const FAILED_SENDS = [
  'drop_before_commit',
  '5xx_before_commit',
  'duplicate',
  'token_revoked',
  'scope_removed',
  'account_restricted',
];

export function mayBeUnconfirmed(
  { network, placement, files }: Kind,
  { fault, call }: FaultCase,
  crash: PublishCrash,
): boolean {
  if (network === 'x')
    return (
      crash === 'before send' ||
      crash === 'after send' ||
      fault === 'drop_before_commit' ||
      fault === '5xx_before_commit'
    );
  if (network === 'facebook' && fault === 'processing_stuck') return true;
  const sendFails = call === undefined && FAILED_SENDS.includes(fault);
  if (network === 'facebook' && placement === 'story' && sendFails && crash === 'before send') return true;
  if (network === 'tiktok' && fault === 'processing_stuck') return true;
  if (network === 'tiktok' && fault === 'token_revoked' && call === 'status.fetch') return true;
  if (network === 'tiktok' && files.length > 1)
    return crash === 'before send' || crash === 'after send' || LOST_OR_NOT.includes(fault);
  if (network === 'youtube' && fault === 'yt_session_gone') return true;
  // Threads has answered this to what went live, too, and without the permission nothing can be asked.
  if (network === 'threads' && fault === 'scope_removed') return call === undefined;
  const tokenLost = (fault === 'token_revoked' || fault === 'scope_removed') && call === undefined;
  return tokenLost && crash === 'after send';
}
