import type { Account } from '../accounts.ts';
import { isRecord, json } from '../exchange.ts';
import type { Answer, Incoming } from '../exchange.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import type { SandboxFile } from '../files/files.ts';
import type { SimulatorDeps } from '../simulator.ts';
import { shelf } from '../store/store.ts';
import { invalid, notFound } from './problems.ts';

const MEGABYTE = 1_048_576;
const LIFE_MS = 24 * 3_600_000;
const PROCESSING_MS = 10_000;
const CHECK_AFTER_SECONDS = 5;
const MOST_SEGMENTS = 1_000;
const MOST_SEGMENT_BYTES = 5 * MEGABYTE;
const MOST_ALT_TEXT = 1_000;

const MOST_BYTES: Readonly<Record<string, number>> = { tweet_image: 5 * MEGABYTE, tweet_gif: 15 * MEGABYTE, tweet_video: 512 * MEGABYTE };

/** A file that posts of its account may show, for a day. What state it is in follows from the clock. */
export interface Medium {
  readonly id: string;
  readonly accountId: string;
  readonly category: string;
  readonly uploadId: string;
  readonly size: number;
  readonly createdAt: number;
  /** Bytes of each segment that came, by its index. */
  readonly segments: Readonly<Record<string, number>>;
  readonly file: SandboxFile | null;
  /** When processing ends; null: never, or it has not begun. */
  readonly readyAt: number | null;
  readonly failure: string | null;
  readonly altText: string | null;
}

export interface MediaDeps extends SimulatorDeps {
  readonly account: Account;
  readonly now: number;
  readonly fault: Fault<NetworkFault> | null;
}

const mediaOf = ({ store }: Pick<SimulatorDeps, 'store'>) => shelf<Medium>(store, 'x.media');
export const keyOf = ({ id, category }: Medium): string => `${category === 'tweet_video' ? 7 : category === 'tweet_gif' ? 16 : 3}_${id}`;

/** What the file is not, for its category; null: it will do. */
function judge(category: string, { contentType, bytes, durationMs }: SandboxFile): string | null {
  const images = category === 'tweet_gif' ? ['image/gif'] : ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];
  if (category !== 'tweet_video') return images.includes(contentType) && bytes <= MOST_BYTES[category]! ? null : 'Unsupported image format';
  if (contentType !== 'video/mp4' && contentType !== 'video/quicktime') return 'Unsupported video format';
  return durationMs < 500 || durationMs > 140_000 ? 'Invalid video duration' : null;
}

/** Pictures are ready at once, films after a while. */
function sealed(medium: Medium, file: SandboxFile, { fault, now, timing }: MediaDeps): Medium {
  const slow = medium.category !== 'tweet_image';
  const failure = judge(medium.category, file) ?? (fault?.fault === 'processing_failed' ? (fault.reason ?? 'Unsupported video format') : null);
  const readyAt = fault?.fault === 'processing_stuck' ? null : slow ? now + timing.scaled('x', PROCESSING_MS) : now;
  return { ...medium, file, failure, readyAt };
}

export function stateOf({ file, readyAt, failure }: Medium, now: number): 'pending' | 'in_progress' | 'succeeded' | 'failed' {
  if (file === null) return 'pending';
  if (readyAt === null || now < readyAt) return 'in_progress';
  return failure === null ? 'succeeded' : 'failed';
}

function described(medium: Medium, now: number, beginning = false): object {
  const state = beginning && stateOf(medium, now) === 'in_progress' ? 'pending' : stateOf(medium, now);
  const waits = state === 'pending' || state === 'in_progress';
  const info = {
    state,
    ...(waits ? { check_after_secs: CHECK_AFTER_SECONDS } : {}),
    ...(state === 'in_progress' ? { progress_percent: 40 } : {}),
    ...(state === 'failed' ? { error: { code: 1, name: 'InvalidMedia', message: medium.failure } } : {}),
  };
  const about = { id: medium.id, media_key: keyOf(medium), size: medium.size, expires_after_secs: LIFE_MS / 1000 };
  return medium.category === 'tweet_image' ? about : { ...about, processing_info: info };
}

function begin(category: string, size: number, { account, now, files, remoteIds }: MediaDeps): Medium {
  const fresh = { segments: {}, file: null, readyAt: null, failure: null, altText: null };
  return { id: remoteIds.next(), accountId: account.accountId, category, uploadId: files.open(), size, createdAt: now, ...fresh };
}

/** POST /2/media/upload: a picture, in one piece. */
export function uploadWhole(bytes: Uint8Array | null, category: string, deps: MediaDeps): Answer {
  if (bytes === null || bytes.length === 0) return invalid('$.media: is missing but it is required', { media: [''] });
  if (category !== 'tweet_image') return invalid('$.media_category: does not have a value in the enumeration [tweet_image]', { media_category: [category.slice(0, 60)] });
  const file = deps.files.keep(bytes);
  if (judge(category, file) !== null) return invalid('media type unrecognized, or the file is too large.', { media: ['file'] });
  const medium = sealed(begin(category, bytes.length, deps), file, deps);
  mediaOf(deps).put(medium.id, medium);
  return json(200, { data: described(medium, deps.now) });
}

/** POST /2/media/upload/initialize */
export function initializeUpload(request: Incoming, deps: MediaDeps): Answer {
  const body = request.json();
  if (!isRecord(body)) return invalid('The request body must be a JSON object.');
  const { media_category: category, total_bytes: size, media_type: type } = body;
  if (typeof category !== 'string' || !Object.hasOwn(MOST_BYTES, category)) return invalid('$.media_category: does not have a value in the enumeration', { media_category: [String(category).slice(0, 60)] });
  if (typeof type !== 'string' || !/^(image|video)\//.test(type)) return invalid('$.media_type: does not have a value in the enumeration', { media_type: [String(type).slice(0, 60)] });
  if (!Number.isSafeInteger(size) || (size as number) < 1 || (size as number) > MOST_BYTES[category]!) return invalid('$.total_bytes: must be within what the category allows', { total_bytes: [String(size)] });
  const medium = begin(category, size as number, deps);
  mediaOf(deps).put(medium.id, medium);
  return json(200, { data: { id: medium.id, media_key: keyOf(medium), expires_after_secs: LIFE_MS / 1000 } });
}

/** The account's own, while it lives. */
export function mediumOf(id: string, { account, now, ...deps }: Pick<MediaDeps, 'account' | 'now' | 'store'>): Medium | null {
  const medium = mediaOf(deps).get(id);
  return medium === null || medium.accountId !== account.accountId || now - medium.createdAt >= LIFE_MS ? null : medium;
}

/** POST /2/media/upload/{id}/append: segments are put together in the order of their indexes; one may come again. */
export function appendSegment(id: string, bytes: Uint8Array | null, index: string, deps: MediaDeps): Answer {
  const medium = mediumOf(id, deps);
  if (medium === null || medium.file !== null) return invalid('The media id is not one that can be appended to.', { id: [id.slice(0, 30)] });
  if (bytes === null || bytes.length === 0 || bytes.length > MOST_SEGMENT_BYTES) return invalid('$.media: must be from 1 byte to 5 MB', { media: ['file'] });
  if (!/^\d{1,3}$/.test(index) || Number(index) >= MOST_SEGMENTS) return invalid(`$.segment_index: must be from 0 to ${MOST_SEGMENTS - 1}`, { segment_index: [index.slice(0, 30)] });
  const before = Array.from({ length: Number(index) }, (_, each) => medium.segments[each]);
  if (before.includes(undefined)) return invalid('$.segment_index: the segments before it have not come', { segment_index: [index] });
  const offset = before.reduce<number>((sum, each) => sum + each!, 0);
  if (offset + bytes.length > medium.size) return invalid('More came than total_bytes says.', { media: ['file'] });
  deps.files.write(medium.uploadId, offset, bytes);
  mediaOf(deps).put(id, { ...medium, segments: { ...medium.segments, [index]: bytes.length } });
  return json(200, { data: { expires_at: Math.floor((medium.createdAt + LIFE_MS) / 1000) } });
}

/** POST /2/media/upload/{id}/finalize */
export function finalizeUpload(id: string, deps: MediaDeps): Answer {
  const medium = mediumOf(id, deps);
  if (medium === null) return invalid('The media id is not one that can be finalized.', { id: [id.slice(0, 30)] });
  const came = Object.values(medium.segments).reduce((sum, each) => sum + each, 0);
  if (medium.file === null && came !== medium.size) return invalid('Segments do not add up to provided total_bytes.', { total_bytes: [String(medium.size)] });
  const whole = medium.file === null ? sealed(medium, deps.files.seal(medium.uploadId), deps) : medium;
  mediaOf(deps).put(id, whole);
  if (whole.category === 'tweet_image' && whole.failure !== null) return invalid('media type unrecognized.', { media: ['file'] });
  return json(200, { data: described(whole, deps.now, true) });
}

/** GET /2/media/upload?command=STATUS */
export function uploadStatus(query: URLSearchParams, deps: MediaDeps): Answer {
  if (query.get('command') !== 'STATUS') return invalid('$.command: does not have a value in the enumeration [STATUS]', { command: [query.get('command') ?? ''] });
  const medium = mediumOf(query.get('media_id') ?? '', deps);
  return medium === null ? notFound('this media id') : json(200, { data: described(medium, deps.now) });
}

/** POST /2/media/metadata: what a picture shows, for those who do not see it. */
export function describeMedia(request: Incoming, deps: MediaDeps): Answer {
  const body = request.json();
  const [id, metadata] = isRecord(body) ? [body['id'], body['metadata']] : [null, null];
  const text = isRecord(metadata) && isRecord(metadata['alt_text']) ? metadata['alt_text']['text'] : null;
  const medium = typeof id === 'string' ? mediumOf(id, deps) : null;
  if (medium === null) return invalid('$.id: is not a media id of this user', { id: [String(id).slice(0, 30)] });
  if (typeof text !== 'string' || text === '' || [...text].length > MOST_ALT_TEXT) return invalid(`$.metadata.alt_text.text: must have 1 to ${MOST_ALT_TEXT} characters`, { text: ['alt_text'] });
  mediaOf(deps).put(medium.id, { ...medium, altText: text });
  return json(200, { data: { id: medium.id, associated_metadata: { alt_text: { text } } } });
}

/** Those that a post may show together; null: they are not ready, not the account's, too many, or mixed. */
export function mediaToShow(ids: readonly string[], deps: Pick<MediaDeps, 'account' | 'now' | 'store'>): readonly Medium[] | null {
  const media = ids.map((id) => mediumOf(id, deps));
  if (media.length < 1 || media.length > 4 || new Set(ids).size < ids.length) return null;
  const ready = media.flatMap((medium) => (medium !== null && stateOf(medium, deps.now) === 'succeeded' ? [medium] : []));
  const alone = ready.every(({ category }) => category === 'tweet_image') || ready.length === 1;
  return ready.length === ids.length && alone ? ready : null;
}
