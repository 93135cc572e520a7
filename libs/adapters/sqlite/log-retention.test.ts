import { expect, test } from 'vitest';
import { createMemoryClock } from '../memory/clock.ts';
import { Pieces } from './log-retention.ts';

/** The pieces by which so many records are deleted, of which each takes so long: in records, and in ms. */
function pieces(records: number, msARecord: (done: number) => number): readonly (readonly [number, number])[] {
  let at = 0;
  const pieces = new Pieces({ ...createMemoryClock(), monotonic: () => at });
  const made: [number, number][] = [];
  for (let done = 0; done < records;) {
    const piece = Math.min(pieces.records, records - done);
    const from = at;
    pieces.timed(() => (at += piece * msARecord(done)));
    made.push([piece, at - from]);
    done += piece;
  }
  return made;
}

test('records of usual size are deleted many at a time', () => {
  const made = pieces(5_000, () => 0.004);
  expect(made.slice(0, 4).map(([records]) => records)).toEqual([32, 64, 128, 128]);
  expect(made).toHaveLength(41);
});

test('of large records a commit deletes so few that it takes 4 ms, but for the one that finds them large', () => {
  const made = pieces(2_000, (done) => (done < 1_000 ? 0.004 : 0.05));
  const long = made.filter(([, ms]) => ms > 4.01);
  expect(long).toEqual([[128, expect.closeTo(6.4)]]);
  expect(made.at(-2)).toEqual([80, expect.closeTo(4)]);
});

test('records of which few take long are deleted all the same', () => {
  expect(pieces(100, () => 30).map(([records]) => records)).toEqual([32, 8, 8, 8, 8, 8, 8, 8, 8, 4]);
});
