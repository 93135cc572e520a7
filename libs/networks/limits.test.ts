import { expect, test } from 'vitest';
import type { Network } from '#domain/network.ts';
import type { Draft, DraftFile } from '#domain/post/draft.ts';
import { networkLimits } from './registry.ts';
import { textLength } from './threads/text-length.ts';

interface More {
  readonly kind?: string;
  readonly placement?: 'feed' | 'story';
  readonly mediaCount?: number;
}

function draftOf(network: Network, text: string, more: More): Draft {
  return {
    text,
    placement: more.placement ?? 'feed',
    media: Array.from(
      { length: more.mediaCount ?? 0 },
      () => ({ kind: 'image', contentType: 'image/jpeg', bytes: 1_000, altText: '' }) as const,
    ),
    options: network === 'tiktok' ? { privacy: 'public' } : {},
    channel: { network, kind: more.kind ?? '' },
  };
}

function judge(network: Network, text: string, more: More = {}) {
  return networkLimits[network].judge(draftOf(network, text, more));
}

test.each<[Network, string, object, readonly string[]]>([
  ['x', 'a'.repeat(280), {}, []],
  ['x', 'a'.repeat(281), {}, ['problem']],
  ['x', '見'.repeat(140), {}, []],
  ['x', '見'.repeat(141), {}, ['problem']],
  ['x', 'a'.repeat(25_000), { kind: 'premium' }, []],
  ['x', 'a'.repeat(25_001), { kind: 'PremiumPlus' }, ['problem']],
  ['x', 'a'.repeat(281), { kind: 'none' }, ['problem']],
  ['x', '', {}, ['incomplete']],
  ['x', '  \n', {}, ['incomplete']],
  ['x', '', { mediaCount: 4 }, []],
  ['x', 'hi', { mediaCount: 5 }, ['problem']],
  ['x', 'hi', { placement: 'story' }, ['problem']],
  ['x', 'hi\uFEFF', {}, ['problem']],
  ['x', 'buy $ABC', {}, []],
  ['x', 'buy $ABC and $XYZ for $5', {}, ['problem']],
  ['threads', 'a'.repeat(500), {}, []],
  ['threads', 'a'.repeat(501), {}, ['problem']],
  ['threads', '見'.repeat(500), {}, []],
  ['threads', '😀'.repeat(125), {}, []],
  ['threads', '😀'.repeat(126), {}, ['problem']],
  ['threads', '', {}, ['incomplete']],
  ['threads', 'hi', { placement: 'story' }, ['problem']],
  ['threads', [1, 2, 3, 4, 5].map((n) => `https://a.com/${n}`).join(' '), {}, []],
  ['threads', [1, 2, 3, 4, 5, 6].map((n) => `https://a.com/${n}`).join(' '), {}, ['problem']],
  ['threads', 'https://a.com '.repeat(6), {}, []],
])('%s judges %j %j', (network, text, more, codes) => {
  expect(judge(network, text, more).map((blocker) => blocker.code)).toEqual(codes);
});

test('messages name the Network and the numbers', () => {
  expect(judge('x', 'a'.repeat(300))[0]?.message).toBe(
    'The text is too long for X: 300 of at most 280 characters as X counts them.',
  );
});

test.each([
  ['plain', 5],
  ['見て', 2],
  ['😀', 4],
  ['👩‍👩‍👧', 18],
  ['🇩🇪', 8],
  ['a❤️b', 8],
])('threads counts %j as %i', (text, length) => {
  expect(textLength(text)).toBe(length);
});

test.each<[Network, 'feed' | 'story', number, readonly string[]]>([
  ['facebook', 'feed', 240 * 60_000, []],
  ['facebook', 'feed', 240 * 60_000 + 1, ['problem']],
  ['facebook', 'story', 60_001, ['problem']],
  ['instagram', 'feed', 2_999, ['problem']],
  ['instagram', 'feed', 900_000, []],
  ['instagram', 'story', 60_001, ['problem']],
  ['tiktok', 'feed', 2_999, ['problem']],
  ['tiktok', 'feed', 600_001, ['problem']],
  ['youtube', 'feed', 12 * 3_600_000, []],
  ['youtube', 'feed', 12 * 3_600_000 + 1, ['problem']],
  ['x', 'feed', 499, ['problem']],
  ['threads', 'feed', 300_001, ['problem']],
])(
  '%s, %s: a video of %i ms is judged when the Post is made, if that is known then',
  (network, placement, durationMs, codes) => {
    const film = { kind: 'video', contentType: 'video/mp4', bytes: 1_000, altText: '' } as const;
    const told = (file: DraftFile) =>
      networkLimits[network].judge({ ...draftOf(network, 'hi', { placement }), media: [file] }).map(({ code }) => code);
    expect(told({ ...film, durationMs })).toEqual(codes);
    expect(told(film)).toEqual([]);
    expect(told({ ...film, durationMs: null })).toEqual([]);
  },
);
