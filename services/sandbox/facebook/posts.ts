import { isRecord, json } from '../exchange.ts';
import type { Answer, Incoming } from '../exchange.ts';
import type { FacebookDeps, PageAsked } from './asked.ts';
import { graphError, parameterError, unsupported, usedImage } from './graph-errors.ts';
import type { PagePost, Photo } from './records.ts';

const MOST_TEXT = 63_206;
const PHOTO_LIFE_MS = 24 * 3_600_000;

export const permalinkPath = (postId: string): string => `/sim/facebook/${postId.replace('_', '/posts/')}`;

/** Puts the post before the public. */
export function goLive(post: PagePost, now: number, deps: FacebookDeps): void {
  const photos = post.photoIds.map((id) => deps.records.photos.get(id)!);
  deps.records.posts.put({ ...post, publishedAt: now });
  deps.items.add({
    network: 'facebook',
    accountId: post.pageId,
    remoteId: post.id,
    placement: 'feed',
    text: post.message,
    media: photos.map(({ file: { sha256, bytes, contentType } }) => ({ sha256, bytes, contentType })),
    altTexts: photos.map(({ altText }) => altText),
    publishedAt: now,
    path: permalinkPath(post.id),
  });
}

/** Both spellings: one JSON array, or `attached_media[0]={...}`. Null: neither can be read. */
function attachedIds(request: Incoming, parameters: URLSearchParams): readonly string[] | null {
  const body = request.json();
  const given: unknown[] = [];
  if (isRecord(body) && Array.isArray(body['attached_media'])) given.push(...body['attached_media']);
  try {
    const whole = parameters.get('attached_media');
    if (whole !== null) given.push(...(JSON.parse(whole) as unknown[]));
    for (let index = 0; parameters.has(`attached_media[${index}]`); index++) given.push(JSON.parse(parameters.get(`attached_media[${index}]`)!));
  } catch {
    return null;
  }
  const ids = given.map((each) => (isRecord(each) && typeof each['media_fbid'] === 'string' ? each['media_fbid'] : ''));
  return ids.includes('') ? null : ids;
}

function refusePhotos(ids: readonly string[], photos: readonly (Photo | null)[], { pageId, now }: PageAsked): Answer | null {
  for (const [index, photo] of photos.entries()) {
    if (photo === null || photo.pageId !== pageId || now - photo.createdAt > PHOTO_LIFE_MS) return parameterError(`(#100) Invalid media_fbid ${ids[index]!.slice(0, 60)}`);
    if (photo.postId !== null || photo.storyId !== null) return usedImage();
  }
  return new Set(ids).size === ids.length ? null : parameterError('(#100) attached_media names a photo twice.');
}

/** POST /{page}/feed: live at once, unless `published=false`. */
export function createPost(asked: PageAsked, deps: FacebookDeps): Answer {
  const { request, parameters, pageId, now } = asked;
  const message = parameters.get('message') ?? '';
  const photoIds = attachedIds(request, parameters);
  if (photoIds === null) return parameterError('(#100) Param attached_media must be an array of {media_fbid}.');
  if (message === '' && photoIds.length === 0 && !parameters.get('link')) return parameterError('(#100) Missing message or attachment');
  if (message.length > MOST_TEXT) return parameterError('(#100) Param message is too long.');
  if (/https?:\/\/(www\.)?facebook\.com\//i.test(parameters.get('link') ?? '')) return graphError({ code: 1609008, message: "You can't post links to facebook.com here." });
  const photos = photoIds.map((id) => deps.records.photos.get(id));
  const refused = refusePhotos(photoIds, photos, asked);
  if (refused !== null) return refused;
  const post: PagePost = { id: `${pageId}_${deps.remoteIds.next()}`, pageId, message, photoIds, createdAt: now, publishedAt: null };
  for (const photo of photos) deps.records.photos.put({ ...photo!, postId: post.id });
  if (parameters.get('published') === 'false') deps.records.posts.put(post);
  else goLive(post, now, deps);
  return json(200, { id: post.id, post_supports_client_mutation_id: true });
}

/** POST /{post}: with `is_published=true` it goes live; once more answers the same and changes nothing. */
export function publishPost(postId: string, { parameters, pageId, now }: PageAsked, deps: FacebookDeps): Answer {
  const post = deps.records.posts.get(postId);
  if (post === null || post.pageId !== pageId) return unsupported('post', postId);
  if (parameters.get('is_published') === 'false' && post.publishedAt !== null) return parameterError('(#100) A published post can not be unpublished.');
  if (parameters.get('is_published') === 'true' && post.publishedAt === null) goLive(post, now, deps);
  return json(200, { success: true });
}

/** DELETE /{object}: of a post that nobody saw yet; what is live stays, as the truth of tests. */
export function deleteObject(id: string, { pageId }: PageAsked, deps: FacebookDeps): Answer {
  const post = deps.records.posts.get(id);
  if (post === null || post.pageId !== pageId || post.publishedAt !== null) return unsupported('delete', id);
  for (const photoId of post.photoIds) deps.records.photos.delete(photoId);
  deps.records.posts.delete(id);
  return json(200, { success: true });
}
