import { expect, test } from 'vitest';
import { createCrier } from '#clients/typescript/client.ts';
import { markPresent } from './present-posts.ts';
import type { RowOutcome } from './row-outcome.ts';

const SCHEDULED = '2026-12-01T09:00:00.000Z';

const rowOf = (row: number, text: string): RowOutcome => ({
  row,
  post: { text, channelIds: ['c'], scheduledAt: SCHEDULED, media: [], channelOptions: {}, idempotencyKey: text },
  hasOwnKey: false,
  state: 'open',
  postId: null,
  problems: [],
});

const made = (id: string, text: string, status: string) => {
  const variant = { channelId: 'c', placement: 'feed', status, scheduledAt: SCHEDULED, text: null };
  return { id, text, media: [], variants: [variant] };
};

/** What becomes of a row of each text, where Posts of these texts were made. */
async function marked(isAgain: boolean): Promise<readonly RowOutcome[]> {
  const data = [
    made('p1', 'there', 'scheduled'),
    made('p2', 'gone', 'cancelled'),
    made('p3', 'made again', 'scheduled'),
    made('p4', 'made again', 'cancelled'),
  ];
  const fetch = async () => Response.json({ data, nextCursor: null });
  const crier = createCrier({ url: 'https://crier.test', key: 'crier_key', fetch: fetch as typeof globalThis.fetch });
  const rows = ['new', 'there', 'gone', 'made again'].map((text, index) => rowOf(index + 2, text));
  return markPresent(rows, { crier, signal: new AbortController().signal, isAgain });
}

test('a row whose Post was moved or cancelled since is refused, and one whose Post is there is there', async () => {
  const rows = await marked(false);
  expect(rows.map(({ state, postId }) => [state, postId])).toEqual([
    ['open', null],
    ['there', 'p1'],
    ['refused', null],
    ['there', 'p3'],
  ]);
  expect(rows[2]!.problems).toMatchObject([
    { row: 4, message: expect.stringMatching(/^It was created before, and moved, edited or cancelled since\./) },
  ]);
});

test('an import with a name creates it again, and still nothing that is there', async () => {
  const rows = await marked(true);
  expect(rows.map(({ state }) => state)).toEqual(['open', 'there', 'open', 'there']);
});
