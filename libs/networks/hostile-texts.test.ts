import { expect, test } from 'vitest';
import { NETWORKS } from '#domain/network.ts';
import { networkLimits } from './registry.ts';
import { withSchemes } from './x/links.ts';
import { failureOf } from './youtube/errors.ts';
import { titleOf } from './youtube/title.ts';

/**
 * The longest text that a request may bring, and what of it is compared: work that grows with the square of the length
 * takes 16 times as long.
 */
const LONG = 100_000;
const SHORT = LONG / 16;
/**
 * On a core, in milliseconds: an order of magnitude above what each takes alone, an order below what the square would.
 */
const MAX_MS = 250;
/**
 * Work that grows with the length takes 16 times as long, with its square 256 times. Whatever takes longer than MAX_MS
 * must grow like the first: a heap that other suites have filled, or a slower machine, makes both lengths slower.
 */
const MAX_GROWTH = 64;

const PIECES = [
  ...[
    'a',
    ' ',
    '\n',
    '.',
    'a.',
    'a-',
    'é.',
    '漢',
    '漢。',
    '. ',
    'A. ',
    '\u200b',
    '\u1100\u1161',
    '\u0600',
    '\ufe0f',
    '\u200d',
    `a${'\u0315\u0300'.repeat(15)}`,
    '\u0315\u0300',
    'กขค',
    'မြန်မာ',
  ],
  ...[
    'http://',
    'http://a.',
    'http://a.com/',
    'http://a.com/(',
    'a(b)',
    'a.com?',
    'a.com ',
    'a.한국',
    'xn--',
    'a@',
    '@a',
    '#a',
    '$a ',
    '<',
    '"',
    '&',
  ],
  ...['😀', '👩‍👩‍👧', '👩\u200d', '👩🏽', '🇩', '1️⃣', '❤', '🏴\u{E0067}'],
];

const judges: readonly (readonly [string, (text: string) => unknown])[] = [
  ...[...NETWORKS.map((network) => [network, ''] as const), ['x', 'premium'] as const].map(
    ([network, kind]): readonly [string, (text: string) => unknown] => [
      `${network} ${kind}`.trim(),
      (text) =>
        networkLimits[network].judge({
          text,
          placement: 'feed',
          channel: { network, kind },
          options: {},
          media: [{ kind: 'image', contentType: 'image/jpeg', bytes: 1, altText: text }],
        }),
    ],
  ),
  ['what x shows', withSchemes],
  ['the title on youtube', (text) => titleOf({ title: null, text })],
  [
    'what youtube says of a failure',
    (text) =>
      failureOf({ kind: 'answered', status: 400, headers: {}, json: { error: { message: text } }, body: '' }, 0),
  ],
];

const lengthen = (piece: string, length: number): string =>
  `http://a.com/${piece.repeat(Math.floor(length / piece.length))}!`;

function milliseconds(work: () => unknown): number {
  const begun = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / 1_000;
}

/** The shortest of three times: a busy machine, or code that is compiled meanwhile, takes longer once. */
const shortest = (work: () => unknown): number => Math.min(...[1, 2, 3].map(() => milliseconds(work)));

test.each(judges)('%s is judged in time that grows with the length of the text', (_what, judge) => {
  const slow: string[] = [];
  for (const piece of PIECES) {
    // What is slow already when it is short is not tried long: that may take a minute.
    const short = milliseconds(() => judge(lengthen(piece, SHORT)));
    const once = short > MAX_MS ? Infinity : milliseconds(() => judge(lengthen(piece, LONG)));
    if (once <= MAX_MS) continue;
    const long = once > 4 * MAX_MS ? once : shortest(() => judge(lengthen(piece, LONG)));
    const growth = long / shortest(() => judge(lengthen(piece, SHORT)));
    if (long > 4 * MAX_MS || (long > MAX_MS && growth > MAX_GROWTH))
      slow.push(`${JSON.stringify(piece)}: ${short.toFixed(0)} ms, 16 times as long ${long.toFixed(0)} ms`);
  }
  expect(slow).toEqual([]);
});
