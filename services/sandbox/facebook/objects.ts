import type { SandboxAnswer } from '../exchange.ts';
import { graphTime, type Fields } from '../graph/fields.ts';
import type { FacebookOptions, PageRequest } from './page-request.ts';
import { shownComment } from './comments.ts';
import { answerObject } from './fields.ts';
import { unsupported } from './graph-errors.ts';
import { cardOf } from './live.ts';
import { photoOf } from './photos.ts';
import { FACEBOOK_PATH, permalinkPath, videoPath } from './public-paths.ts';
import type { PagePost, Photo, FacebookVideo } from './records.ts';
import { stageOf, statusFields } from './video-status.ts';

export const POST_KIND = 'Post';
export const VIDEO_KIND = 'Video';

export const withPermalink = ({ fault }: PageRequest): boolean => fault?.fault !== 'permalink_missing';

/** Known fields that the sandbox leaves empty. */
const UNFILLED_OF_POST = {
  story: undefined,
  full_picture: undefined,
  actions: undefined,
  shares: undefined,
  scheduled_publish_time: undefined,
  parent_id: undefined,
};

function attachmentsOf(post: PagePost, baseUrl: string): Fields | undefined {
  const { photoIds, videoId } = post;
  const card = cardOf(post);
  const photo = (id: string) => ({ target: { id, url: `${baseUrl}${FACEBOOK_PATH}/photo/${id}` }, type: 'photo' });
  if (videoId !== null) return { data: [{ target: { id: videoId }, type: 'video_inline' }] };
  if (photoIds.length > 1)
    return { data: [{ title: 'Photos', type: 'album', subattachments: { data: photoIds.map(photo) } }] };
  if (card !== null) return { data: [{ target: { url: card.url }, type: 'share', url: card.url }] };
  return photoIds.length === 0 ? undefined : { data: photoIds.map(photo) };
}

/** The fields of a post. That of a video has the video's permalink. */
export function postFields(post: PagePost, call: PageRequest, { records, baseUrl }: FacebookOptions): Fields {
  const { id, pageId, message, videoId, createdAt, publishedAt } = post;
  const path = videoId === null ? permalinkPath(id) : videoPath(records.videos.get(videoId)!);
  return {
    id,
    message: message === '' ? undefined : message,
    created_time: graphTime(publishedAt ?? createdAt),
    updated_time: graphTime(publishedAt ?? createdAt),
    is_published: publishedAt !== null,
    is_hidden: false,
    permalink_url: withPermalink(call) ? baseUrl() + path : undefined,
    status_type: videoId !== null ? 'added_video' : post.photoIds.length > 0 ? 'added_photos' : 'mobile_status_update',
    attachments: attachmentsOf(post, baseUrl()),
    from: { id: pageId, name: call.holder.account.name },
    ...UNFILLED_OF_POST,
  };
}

/** `page_story_id` is there before anything was published, too. */
function photoFields(
  { id, pageId, altText, createdAt, postId, file }: Photo,
  call: PageRequest,
  { baseUrl }: FacebookOptions,
): Fields {
  return {
    id,
    created_time: graphTime(createdAt),
    alt_text_custom: altText ?? undefined,
    link: postId === null || !withPermalink(call) ? undefined : baseUrl() + permalinkPath(postId),
    page_story_id: postId ?? `${pageId}_${id}`,
    width: file.width,
    height: file.height,
    from: { id: pageId, name: call.holder.account.name },
    ...{ name: undefined, images: undefined, picture: undefined, album: undefined, alt_text: undefined },
  };
}

/** A feed video counts as published from its finish until its processing fails; others only when they are ready. */
export function videoFields(video: FacebookVideo, call: PageRequest, options: FacebookOptions): Fields {
  const { id, pageId, kind, description, title, createdAt, finishedAt, postId, file } = video;
  const stage = stageOf(video, call.now);
  const hasPost = finishedAt !== null && stage !== 'failed';
  return {
    id,
    status: statusFields(video, call.now, options),
    published: stage === 'ready' || (kind === 'feed' && hasPost),
    post_id: hasPost ? postId! : undefined,
    // Relative, as the real one sometimes is.
    permalink_url: hasPost && withPermalink(call) ? videoPath(video).slice(FACEBOOK_PATH.length) : undefined,
    length: file === null ? undefined : file.durationMs / 1000,
    title: title ?? undefined,
    description: description === '' ? undefined : description,
    created_time: graphTime(createdAt),
    updated_time: graphTime(finishedAt ?? createdAt),
    from: { id: pageId, name: call.holder.account.name },
    ...{ picture: undefined, source: undefined, views: undefined, icon: undefined },
  };
}

/** GET /{object}: a post, a photo, a video or a comment of the Page. */
export function readObject(id: string, call: PageRequest, options: FacebookOptions): SandboxAnswer {
  const { records } = options;
  const { parameters, pageId } = call;
  const post = records.posts.get(id);
  if (post?.pageId === pageId)
    return answerObject(parameters, postFields(post, call, options), POST_KIND, ['created_time', 'message']);
  const photo = photoOf(id, pageId, call.now, records);
  if (photo !== null) return answerObject(parameters, photoFields(photo, call, options), 'Photo', ['created_time']);
  const video = records.videos.get(id);
  if (video?.pageId === pageId)
    return answerObject(parameters, videoFields(video, call, options), VIDEO_KIND, ['description', 'updated_time']);
  const comment = shownComment(id, call, options);
  return comment === null
    ? unsupported('get', id)
    : answerObject(parameters, comment.fields, comment.kind, comment.usual);
}
