import type { NetworkLimits } from '#domain/workspace/turn.ts';
import { textLength } from './text-length.ts';

const MAX_LENGTH = 500;
const MAX_LINKS = 5;
const MAX_MEDIA = 20;
const LINK = /https?:\/\/[^\s<>"]+/gi;

export const threadsLimits: NetworkLimits = {
  network: 'threads',
  judge: ({ text, placement, media }) => {
    if (placement === 'story') return [{ code: 'problem', message: 'Threads has no Stories.' }];
    const problems: { code: 'incomplete' | 'problem'; message: string }[] = [];
    if (text.trim() === '' && media.length === 0) problems.push({ code: 'incomplete', message: 'A post on Threads needs a text.' });
    const length = textLength(text);
    if (length > MAX_LENGTH) {
      problems.push({ code: 'problem', message: `The text is too long for Threads: ${length} of at most ${MAX_LENGTH} characters (an emoji counts as several).` });
    }
    const links = new Set(text.match(LINK)).size;
    if (links > MAX_LINKS) problems.push({ code: 'problem', message: `Threads takes at most ${MAX_LINKS} different links in a post; this one has ${links}.` });
    if (media.length > MAX_MEDIA) problems.push({ code: 'problem', message: `Threads takes at most ${MAX_MEDIA} files in a post; this one has ${media.length}.` });
    return problems;
  },
};
