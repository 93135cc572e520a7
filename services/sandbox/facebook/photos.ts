import { json, type SandboxAnswer } from '../exchange.ts';
import type { SandboxFile } from '../files/files.ts';
import { bytesOfPart, flagOf, type FacebookOptions, type PageRequest } from './page-request.ts';
import { badAddress, badImage, largeImage, parameterError } from './graph-errors.ts';
import { goLive } from './live.ts';
import type { FacebookRecords, Photo } from './records.ts';

const MAX_BYTES = 10 * 1_048_576;
const MAX_ALT_TEXT = 1_000;
const TAKEN = ['image/jpeg', 'image/png', 'image/gif'];
const UNATTACHED_LIFE_MS = 24 * 3_600_000;

/** The photo, unless it expired because it was unused for too long. */
export function photoOf(id: string, pageId: string, now: number, { photos }: FacebookRecords): Photo | null {
  const photo = photos.get(id);
  if (photo === null || photo.pageId !== pageId) return null;
  return photo.postId === null && photo.storyId === null && now - photo.createdAt > UNATTACHED_LIFE_MS ? null : photo;
}

/** Whether the photo was published. Being attached to a post that isn't live does not count. */
export function wasSeen({ postId, storyId }: Photo, { posts }: FacebookRecords): boolean {
  return storyId !== null || (postId !== null && (posts.get(postId)?.publishedAt ?? null) !== null);
}

/** The picture that the call sends or names; null when it did not arrive. */
async function pictureOf(
  { parameters, parts, fault }: PageRequest,
  { files, fetchFile }: FacebookOptions,
): Promise<SandboxFile | null> {
  if (fault?.fault === 'media_fetch_blocked') return null;
  const bytes = await bytesOfPart(parts, 'source');
  return bytes !== null ? files.keep(bytes) : fetchFile(parameters.get('url') ?? '', 2 * MAX_BYTES);
}

export const isWebAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** The problem with the parameters, before any file is inspected; null: none. */
function refusePhoto({ parameters, parts }: PageRequest): SandboxAnswer | null {
  const url = parameters.get('url');
  if (parts?.get('source') == null && url === null) return parameterError('(#100) One of url or source is required.');
  if (parts?.get('source') == null && !isWebAddress(url!)) return badAddress();
  const tooLong = (parameters.get('alt_text_custom') ?? '').length > MAX_ALT_TEXT;
  if (tooLong) return parameterError(`(#100) Param alt_text_custom must be at most ${MAX_ALT_TEXT} characters long.`);
  return flagOf(parameters, 'published', true) === null
    ? parameterError('(#100) Param published must be a boolean.')
    : null;
}

/** POST /{page}/photos: unpublished, to be attached or made a Story; or published as a post of its own. */
export async function createPhoto(call: PageRequest, options: FacebookOptions): Promise<SandboxAnswer> {
  const refused = refusePhoto(call);
  if (refused !== null) return refused;
  const file = await pictureOf(call, options);
  if (file === null || !file.contentType.startsWith('image/')) return badImage();
  if (file.bytes > MAX_BYTES || !TAKEN.includes(file.contentType)) return largeImage();
  const { parameters, pageId, now } = call;
  const { sha256, bytes, contentType, width, height } = file;
  const altText = parameters.get('alt_text_custom') || null;
  const photo: Photo = {
    id: options.remoteIds.next(),
    pageId,
    file: { sha256, bytes, contentType, width, height },
    altText,
    createdAt: now,
    postId: null,
    storyId: null,
  };
  options.records.photos.put(photo);
  if (flagOf(parameters, 'published', true) === false) return json(200, { id: photo.id });
  const message = parameters.get('message') ?? parameters.get('caption') ?? '';
  const postId = `${pageId}_${options.remoteIds.next()}`;
  goLive(
    { id: postId, pageId, message, photoIds: [photo.id], videoId: null, createdAt: now, publishedAt: null },
    now,
    options,
  );
  return json(200, { id: photo.id, post_id: postId });
}
