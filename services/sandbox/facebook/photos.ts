import { json } from '../exchange.ts';
import type { Answer } from '../exchange.ts';
import type { SandboxFile } from '../files/files.ts';
import { bytesOfPart } from './asked.ts';
import type { FacebookDeps, PageAsked } from './asked.ts';
import { badImage, largeImage, parameterError } from './graph-errors.ts';
import { goLive } from './posts.ts';
import type { Photo } from './records.ts';

const MOST_BYTES = 10 * 1_048_576;
const MOST_ALT_TEXT = 1_000;
const TAKEN = ['image/jpeg', 'image/png', 'image/gif'];

/** The picture that the call sends or names; null when there is none that can be read. */
async function pictureOf({ parameters, parts, fault }: PageAsked, { files, fetchFile }: FacebookDeps): Promise<SandboxFile | null> {
  if (fault?.fault === 'media_fetch_blocked') return null;
  const bytes = await bytesOfPart(parts, 'source');
  if (bytes !== null) return files.keep(bytes);
  return fetchFile(parameters.get('url') ?? '', 2 * MOST_BYTES);
}

/** POST /{page}/photos: unpublished, to be attached or made a Story; or published as a post of its own. */
export async function createPhoto(asked: PageAsked, deps: FacebookDeps): Promise<Answer> {
  const { parameters, parts, pageId, now } = asked;
  if (parts?.get('source') == null && !parameters.has('url')) return parameterError('(#100) One of url or source is required.');
  const altText = parameters.get('alt_text_custom');
  if (altText !== null && altText.length > MOST_ALT_TEXT) return parameterError(`(#100) Param alt_text_custom must be at most ${MOST_ALT_TEXT} characters long.`);
  const file = await pictureOf(asked, deps);
  if (file === null || !TAKEN.includes(file.contentType)) return badImage();
  if (file.bytes > MOST_BYTES) return largeImage();
  const { sha256, bytes, contentType, width, height } = file;
  const photo: Photo = { id: deps.remoteIds.next(), pageId, file: { sha256, bytes, contentType, width, height }, altText, createdAt: now, postId: null, storyId: null };
  if (parameters.get('published') === 'false') {
    deps.records.photos.put(photo);
    return json(200, { id: photo.id });
  }
  const message = parameters.get('message') ?? parameters.get('caption') ?? '';
  const postId = `${pageId}_${deps.remoteIds.next()}`;
  deps.records.photos.put({ ...photo, postId });
  goLive({ id: postId, pageId, message, photoIds: [photo.id], createdAt: now, publishedAt: null }, now, deps);
  return json(200, { id: photo.id, post_id: postId });
}
