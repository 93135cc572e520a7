import type { ChoicesAnswer, NetworkChoices, NetworkEndpoints } from '../contract/adapter.ts';
import { summaryOf } from '../http/call.ts';
import { readCreator, type Creator } from './creator.ts';
import { privacyOf } from './privacy.ts';

/** TikTok lets an account be asked some twenty times a minute, and each post asks, too. */
const FRESH_FOR_MS = 30_000;

/** What TikTok's guidelines want a person to see, and to choose from, before posting to the account. */
export function createTikTokChoices({ api }: Pick<NetworkEndpoints, 'api'>): NetworkChoices {
  return {
    network: 'tiktok',
    freshForMs: FRESH_FOR_MS,
    read: async (account) => {
      const asked = await readCreator(api, account);
      if (asked.kind === 'ok')
        return { kind: 'ok', choices: choicesOf(asked.creator), summary: summaryOf(asked.called, 'creator info') };
      const { failure, summary } = asked;
      return { kind: failure.reason === 'needs_reconnect' ? 'refused' : 'unavailable', summary };
    },
  };
}

function choicesOf(creator: Creator): Extract<ChoicesAnswer, { kind: 'ok' }>['choices'] {
  return {
    ...(creator.nickname === null ? {} : { nickname: creator.nickname }),
    privacy: creator.levels.flatMap((level) => privacyOf(level) ?? []),
    ...(creator.longestMs === null ? {} : { longestVideoSeconds: creator.longestMs / 1000 }),
    allowComments: !creator.isCommentOff,
    allowDuet: !creator.isDuetOff,
    allowStitch: !creator.isStitchOff,
  };
}
