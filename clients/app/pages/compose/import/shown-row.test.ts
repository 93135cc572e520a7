import { expect, test } from 'vitest';
import { keepCreated, type ShownRow } from './shown-row.ts';

const row = (number: number, idempotencyKey: string, state: ShownRow['state']): ShownRow => ({
  row: number,
  post: { text: idempotencyKey, channelIds: ['c'], media: [], channelOptions: {}, idempotencyKey },
  state,
});
const WAITING = { kind: 'waiting' } as const;
const CREATED = { kind: 'created', postId: 'p', wasThere: false } as const;
const REFUSED = { kind: 'refused', messages: ['too long'] } as const;

test('when a row is corrected, those that were created stay so, and all others are asked about again', () => {
  const before = [row(2, 'made', CREATED), row(3, 'wrong', REFUSED), row(4, 'good', { kind: 'good' })];
  const now = [row(2, 'made', WAITING), row(3, 'right', WAITING), row(4, 'good', WAITING)];
  expect(keepCreated(before, now).map(({ state }) => state)).toEqual([CREATED, WAITING, WAITING]);
  // What was created and is changed then is another Post.
  expect(keepCreated(before, [row(2, 'changed', WAITING)]).map(({ state }) => state)).toEqual([WAITING]);
});
