import { json, type SandboxAnswer } from '../exchange.ts';
import { isAnswer, type FacebookOptions, type PageRequest } from './page-request.ts';
import { parameterError, unsupported } from './graph-errors.ts';
import { FACEBOOK_PATH } from './public-paths.ts';
import { publishVideo } from './publish-video.ts';
import type { FacebookVideo } from './records.ts';
import { videoProblem } from './video-problems.ts';
import { isExpired } from './video-status.ts';
import { newVideo } from './videos.ts';

/** Videos whose bytes are sent to an address of their own. */
export type KindByAddress = Exclude<FacebookVideo['kind'], 'feed'>;

/** POST /{page}/video_reels or video_stories, upload_phase=start */
export function startByAddress(kind: KindByAddress, call: PageRequest, options: FacebookOptions): SandboxAnswer {
  const { id } = newVideo(kind, null, call, options);
  return json(200, {
    video_id: id,
    upload_url: `${options.baseUrl()}${FACEBOOK_PATH}/video-upload/${call.version}/${id}`,
  });
}

/** The Page's complete video that a finish names; an answer where there is none. */
function wholeVideo(
  kind: KindByAddress,
  { parameters, pageId, now }: PageRequest,
  { records }: FacebookOptions,
): FacebookVideo | SandboxAnswer {
  const id = parameters.get('video_id') ?? '';
  if (id === '') return parameterError('(#100) The parameter video_id is required');
  const video = records.videos.get(id);
  if (video === null || video.pageId !== pageId || video.kind !== kind) return unsupported('post', id);
  if (isExpired(video, now)) return videoProblem(video.file === null ? 1363030 : 1363041);
  return video.file === null ? videoProblem(1363033) : video;
}

const STATES = ['PUBLISHED', 'DRAFT', 'SCHEDULED'];

/**
 * POST /{page}/video_reels, upload_phase=finish: the same video makes one reel, however often it is called. A draft can
 * be finished again, and published.
 */
export function finishReel(call: PageRequest, options: FacebookOptions): SandboxAnswer {
  const video = wholeVideo('reel', call, options);
  if (isAnswer(video)) return video;
  const state = call.parameters.get('video_state') ?? '';
  if (!STATES.includes(state)) return parameterError(`(#100) Param video_state must be one of {${STATES.join(', ')}}`);
  if (state === 'SCHEDULED') return parameterError('(#100) Param video_state: this sandbox schedules nothing.');
  if (state === 'DRAFT')
    return video.finishedAt === null
      ? json(200, { success: true })
      : parameterError('(#100) A published reel can not be a draft.');
  return (
    publishVideo(video, 'whole', call, options) ??
    json(200, { success: true, message: 'Your reel is being processed.' })
  );
}

/** POST /{page}/video_stories, upload_phase=finish */
export function finishVideoStory(call: PageRequest, options: FacebookOptions): SandboxAnswer {
  const video = wholeVideo('story', call, options);
  if (isAnswer(video)) return video;
  return (
    publishVideo(video, 'whole', call, options) ??
    json(200, { success: true, post_id: options.records.videos.get(video.id)!.postId })
  );
}
