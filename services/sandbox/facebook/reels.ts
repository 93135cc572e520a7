import { json } from '../exchange.ts';
import type { Answer } from '../exchange.ts';
import type { FacebookDeps, PageAsked } from './asked.ts';
import { parameterError, videoError } from './graph-errors.ts';
import type { Video } from './records.ts';
import { isAnswer, namedVideo, newVideo, publishVideo, videoPath } from './videos.ts';
import type { VideoKindByAddress } from './upload.ts';

const DAY_MS = 24 * 3_600_000;

/** POST /{page}/video_reels or video_stories, upload_phase=start */
export function startByAddress(kind: VideoKindByAddress, version: string, asked: PageAsked, deps: FacebookDeps): Answer {
  const { id } = newVideo(kind, null, asked, deps);
  return json(200, { video_id: id, upload_url: `${deps.baseUrl()}/sim/facebook/video-upload/${version}/${id}` });
}

/** What keeps a video from being finished; null: nothing. */
function refuseFinish({ createdAt, file, finishedAt }: Video, now: number): Answer | null {
  if (finishedAt !== null) return null;
  if (now - createdAt > DAY_MS) return videoError(1363041, 'Invalid upload session: it has expired.');
  return file === null ? videoError(1363033, 'The video upload was interrupted: not all of it came.') : null;
}

/** POST /{page}/video_reels, upload_phase=finish: the same video makes one reel, however often. */
export function finishReel(asked: PageAsked, deps: FacebookDeps): Answer {
  const video = namedVideo('reel', asked, deps);
  if (isAnswer(video)) return video;
  if (asked.parameters.get('video_state') !== 'PUBLISHED') return parameterError('(#100) Param video_state must be PUBLISHED here.');
  return refuseFinish(video, asked.now) ?? publishVideo(video, asked, deps) ?? json(200, { success: true, message: 'Your reel is being processed.' });
}

/** POST /{page}/video_stories, upload_phase=finish */
export function finishVideoStory(asked: PageAsked, deps: FacebookDeps): Answer {
  const video = namedVideo('story', asked, deps);
  if (isAnswer(video)) return video;
  return refuseFinish(video, asked.now) ?? publishVideo(video, asked, deps) ?? json(200, { success: true, post_id: deps.records.videos.get(video.id)!.postId });
}

/** POST /{page}/photo_stories: a photo becomes a Story once. */
export function createPhotoStory({ parameters, pageId, now }: PageAsked, deps: FacebookDeps): Answer {
  const id = parameters.get('photo_id') ?? '';
  const photo = deps.records.photos.get(id);
  if (photo === null || photo.pageId !== pageId) return parameterError('(#100) The parameter photo_id must be that of a photo of this Page.');
  if (photo.postId !== null || photo.storyId !== null) return parameterError('(#100) The photo was published already.');
  const postId = deps.remoteIds.next();
  deps.records.photos.put({ ...photo, storyId: postId });
  const { sha256, bytes, contentType } = photo.file;
  const path = videoPath({ kind: 'story', id, postId });
  const shown = { text: '', media: [{ sha256, bytes, contentType }], altTexts: [null] };
  deps.items.add({ network: 'facebook', accountId: pageId, remoteId: postId, placement: 'story', ...shown, publishedAt: now, path });
  return json(200, { success: true, post_id: postId });
}
