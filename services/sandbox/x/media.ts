import { isRecord, json, type SandboxAnswer, type Incoming } from '../exchange.ts';
import type { SandboxFile } from '../files/files.ts';
import { judgeFile, maxBytes, typesOf } from './media-rules.ts';
import {
  CATEGORIES,
  isCategory,
  keyOf,
  mediaShelf,
  MEDIUM_LIFE_MS,
  mediumOf,
  stateOf,
  type Category,
  type MediaCallOptions,
  type Medium,
} from './medium.ts';
import { invalid, notFound, undefinedProperty } from './problems.ts';

const PROCESSING_MS = 10_000;
const CHECK_AFTER_SECONDS = 5;
const MAX_SEGMENTS = 1_000;
const MAX_SEGMENT_BYTES = 5 * 1_048_576;
const MAX_ALT_TEXT = 1_000;
/** Those of an upload in one piece, whose type X reads from the bytes; `media` is the file. */
const WHOLE_FIELDS = ['media', 'media_category', 'additional_owners'];
const ANNOUNCEMENT_FIELDS = ['media_category', 'media_type', 'total_bytes', 'shared', 'additional_owners'];

const shownValue = (value: unknown) => [String(value).slice(0, 60)];

/** Pictures are ready at once, videos after a while. */
function sealed(medium: Medium, file: SandboxFile, { fault, now, timing, account }: MediaCallOptions): Medium {
  const wrong = judgeFile(file, medium.category, account);
  const failure = wrong ?? (fault?.fault === 'processing_failed' ? (fault.reason ?? 'Unsupported video format') : null);
  const takesMs = medium.category === 'tweet_image' ? 0 : timing.scaled('x', PROCESSING_MS);
  return { ...medium, file, failure, readyAt: fault?.fault === 'processing_stuck' ? null : now + takesMs };
}

/** `justFinalized`: the API calls running processing `pending` then. */
function described(medium: Medium, now: number, justFinalized = false): object {
  const reached = stateOf(medium, now);
  const state = justFinalized && reached === 'in_progress' ? 'pending' : reached;
  const info = {
    state,
    ...(state === 'pending' || state === 'in_progress' ? { check_after_secs: CHECK_AFTER_SECONDS } : {}),
    ...(state === 'in_progress' ? { progress_percent: 40 } : {}),
    ...(state === 'succeeded' ? { progress_percent: 100 } : {}),
    ...(state === 'failed' ? { error: { code: 1, name: 'InvalidMedia', message: medium.failure } } : {}),
  };
  const about = {
    id: medium.id,
    media_key: keyOf(medium),
    size: medium.size,
    expires_after_secs: MEDIUM_LIFE_MS / 1000,
  };
  return medium.category === 'tweet_image' && state === 'succeeded' ? about : { ...about, processing_info: info };
}

function begin(category: Category, size: number, { account, now, files, remoteIds }: MediaCallOptions): Medium {
  const fresh = { segments: {}, file: null, readyAt: null, failure: null, altText: null };
  return {
    id: remoteIds.next(),
    accountId: account.accountId,
    category,
    uploadId: files.open(),
    size,
    createdAt: now,
    ...fresh,
  };
}

/** POST /2/media/upload: an image, in one piece. */
export function uploadWhole(
  bytes: Uint8Array | null,
  fields: URLSearchParams,
  options: MediaCallOptions,
): SandboxAnswer {
  const category = fields.get('media_category') ?? '';
  const undefinedField = [...fields.keys()].find((name) => !WHOLE_FIELDS.includes(name));
  if (undefinedField !== undefined) return undefinedProperty(undefinedField);
  if (bytes === null || bytes.length === 0) return invalid('$.media: is missing but it is required', { media: [''] });
  if (category !== 'tweet_image')
    return invalid('$.media_category: does not have a value in the enumeration [tweet_image]', {
      media_category: shownValue(category),
    });
  if (bytes.length > maxBytes(category, options.account))
    return invalid(`File size exceeds ${maxBytes(category, options.account)} bytes.`, { media: ['file'] });
  const medium = sealed(begin(category, bytes.length, options), options.files.keep(bytes), options);
  if (medium.failure !== null) return invalid('media type unrecognized.', { media: ['file'] });
  mediaShelf(options).put(medium.id, medium);
  return json(200, { data: described(medium, options.now) });
}

/** The announcement of an upload in segments. */
export interface UploadAnnouncement {
  readonly media_category?: unknown;
  readonly media_type?: unknown;
  readonly total_bytes?: unknown;
}

/** POST /2/media/upload/initialize */
export function initializeUpload(announced: UploadAnnouncement, options: MediaCallOptions): SandboxAnswer {
  const { media_category: category, total_bytes: size, media_type: type } = announced;
  const undefinedField = Object.keys(announced).find((name) => !ANNOUNCEMENT_FIELDS.includes(name));
  if (undefinedField !== undefined) return undefinedProperty(undefinedField);
  if (!isCategory(category))
    return invalid(`$.media_category: does not have a value in the enumeration [${CATEGORIES.join(', ')}]`, {
      media_category: shownValue(category),
    });
  const types = typesOf(category);
  if (typeof type !== 'string' || !types.includes(type))
    return invalid(`$.media_type: does not have a value in the enumeration [${types.join(', ')}]`, {
      media_type: shownValue(type),
    });
  const most = maxBytes(category, options.account);
  if (!Number.isSafeInteger(size) || (size as number) < 1)
    return invalid('$.total_bytes: must be a whole number of at least 1', { total_bytes: shownValue(size) });
  if ((size as number) > most) return invalid(`File size exceeds ${most} bytes.`, { total_bytes: shownValue(size) });
  const medium = begin(category, size as number, options);
  mediaShelf(options).put(medium.id, medium);
  return json(200, { data: { id: medium.id, media_key: keyOf(medium), expires_after_secs: MEDIUM_LIFE_MS / 1000 } });
}

/** The offset of a segment; null: one before it is missing. */
function offsetOf(index: number, segments: Medium['segments']): number | null {
  let offset = 0;
  for (let each = 0; each < index; each++) {
    const size = segments[each];
    if (size === undefined) return null;
    offset += size;
  }
  return offset;
}

/** POST /2/media/upload/{id}/append: segments are sent in the order of their indexes; each may be repeated. */
export function appendSegment(
  id: string,
  bytes: Uint8Array | null,
  index: string,
  options: MediaCallOptions,
): SandboxAnswer {
  const medium = mediumOf(id, options);
  if (medium === null || medium.file !== null)
    return invalid('The media id is not one that can be appended to.', { id: shownValue(id) });
  if (bytes === null || bytes.length === 0 || bytes.length > MAX_SEGMENT_BYTES)
    return invalid(`$.media: must be from 1 byte to ${MAX_SEGMENT_BYTES} bytes`, { media: ['file'] });
  if (!/^\d{1,3}$/.test(index))
    return invalid(`$.segment_index: must be from 0 to ${MAX_SEGMENTS - 1}`, { segment_index: shownValue(index) });
  const segment = Number(index);
  const offset = offsetOf(segment, medium.segments);
  if (offset === null)
    return invalid('$.segment_index: the segments before it have not come', { segment_index: [index] });
  const before = medium.segments[segment];
  if (before !== undefined && before !== bytes.length)
    return invalid('$.segment_index: came before with another size', { segment_index: [index] });
  if (offset + bytes.length > medium.size) return invalid('More came than total_bytes says.', { media: ['file'] });
  options.files.write(medium.uploadId, offset, bytes);
  mediaShelf(options).put(id, { ...medium, segments: { ...medium.segments, [segment]: bytes.length } });
  return json(200, { data: { expires_at: Math.floor((medium.createdAt + MEDIUM_LIFE_MS) / 1000) } });
}

/** POST /2/media/upload/{id}/finalize. A repeated call only reports the progress of processing. */
export function finalizeUpload(id: string, options: MediaCallOptions): SandboxAnswer {
  const medium = mediumOf(id, options);
  if (medium === null) return invalid('The media id is not one that can be finalized.', { id: shownValue(id) });
  const came = Object.values(medium.segments).reduce((sum, each) => sum + each, 0);
  if (medium.file === null && came !== medium.size)
    return invalid('Segments do not add up to provided total_bytes.', { total_bytes: [String(medium.size)] });
  const whole = medium.file === null ? sealed(medium, options.files.seal(medium.uploadId), options) : medium;
  mediaShelf(options).put(id, whole);
  if (whole.category === 'tweet_image' && whole.failure !== null)
    return invalid('media type unrecognized.', { media: ['file'] });
  return json(200, { data: described(whole, options.now, true) });
}

/** GET /2/media/upload?command=STATUS */
export function uploadStatus(query: URLSearchParams, options: MediaCallOptions): SandboxAnswer {
  if (query.get('command') !== 'STATUS')
    return invalid('$.command: does not have a value in the enumeration [STATUS]', {
      command: shownValue(query.get('command') ?? ''),
    });
  const medium = mediumOf(query.get('media_id') ?? '', options);
  return medium === null ? notFound('this media id') : json(200, { data: described(medium, options.now) });
}

/** POST /2/media/metadata: the alt text of a picture. With a video it has no effect. */
export function describeMedia(request: Incoming, options: MediaCallOptions): SandboxAnswer {
  const body = request.json();
  const [id, metadata] = isRecord(body) ? [body['id'], body['metadata']] : [null, null];
  const text = isRecord(metadata) && isRecord(metadata['alt_text']) ? metadata['alt_text']['text'] : null;
  const medium = typeof id === 'string' ? mediumOf(id, options) : null;
  if (medium === null) return invalid('$.id: is not a media id of this user', { id: shownValue(id) });
  if (typeof text !== 'string' || text === '' || [...text].length > MAX_ALT_TEXT)
    return invalid(`$.metadata.alt_text.text: must have 1 to ${MAX_ALT_TEXT} characters`, { text: ['alt_text'] });
  mediaShelf(options).put(medium.id, { ...medium, altText: medium.category === 'tweet_video' ? null : text });
  return json(200, { data: { id: medium.id, associated_metadata: { alt_text: { text } } } });
}
