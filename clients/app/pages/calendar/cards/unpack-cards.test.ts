import { brotliCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { packCards } from '#services/app/trpc/packed-cards.ts';
import { postIdOf, variantIdOf } from '#domain/post/ids.ts';
import type { CardPage } from '#use-cases/list-calendar.ts';
import type { ShownCard } from './calendar-card.ts';
import { unpackCards } from './unpack-cards.ts';

const MONDAY = Date.UTC(2026, 10, 23);
const CHANNELS = [
  ['01a206e9-12b3-7111-8a23-2291feacb737', 'x', 'feed'],
  ['01a206e9-12b3-7111-8a23-2291feacb738', 'threads', 'feed'],
  ['01a206e9-12b3-7111-8a23-2291feacb739', 'instagram', 'story'],
] as const;

function card(number: number, more: Partial<ShownCard> = {}): ShownCard {
  const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
  const time = hex(MONDAY + number * 997, 12);
  const random = `${hex((number * 40_503) % 4096, 3)}-a${hex((number * 7919) % 4096, 3)}`;
  const id = postIdOf(`${time.slice(0, 8)}-${time.slice(8)}-7${random}-${hex((number * 2_654_435_761) % 2 ** 48, 12)}`);
  return {
    id,
    at: new Date(MONDAY + number * 300_000).toISOString(),
    words: `Number ${number}: the tea of the week is here. Come and taste it, from nine o'clock on, at the old harbour.`,
    via: number % 3 === 0 ? null : { kind: 'key', name: `Key ${number % 2}`, by: 'Ada' },
    thumbnail: null,
    files: 0,
    variants: [0, 1].map((index) => {
      const [channelId, network, placement] = CHANNELS[(number + index) % CHANNELS.length]!;
      const isFailed = number % 50 === 0 && index === 0;
      return {
        id: variantIdOf(id, index + 1),
        channelId,
        network,
        placement,
        status: isFailed ? 'failed' : 'published',
        failureReason: isFailed ? 'unconfirmed' : null,
      };
    }),
    ...more,
  };
}

const pack = (page: CardPage) => packCards(page, () => {});

test('cards arrive as they were sent, those without text, Variants or a hand too', async () => {
  const cards = [
    ...Array.from({ length: 120 }, (_, number) => card(number)),
    card(121, { words: '', files: 3, thumbnail: 'https://media.test/one.jpg' }),
    card(122, { variants: [] }),
    card(123, { via: { kind: 'app', name: 'Claude', by: null } }),
  ];
  expect(unpackCards(JSON.parse(JSON.stringify(await pack({ cards, isCut: true }))))).toEqual({ cards, isCut: true });
  expect(unpackCards(await pack({ cards: [], isCut: false }))).toEqual({ cards: [], isCut: false });
});

test('keys whose names and owners read the same in a row stay apart', async () => {
  const [one, other] = [
    { kind: 'key', name: 'Bot', by: 'Ann Lee' },
    { kind: 'key', name: 'Lee Bot', by: 'Ann' },
  ] as const;
  const cards = [card(1, { via: one }), card(2, { via: other }), card(3, { via: { ...one, by: null } })];
  expect(unpackCards(await pack({ cards, isCut: false })).cards.map(({ via }) => via)).toEqual([
    one,
    other,
    { ...one, by: null },
  ]);
});

test('what is equal in two cards is the same object once it has arrived', async () => {
  const { cards } = unpackCards(await pack({ cards: [card(1), card(7)], isCut: false }));
  expect(cards[0]!.via).not.toBeNull();
  expect(cards[0]!.via).toBe(cards[1]!.via);
});

test('a week of 2,000 Posts to two Channels each travels in 580 kB, which compress to an eighth', async () => {
  const cards = Array.from({ length: 2_000 }, (_, number) => card(number));
  const sent = JSON.stringify(await pack({ cards, isCut: false }));
  expect(sent.length).toBeLessThan(580_000);
  expect(JSON.stringify(cards).length).toBeGreaterThan(2 * sent.length);
  expect(brotliCompressSync(sent, { params: { 1: 4 } }).length).toBeLessThan(sent.length / 8);
});
