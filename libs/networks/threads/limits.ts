import type { Blocker } from '#domain/workspace/results.ts';
import type { DraftFile, NetworkLimits } from '#domain/workspace/turn.ts';
import { MAX_ALT_TEXT, MAX_FILES, MAX_VIDEO_MS } from './media.ts';
import { textLength } from './text-length.ts';

const MAX_LENGTH = 500;
const MAX_LINKS = 5;
const LINK = /https?:\/\/[^\s<>"]+/gi;

type Problem = Omit<Blocker, 'channelId'>;

export const threadsLimits: NetworkLimits = {
  network: 'threads',
  judge: ({ text, placement, media }) => {
    if (placement === 'story') return [{ code: 'problem', message: 'Threads has no Stories.' }];
    if (text.trim() === '' && media.length === 0) return [{ code: 'incomplete', message: 'A post on Threads needs a text, pictures or a video.' }];
    return [...ofText(text), ...ofMedia(media)];
  },
};

function ofText(text: string): readonly Problem[] {
  const length = textLength(text);
  const links = new Set(text.match(LINK)).size;
  return [
    ...tooMuch(length, MAX_LENGTH, `The text is too long for Threads: ${length} of at most ${MAX_LENGTH} characters (an emoji counts as several).`),
    ...tooMuch(links, MAX_LINKS, `Threads takes at most ${MAX_LINKS} different links in a post; this one has ${links}.`),
  ];
}

function ofMedia(media: readonly DraftFile[]): readonly Problem[] {
  const longestText = Math.max(0, ...media.map(({ altText }) => altText.length));
  const longestMs = Math.max(0, ...media.map(({ durationMs }) => durationMs ?? 0));
  return [
    ...tooMuch(media.length, MAX_FILES, `Threads takes at most ${MAX_FILES} pictures and videos in a post; this one has ${media.length}.`),
    ...tooMuch(longestText, MAX_ALT_TEXT, `A description is too long for Threads: ${longestText} of at most ${MAX_ALT_TEXT} characters.`),
    ...tooMuch(longestMs, MAX_VIDEO_MS, `A video is too long for Threads: ${Math.ceil(longestMs / 1000)} of at most ${MAX_VIDEO_MS / 1000} seconds.`),
  ];
}

function tooMuch(count: number, most: number, message: string): readonly Problem[] {
  return count > most ? [{ code: 'problem', message }] : [];
}
