import type { Blocker } from '#domain/workspace/results.ts';
import type { DraftFile, NetworkLimits } from '#domain/workspace/turn.ts';
import { MAX_PHOTOS } from './media.ts';

/** UTF-16 units, hashtags and mentions included. */
const MAX_VIDEO_TEXT = 2_200;
const MAX_PHOTOS_TEXT = 4_000;

type Problem = Omit<Blocker, 'channelId'>;

export const tiktokLimits: NetworkLimits = {
  network: 'tiktok',
  judge: ({ text, placement, media }) => {
    if (placement === 'story') return [problem('TikTok takes no Stories from apps; post to the feed there.')];
    if (media.length === 0) return [{ code: 'incomplete', message: 'A post on TikTok needs a video or pictures.' }];
    return [...ofText(text, media), ...ofMedia(media)];
  },
};

/** A file of unknown kind may be a picture: the wider limit counts until it is known. */
function ofText(text: string, media: readonly DraftFile[]): readonly Problem[] {
  const isVideo = media.some(({ kind }) => kind === 'video');
  const most = isVideo ? MAX_VIDEO_TEXT : MAX_PHOTOS_TEXT;
  const what = isVideo ? 'with a video' : 'with pictures';
  return text.length > most ? [problem(`The text is too long for TikTok: ${text.length} of at most ${most} characters ${what}.`)] : [];
}

function ofMedia(media: readonly DraftFile[]): readonly Problem[] {
  const videos = media.filter(({ kind }) => kind === 'video').length;
  const problems: Problem[] = [];
  if (videos > 1) problems.push(problem(`TikTok takes one video in a post; this one has ${videos}.`));
  if (videos > 0 && videos < media.length) problems.push(problem('A post on TikTok has pictures or a video, not both.'));
  if (videos === 0 && media.length > MAX_PHOTOS) problems.push(problem(`TikTok takes at most ${MAX_PHOTOS} pictures in a post; this one has ${media.length}.`));
  return problems;
}

function problem(message: string): Problem {
  return { code: 'problem', message };
}
