import { json } from '../exchange.ts';
import type { Answer } from '../exchange.ts';
import { answerFields, graphTime, selectFields } from '../graph/fields.ts';
import type { Fields } from '../graph/fields.ts';
import { fieldsOf } from '../graph/parameters.ts';
import { LISTED_AFTER_MS } from '../timing.ts';
import type { FacebookDeps, PageAsked } from './asked.ts';
import { parameterError, unsupported } from './graph-errors.ts';
import { permalinkPath } from './posts.ts';
import type { PagePost, Photo, Video } from './records.ts';
import { videoPath } from './videos.ts';

const DEFAULT_LIMIT = 25;
const MOST_RESULTS = 100;
const STORY_LIFE_MS = 24 * 3_600_000;

const noField = (kind: string) => (field: string): Answer => parameterError(`(#100) Tried accessing nonexisting field (${field}) on node type (${kind})`);

/** `attachments{target{id},subattachments{...}}` is asked for by its name. */
function topFields(parameters: URLSearchParams): readonly string[] {
  let fields = parameters.get('fields') ?? '';
  for (let before = ''; before !== fields; ) {
    before = fields;
    fields = fields.replace(/\{[^{}]*\}/g, '');
  }
  return fieldsOf(new URLSearchParams({ fields }));
}

const withPermalink = ({ fault }: PageAsked): boolean => fault?.fault !== 'permalink_missing';

function postFields(post: PagePost, asked: PageAsked, deps: FacebookDeps): Fields {
  const targets = post.photoIds.map((id) => ({ target: { id }, type: 'photo' }));
  const attachments = targets.length > 1 ? { data: [{ type: 'album', subattachments: { data: targets } }] } : { data: targets };
  return {
    id: post.id,
    message: post.message === '' ? undefined : post.message,
    created_time: graphTime(post.publishedAt ?? post.createdAt),
    is_published: post.publishedAt !== null,
    permalink_url: withPermalink(asked) ? deps.baseUrl() + permalinkPath(post.id) : undefined,
    attachments: targets.length === 0 ? undefined : attachments,
    from: { id: post.pageId, name: asked.holder.account.name },
  };
}

function photoFields(photo: Photo, asked: PageAsked, deps: FacebookDeps): Fields {
  const { id, pageId, altText, createdAt, postId } = photo;
  const link = postId === null || !withPermalink(asked) ? undefined : deps.baseUrl() + permalinkPath(postId);
  const storyId = postId ?? `${pageId}_${id}`;
  return { id, link, alt_text_custom: altText ?? undefined, created_time: graphTime(createdAt), page_story_id: storyId, images: undefined, name: undefined };
}

/** Every phase as the clock has it now. */
function statusOf(video: Video, now: number, deps: FacebookDeps): Fields {
  const { file, finishedAt, readyAt, failure, size, uploadId } = video;
  const done = readyAt !== null && now >= readyAt;
  const failed = done && failure !== null;
  const came = file?.bytes ?? deps.files.size(uploadId);
  const uploading = { status: file === null ? 'in_progress' : 'complete', bytes_transfered: came, ...(size === null ? {} : { source_file_size: size }) };
  const processing = finishedAt === null ? 'not_started' : failed ? 'error' : done ? 'complete' : 'in_progress';
  const publishing = finishedAt === null ? 'not_started' : failed ? 'error' : done ? 'complete' : 'in_progress';
  const published = finishedAt === null || failed ? {} : { publish_time: Math.floor(finishedAt / 1000) };
  const videoStatus = file === null ? 'uploading' : finishedAt === null ? 'upload_complete' : failed ? 'error' : done ? 'ready' : 'processing';
  return {
    video_status: videoStatus,
    uploading_phase: uploading,
    processing_phase: { status: processing, ...(failed ? { errors: [failure] } : {}) },
    publishing_phase: { status: publishing, publish_status: finishedAt === null ? 'draft' : failed ? 'error' : 'published', ...published },
  };
}

function videoFields(video: Video, asked: PageAsked, deps: FacebookDeps): Fields {
  const { id, pageId, kind, description, title, createdAt, finishedAt, readyAt, failure, postId, file } = video;
  const failed = failure !== null && readyAt !== null && asked.now >= readyAt;
  const live = finishedAt !== null && !failed;
  return {
    id,
    status: statusOf(video, asked.now, deps),
    published: live,
    post_id: live ? (postId ?? undefined) : undefined,
    // The real one is relative too.
    permalink_url: live && withPermalink(asked) ? videoPath({ kind, id, postId }).slice('/sim/facebook'.length) : undefined,
    length: file === null ? undefined : file.durationMs / 1000,
    title: title ?? undefined,
    description: description === '' ? undefined : description,
    created_time: graphTime(createdAt),
    updated_time: graphTime(finishedAt ?? createdAt),
    from: { id: pageId, name: asked.holder.account.name },
  };
}

/** GET /{object}: a post, a photo or a video of the Page. */
export function readObject(id: string, asked: PageAsked, deps: FacebookDeps): Answer {
  const { posts, photos, videos } = deps.records;
  const post = posts.get(id);
  if (post?.pageId === asked.pageId) return answerFields(topFields(asked.parameters), postFields(post, asked, deps), noField('Post'));
  const photo = photos.get(id);
  if (photo?.pageId === asked.pageId) return answerFields(topFields(asked.parameters), photoFields(photo, asked, deps), noField('Photo'));
  const video = videos.get(id);
  if (video?.pageId === asked.pageId) return answerFields(topFields(asked.parameters), videoFields(video, asked, deps), noField('Video'));
  return unsupported('get', id);
}

interface Listed {
  readonly at: number;
  readonly fields: Fields;
}

/** One page of a list, newest first, of those in [since, until] that were published long enough ago to be listed. */
function page(listed: readonly Listed[], kind: string, { parameters, now }: PageAsked, deps: FacebookDeps): Answer {
  const limit = parameters.get('limit') ?? String(DEFAULT_LIMIT);
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1) return parameterError('(#100) Param limit must be a positive integer.');
  const bound = (name: string, none: number) => (parameters.has(name) ? Number(parameters.get(name)) * 1000 : none);
  const [since, until] = [bound('since', -Infinity), bound('until', Infinity)];
  if (Number.isNaN(since) || Number.isNaN(until)) return parameterError('(#100) Params since and until must be unix timestamps.');
  const listedUntil = Math.min(until, now - deps.timing.scaled('facebook', LISTED_AFTER_MS));
  const found = listed.filter(({ at }) => at >= since && at <= listedUntil).sort((a, b) => b.at - a.at).slice(0, Math.min(Number(limit), MOST_RESULTS));
  const selected = found.map(({ fields }) => selectFields(topFields(parameters), fields, noField(kind)));
  const wrong = selected.find((one) => 'refused' in one);
  return wrong !== undefined ? wrong.refused : json(200, { data: selected.map((one) => ('fields' in one ? one.fields : null)) });
}

/** GET /{page}/published_posts and /{page}/feed: posts, and videos as what was posted with them. */
export function listPosts(asked: PageAsked, deps: FacebookDeps): Answer {
  const posts = deps.records.posts.ofPage(asked.pageId).flatMap((post) => (post.publishedAt === null ? [] : [{ at: post.publishedAt, fields: postFields(post, asked, deps) }]));
  const videos = deps.records.videos.ofPage(asked.pageId).flatMap((video): readonly Listed[] => {
    const { kind, id, pageId, description, finishedAt, readyAt, failure, postId } = video;
    if (kind === 'story' || finishedAt === null || failure !== null || readyAt === null || asked.now < readyAt) return [];
    const permalink = withPermalink(asked) ? deps.baseUrl() + videoPath({ kind, id, postId }) : undefined;
    const post: PagePost = { id: postId!, pageId, message: description, photoIds: [], createdAt: finishedAt, publishedAt: finishedAt };
    const attachments = { data: [{ target: { id }, type: 'video_inline' }] };
    return [{ at: finishedAt, fields: { ...postFields(post, asked, deps), permalink_url: permalink, attachments } }];
  });
  return page([...posts, ...videos], 'Post', asked, deps);
}

/** GET /{page}/video_reels */
export function listReels(asked: PageAsked, deps: FacebookDeps): Answer {
  const reels = deps.records.videos.ofPage(asked.pageId).filter(({ kind, finishedAt, failure }) => kind === 'reel' && finishedAt !== null && failure === null);
  return page(reels.map((video) => ({ at: video.finishedAt!, fields: videoFields(video, asked, deps) })), 'Video', asked, deps);
}

/** GET /{page}/stories: those of the last day. */
export function listStories(asked: PageAsked, deps: FacebookDeps): Answer {
  const { pageId, now } = asked;
  const live = deps.items.ofAccount('facebook', pageId, { descending: true }).filter(({ placement, publishedAt }) => placement === 'story' && publishedAt > now - STORY_LIFE_MS);
  const photos = new Map(deps.records.photos.ofPage(pageId).map(({ id, storyId }) => [storyId, { id, type: 'photo' }]));
  const videos = new Map(deps.records.videos.ofPage(pageId).map(({ id, postId }) => [postId, { id, type: 'video' }]));
  const stories = live.flatMap(({ remoteId, publishedAt, path }): readonly Listed[] => {
    const media = photos.get(remoteId) ?? videos.get(remoteId);
    if (media === undefined) return [];
    const url = withPermalink(asked) ? deps.baseUrl() + path : undefined;
    const creationTime = String(Math.floor(publishedAt / 1000));
    const fields = { id: undefined, post_id: remoteId, status: 'PUBLISHED', creation_time: creationTime, media_type: media.type, media_id: media.id, url };
    return [{ at: publishedAt, fields }];
  });
  return page(stories, 'PageStory', asked, deps);
}
