import { isRecord, json, type SandboxAnswer, type Incoming } from '../exchange.ts';
import { flagOf, type FacebookOptions, type PageRequest } from './page-request.ts';
import { answerObject } from './fields.ts';
import { badAddress, ownLink, parameterError, unreachableLink, unsupported, usedImage } from './graph-errors.ts';
import { goLive } from './live.ts';
import { POST_KIND, postFields } from './objects.ts';
import { isWebAddress, photoOf, wasSeen } from './photos.ts';
import type { PagePost } from './records.ts';

const MAX_TEXT = 63_206;

/** Both spellings: one JSON array, or `attached_media[0]={...}`. Null: neither can be parsed. */
function attachedIds(request: Incoming, parameters: URLSearchParams): readonly string[] | null {
  const body = /^application\/json\b/i.test(request.header('content-type')) ? request.json() : null;
  const inBody = isRecord(body) && typeof body['attached_media'] !== 'string' ? body['attached_media'] : undefined;
  const given: unknown[] = [];
  try {
    for (let index = 0; parameters.has(`attached_media[${index}]`); index++)
      given.push(JSON.parse(parameters.get(`attached_media[${index}]`)!));
    const whole: unknown = parameters.has('attached_media') ? JSON.parse(parameters.get('attached_media')!) : inBody;
    if (whole !== undefined && !Array.isArray(whole)) return null;
    given.push(...((whole ?? []) as readonly unknown[]));
  } catch {
    return null;
  }
  const ids = given.map((each) => (isRecord(each) && typeof each['media_fbid'] === 'string' ? each['media_fbid'] : ''));
  return ids.includes('') ? null : ids;
}

function refusePhotos(
  ids: readonly string[],
  { pageId, now }: PageRequest,
  { records }: FacebookOptions,
): SandboxAnswer | null {
  for (const id of ids) {
    const photo = photoOf(id, pageId, now, records);
    if (photo === null) return parameterError(`(#100) Invalid media_fbid ${id.slice(0, 60)}`);
    if (wasSeen(photo, records)) return usedImage();
  }
  return new Set(ids).size === ids.length ? null : parameterError('(#100) attached_media names a photo twice.');
}

function refuseLink(link: string, { fault }: PageRequest): SandboxAnswer | null {
  if (!isWebAddress(link)) return badAddress();
  if (/(^|\.)facebook\.com$/i.test(new URL(link).hostname)) return ownLink();
  return fault?.fault === 'media_fetch_blocked' ? unreachableLink() : null;
}

/**
 * POST /{page}/feed: live at once, unless `published=false`. Photos of an unpublished post may be attached to another.
 */
export function createPost(call: PageRequest, options: FacebookOptions): SandboxAnswer {
  const { request, parameters, pageId, now } = call;
  const message = parameters.get('message') ?? '';
  const link = parameters.get('link') ?? '';
  const photoIds = attachedIds(request, parameters);
  if (photoIds === null) return parameterError('(#100) Param attached_media must be an array of {media_fbid}.');
  if (message === '' && photoIds.length === 0 && link === '')
    return parameterError('(#100) Missing message or attachment');
  if (message.length > MAX_TEXT)
    return parameterError(`(#100) Param message must be at most ${MAX_TEXT} characters long.`);
  const published = flagOf(parameters, 'published', true);
  if (published === null) return parameterError('(#100) Param published must be a boolean.');
  const refused = (link === '' ? null : refuseLink(link, call)) ?? refusePhotos(photoIds, call, options);
  if (refused !== null) return refused;
  const post: PagePost = {
    id: `${pageId}_${options.remoteIds.next()}`,
    pageId,
    message,
    photoIds,
    ...(link === '' ? {} : { link }),
    videoId: null,
    createdAt: now,
    publishedAt: null,
  };
  if (published) goLive(post, now, options);
  else {
    options.records.posts.put(post);
    for (const id of photoIds) options.records.photos.put({ ...options.records.photos.get(id)!, postId: post.id });
  }
  if (parameters.has('fields'))
    return answerObject(parameters, postFields(options.records.posts.get(post.id)!, call, options), POST_KIND, []);
  return json(200, { id: post.id, post_supports_client_mutation_id: true });
}

/** POST /{post}: with `is_published=true` it goes live; a second call answers the same and changes nothing. */
export function publishPost(
  postId: string,
  { parameters, pageId, now }: PageRequest,
  options: FacebookOptions,
): SandboxAnswer {
  const post = options.records.posts.get(postId);
  if (post === null || post.pageId !== pageId) return unsupported('post', postId);
  const publish = parameters.has('is_published') ? flagOf(parameters, 'is_published', false) : null;
  if (publish === null) return parameterError('(#100) Param is_published must be a boolean.');
  if (!publish && post.publishedAt !== null) return parameterError('(#100) A published post can not be unpublished.');
  if (publish && post.publishedAt === null) {
    const photos = post.photoIds.map((id) => options.records.photos.get(id));
    if (photos.includes(null)) return parameterError('(#100) A photo of this post was deleted.');
    if (photos.some((photo) => wasSeen(photo!, options.records))) return usedImage();
    goLive(post, now, options);
  }
  return json(200, { success: true });
}
