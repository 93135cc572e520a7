import { isRecord } from '../exchange.ts';
import type { Answer } from '../exchange.ts';
import type { SandboxFile } from '../files/files.ts';
import type { Asked, TiktokDeps } from './asked.ts';
import { done, invalidParameter, tooManyCalls, tooManyPosts, unverifiedUrl, wrongPrivacy } from './envelope.ts';
import { PRIVATE } from './oauth.ts';
import { complete } from './processing.ts';
import type { Publication } from './publications.ts';

const MEGABYTE = 1_000_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const MOST_VIDEO_BYTES = 4_000 * MEGABYTE;
const MOST_PHOTO_BYTES = 20 * MEGABYTE;
const LONGEST_SECONDS = 600;

export function privacyOptions(kind: string): readonly string[] {
  return kind === PRIVATE ? ['FOLLOWER_OF_CREATOR', 'SELF_ONLY'] : ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'];
}

/** Waits are shorter here, so that as many looks come in a shorter minute. */
export function withinMinute(what: 'initsPerMinute' | 'statusPerMinute' | 'creatorInfoPerMinute', { account, now }: Asked, { uses, limits, timing }: TiktokDeps): boolean {
  return uses.admit(what, account.accountId, limits.get(what), timing.scaled('tiktok', MINUTE_MS), now);
}

/** POST /v2/post/publish/creator_info/query/ */
export function creatorInfo(asked: Asked, deps: TiktokDeps): Answer {
  if (!withinMinute('creatorInfoPerMinute', asked, deps)) return tooManyCalls();
  const { username, name, kind } = asked.account;
  return done({
    creator_avatar_url: '',
    creator_username: username,
    creator_nickname: name,
    privacy_level_options: privacyOptions(kind),
    comment_disabled: false,
    duet_disabled: false,
    stitch_disabled: false,
    max_video_post_duration_sec: LONGEST_SECONDS,
  });
}

interface PostInfo {
  readonly text: string;
  readonly title: string | null;
}

const textAt = (record: Readonly<Record<string, unknown>>, name: string): string => (typeof record[name] === 'string' ? record[name] : '');

/** What the post is to say, or why it can't. */
function readPostInfo({ body, account }: Asked, kind: Publication['kind']): PostInfo | Answer {
  const info = body['post_info'];
  if (!isRecord(info)) return invalidParameter('post_info is required.');
  if (!privacyOptions(account.kind).includes(textAt(info, 'privacy_level'))) return wrongPrivacy();
  const title = textAt(info, 'title');
  if (kind === 'video') return title.length > 2_200 ? invalidParameter('The title may have 2200 UTF-16 units.') : { text: title, title: null };
  const description = textAt(info, 'description');
  if (title.length > 90 || description.length > 4_000) return invalidParameter('The title may have 90 and the description 4000 UTF-16 units.');
  return { text: description, title };
}

/** Whether the account may begin another post; null: it may. */
function refuseInit(asked: Asked, deps: TiktokDeps): Answer | null {
  if (!withinMinute('initsPerMinute', asked, deps)) return tooManyCalls();
  return deps.uses.admit('posts', asked.account.accountId, deps.limits.get('postsPerDay'), DAY_MS, asked.now) ? null : tooManyPosts();
}

function begin(prefix: string, kind: Publication['kind'], { text, title }: PostInfo, upload: Publication['upload'], { account, now }: Asked, deps: TiktokDeps): Publication {
  const publication: Publication = {
    ...{ publishId: `${prefix}~v2.${deps.remoteIds.next()}`, accountId: account.accountId, kind, text, title, upload },
    ...{ files: null, createdAt: now, readyAt: null, failReason: null, idShownAt: null, postId: null },
  };
  deps.publications.put(publication);
  return publication;
}

/** The domains that the app has shown to be its own: those of test networks, and this machine. */
function isVerified(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  const here = hostname === '127.0.0.1' || hostname === 'localhost';
  return here || (protocol === 'https:' && hostname.endsWith('.test'));
}

/** POST /v2/post/publish/video/init/ */
export async function initVideo(asked: Asked, deps: TiktokDeps): Promise<Answer> {
  const source = asked.body['source_info'];
  if (!isRecord(source)) return invalidParameter('source_info is required.');
  const url = textAt(source, 'video_url');
  const pulls = source['source'] === 'PULL_FROM_URL';
  if (!pulls && source['source'] !== 'FILE_UPLOAD') return invalidParameter('source must be FILE_UPLOAD or PULL_FROM_URL.');
  const info = readPostInfo(asked, 'video');
  if ('status' in info) return info;
  if (!pulls) return initUpload(source, info, asked, deps);
  if (!isVerified(url)) return unverifiedUrl();
  const file = asked.fault?.fault === 'media_fetch_blocked' ? null : await deps.fetchFile(url, MOST_VIDEO_BYTES);
  const refused = refuseInit(asked, deps);
  if (refused !== null) return refused;
  const publication = begin('v_pub_url', 'video', info, null, asked, deps);
  complete(publication, file === null ? null : [file], asked.fault, asked.now, deps);
  return done({ publish_id: publication.publishId });
}

function initUpload(source: Readonly<Record<string, unknown>>, info: PostInfo, asked: Asked, deps: TiktokDeps): Answer {
  const whole = (name: string): number => (Number.isSafeInteger(source[name]) ? (source[name] as number) : 0);
  const [size, chunkSize, chunks] = [whole('video_size'), whole('chunk_size'), whole('total_chunk_count')];
  if (size < 1 || size > MOST_VIDEO_BYTES) return invalidParameter('video_size must be from 1 byte to 4 GB.');
  const inOne = chunkSize === size && chunks === 1 && size <= 64 * MEGABYTE;
  const inParts = chunkSize >= 5 * MEGABYTE && chunkSize <= 64 * MEGABYTE && chunks === Math.floor(size / chunkSize) && chunks >= 1 && chunks <= 1_000;
  if (!inOne && !inParts) return invalidParameter('The total chunk count is invalid.');
  const refused = refuseInit(asked, deps);
  if (refused !== null) return refused;
  const { publishId, upload } = begin('v_pub_file', 'video', info, { uploadId: deps.files.open(), size, chunkSize, chunks }, asked, deps);
  return done({ publish_id: publishId, upload_url: `${deps.baseUrl()}/sim/tiktok/video/?upload_id=${upload!.uploadId}&upload_token=${tokenOf(upload!.uploadId)}` });
}

/** The address alone lets who has it upload. */
export const tokenOf = (uploadId: string): string => BigInt(uploadId).toString(36).split('').reverse().join('');

/** POST /v2/post/publish/content/init/: from here on it may be public. */
export async function initPhotos(asked: Asked, deps: TiktokDeps): Promise<Answer> {
  const { body } = asked;
  const source = body['source_info'];
  if (body['media_type'] !== 'PHOTO' || body['post_mode'] !== 'DIRECT_POST') return invalidParameter('media_type must be PHOTO, and post_mode DIRECT_POST.');
  if (!isRecord(source) || source['source'] !== 'PULL_FROM_URL' || !Array.isArray(source['photo_images'])) return invalidParameter('source_info must name photo_images to pull.');
  const urls = source['photo_images'].map(String);
  if (urls.length < 1 || urls.length > 35) return invalidParameter('photo_images must name 1 to 35 photos.');
  const cover = source['photo_cover_index'];
  if (typeof cover !== 'number' || cover < 0 || cover >= urls.length) return invalidParameter('photo_cover_index must be that of a photo.');
  const info = readPostInfo(asked, 'photo');
  if ('status' in info) return info;
  if (!urls.every(isVerified)) return unverifiedUrl();
  const files: (SandboxFile | null)[] = [];
  if (asked.fault?.fault !== 'media_fetch_blocked') for (const url of urls) files.push(await deps.fetchFile(url, MOST_PHOTO_BYTES));
  const refused = refuseInit(asked, deps);
  if (refused !== null) return refused;
  const publication = begin('p_pub_url', 'photo', info, null, asked, deps);
  const came = files.flatMap((file) => file ?? []);
  complete(publication, came.length === urls.length ? came : null, asked.fault, asked.now, deps);
  return done({ publish_id: publication.publishId });
}
