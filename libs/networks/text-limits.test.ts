import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NETWORKS, type Network } from '#domain/network.ts';
import type { LimitedText } from '#domain/network-limits.ts';
import type { Draft } from '#domain/post/draft.ts';
import { networkLimits } from './registry.ts';

const FIRST_WORDS: Readonly<Record<LimitedText, RegExp>> = {
  text: /^The text is too long/,
  firstComment: /^The first comment is too long/,
  title: /^The title is too long/,
  altText: /^A description is too long/,
  topicTag: /^The topic is too long/,
};

/** A draft that has `written` in one of its texts, and else nothing that has a limit. */
function draftWith(network: Network, what: LimitedText, written: string): Draft {
  const kind = network === 'youtube' ? 'video' : 'image';
  const file = { kind, contentType: `${kind}/any`, bytes: 1, altText: what === 'altText' ? written : '' } as const;
  return {
    text: what === 'text' ? written : 'words',
    placement: 'feed',
    channel: { network, kind: '' },
    options: { privacy: 'public', ...(what === 'text' || what === 'altText' ? {} : { [what]: written }) },
    media: [file],
  };
}

/** Of letters that Networks count differently, about as long as the limit. */
function textAbout(most: number): fc.Arbitrary<string> {
  const some = fc.array(fc.constantFrom('a', 'é', '見', '👩‍👩‍👧', '1️⃣', ' ', 'https://a.com/b', 'e\u0301', '\n'), {
    minLength: 1,
    maxLength: 8,
  });
  return fc
    .tuple(some, fc.integer({ min: -8, max: 8 }))
    .map(([parts, more]) => `words ${parts.join('')} ${'b'.repeat(Math.max(0, most - 6 + more - parts.length))}`);
}

const LIMITED = NETWORKS.flatMap((network) => {
  const names = Object.keys(networkLimits[network].texts?.(draftWith(network, 'text', '')) ?? {});
  return names.map((name) => [network, name as LimitedText] as const);
});

test.each(LIMITED)('%s calls a %s too long exactly when it counts more than the most', (network, what) => {
  const limits = networkLimits[network];
  const { most, count } = limits.texts!(draftWith(network, what, ''))[what]!;
  fc.assert(
    fc.property(textAbout(most), (written) => {
      const problems = limits.judge(draftWith(network, what, written));
      expect(problems.some(({ message }) => FIRST_WORDS[what].test(message))).toBe(count(written) > most);
    }),
    { numRuns: most > 10_000 ? 20 : 100 },
  );
});

test('every Network tells how it counts a text', () => {
  expect(NETWORKS.filter((network) => !LIMITED.some(([named, what]) => named === network && what === 'text'))).toEqual(
    [],
  );
});
