import { expect, test } from 'vitest';
import { ZoneClock } from '../time/zone-clock.ts';
import type { ShownCard } from './calendar-card.ts';
import { cardPlacer } from './placed-card.ts';

const variant = (network: 'x' | 'threads', status: 'failed' | 'published'): ShownCard['variants'][number] => ({
  ...{ id: `${network} ${status}`, channelId: network, network, placement: 'feed', status, failureReason: null },
});

/** A Post with the number of times that its Variants were looked at. */
function countedCard(words: string) {
  const variants = [variant('x', 'published'), variant('x', 'failed'), variant('threads', 'published')];
  const looks = { count: 0 };
  const rest = { id: 'p', at: '2026-11-24T09:05:00.000Z', words, via: null, thumbnail: null, files: 2 };
  const card: ShownCard = {
    ...rest,
    get variants() {
      looks.count += 1;
      return variants;
    },
  };
  return { card, looks };
}

test('a Post is placed without a look at its Variants, and what is drawn of it is made once', () => {
  const place = cardPlacer(new ZoneClock('Europe/Berlin'));
  const { card, looks } = countedCard(' ');
  const placed = place(card);
  expect(placed.wall).toEqual({ date: '2026-11-24', minutes: 605, isSecond: false });
  expect([placed.at, looks.count]).toEqual([Date.parse(card.at), 0]);
  const { time, status, statusWords, networks, words } = placed;
  expect({ time, status, statusWords, networks, words }).toEqual({
    time: '10:05',
    status: 'failed',
    statusWords: '1 of 3 failed',
    networks: ['x', 'threads'],
    words: '2 files without text',
  });
  const drawn = looks.count;
  expect([placed.status, placed.networks, looks.count]).toEqual(['failed', networks, drawn]);
  expect(place(card)).toBe(placed);
});
