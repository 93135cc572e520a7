import type { NetworkLimits } from '#domain/workspace/turn.ts';
import { hasInvalidCharacters, weightedLength } from './weighted-length.ts';

const MAX_LENGTH = 280;
const SUBSCRIBER_MAX_LENGTH = 25_000;
const MAX_MEDIA = 4;
const SUBSCRIPTIONS: ReadonlySet<string> = new Set(['basic', 'premium', 'premiumplus', 'premium_plus']);
const CASHTAG = /(?:^|\s)\$[a-z]{1,6}(?:[._][a-z]{1,2})?(?=$|\s|[!'#%&()*+,\\\-./:;<=>?@[\]^_{|}~$])/gi;

/** `kind`: a Channel's, which is X's subscription_type in lower case, '' for none. */
export function maxLengthFor(kind: string): number {
  return SUBSCRIPTIONS.has(kind.toLowerCase()) ? SUBSCRIBER_MAX_LENGTH : MAX_LENGTH;
}

export const xLimits: NetworkLimits = {
  network: 'x',
  judge: ({ text, placement, channel, media }) => {
    if (placement === 'story') return [{ code: 'problem', message: 'X has no Stories.' }];
    const problems: { code: 'incomplete' | 'problem'; message: string }[] = [];
    if (text.trim() === '' && media.length === 0) problems.push({ code: 'incomplete', message: 'A post on X needs a text.' });
    const length = weightedLength(text);
    const most = maxLengthFor(channel.kind);
    if (length > most) problems.push({ code: 'problem', message: `The text is too long for X: ${length} of at most ${most} characters as X counts them.` });
    if (hasInvalidCharacters(text)) problems.push({ code: 'problem', message: 'The text holds a character that X refuses (a byte order mark or a non-character).' });
    if ((text.match(CASHTAG)?.length ?? 0) > 1) problems.push({ code: 'problem', message: 'X lets apps post at most one cashtag ($...).' });
    if (media.length > MAX_MEDIA) problems.push({ code: 'problem', message: `X takes at most ${MAX_MEDIA} files in a post; this one has ${media.length}.` });
    return problems;
  },
};
