import type { SandboxAnswer } from '../exchange.ts';
import { bearer } from '../graph/parameters.ts';
import { idFloor } from '../remote-ids.ts';
import { LISTED_AFTER_MS } from '../timing.ts';
import { wholeOf, type FacebookOptions, type PageRequest } from './page-request.ts';
import { parameterError } from './graph-errors.ts';
import { listed, type Entry } from './lists.ts';
import { POST_KIND, postFields, VIDEO_KIND, videoFields, withPermalink } from './objects.ts';
import { storyPath } from './public-paths.ts';
import type { PagePost } from './records.ts';
import { stageOf } from './video-status.ts';

export const STORY_LIFE_MS = 24 * 3_600_000;

interface ListedObject extends Entry {
  readonly at: number;
}

/** Newest first, of those between `since` and `until` that were published long enough ago to be listed. */
function listSeen(
  seen: readonly ListedObject[],
  { kind, usual }: { readonly kind: string; readonly usual: readonly string[] },
  { request, parameters, now }: PageRequest,
  options: FacebookOptions,
): SandboxAnswer {
  const bound = (name: string, none: number) => (parameters.has(name) ? wholeOf(parameters.get(name)) * 1000 : none);
  const [since, until] = [bound('since', 0), bound('until', Infinity)];
  if (since < 0 || until < 0) return parameterError('(#100) Params since and until must be unix timestamps.');
  const listedUntil = Math.min(until, now - options.timing.scaled('facebook', LISTED_AFTER_MS));
  const found = seen.filter(({ at }) => at >= since && at <= listedUntil).sort((one, other) => other.at - one.at);
  const rules = { kind, usual, baseUrl: options.baseUrl(), token: bearer(request, parameters) };
  return listed(found, request, parameters, rules);
}

/** Whether the public can see the post: that of a video, once the video is ready. */
function isSeen({ publishedAt, videoId }: PagePost, now: number, { records }: FacebookOptions): boolean {
  return publishedAt !== null && (videoId === null || stageOf(records.videos.get(videoId)!, now) === 'ready');
}

/** GET /{page}/published_posts and /{page}/feed: posts, and the posts of videos. */
export function listPosts(call: PageRequest, options: FacebookOptions): SandboxAnswer {
  const seen = options.records.posts.ofPage(call.pageId).filter((post) => isSeen(post, call.now, options));
  const entries = seen.map((post) => ({
    key: post.id,
    at: post.publishedAt!,
    all: () => postFields(post, call, options),
  }));
  return listSeen(entries, { kind: POST_KIND, usual: ['created_time', 'message'] }, call, options);
}

/** GET /{page}/video_reels */
export function listReels(call: PageRequest, options: FacebookOptions): SandboxAnswer {
  const ready = options.records.videos
    .ofPage(call.pageId)
    .filter((video) => video.kind === 'reel' && stageOf(video, call.now) === 'ready');
  const entries = ready.map((video) => ({
    key: video.id,
    at: video.finishedAt!,
    all: () => videoFields(video, call, options),
  }));
  return listSeen(entries, { kind: VIDEO_KIND, usual: ['description', 'updated_time'] }, call, options);
}

const USUAL_OF_STORY = ['post_id', 'status', 'creation_time', 'media_type', 'media_id', 'url'];

/** GET /{page}/stories: those of the last day. This Page keeps no archive. */
export function listStories(call: PageRequest, options: FacebookOptions): SandboxAnswer {
  const { pageId, now, parameters } = call;
  const statuses = (parameters.get('status') ?? 'PUBLISHED').split(',');
  if (statuses.some((status) => status !== 'PUBLISHED' && status !== 'ARCHIVED'))
    return parameterError('(#100) Param status must be one of {PUBLISHED, ARCHIVED}');
  const { records, baseUrl } = options;
  const live = records.stories
    .ofPage(pageId, { above: idFloor(now - STORY_LIFE_MS) })
    .filter(({ createdAt, mediaId, mediaType }) => {
      return (
        createdAt > now - STORY_LIFE_MS &&
        (mediaType === 'photo' || stageOf(records.videos.get(mediaId)!, now) === 'ready')
      );
    });
  const entries = (statuses.includes('PUBLISHED') ? live : []).map(({ id, createdAt, mediaId, mediaType }) => {
    const url = withPermalink(call) ? baseUrl() + storyPath(id) : undefined;
    const creationTime = String(Math.floor(createdAt / 1000));
    const all = {
      id: undefined,
      post_id: id,
      status: 'PUBLISHED',
      creation_time: creationTime,
      media_type: mediaType,
      media_id: mediaId,
      url,
    };
    return { key: id, at: createdAt, all: () => all };
  });
  return listSeen(entries, { kind: 'PageStory', usual: USUAL_OF_STORY }, call, options);
}
