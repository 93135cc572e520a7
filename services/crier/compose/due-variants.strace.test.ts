import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { traceWal } from '#adapters/sqlite/traced-wal.fixture.ts';

const VARIANTS = 3;
const AT_ONCE = 12;
/**
 * Two for each page of the write-ahead log: until the call, and from the answer to the event. They were 22 and 18 when
 * these bounds were set, and 24 where offsets of groups fall into it.
 */
const MOST_WRITES = [22, 24];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('a lone Variant costs one sync until its Network is called, and one from the answer to its event', () => {
  const program = [join(import.meta.dirname, 'due-variants.child.ts'), join(folder, 'crier.db')];
  const { calls } = traceWal(folder, 'variants', program, ['--seccomp-bpf']);
  const halves = Array.from({ length: VARIANTS }, (_, index) => {
    const said = [`due ${index + 1}`, `called ${index + 1}`, `answered ${index + 1}`, `ended ${index + 1}`];
    const [due, called, answered, ended] = said.map((words) => calls.indexOf(`said ${words}`));
    expect(due, `Variant ${index + 1} became due`).toBeGreaterThanOrEqual(0);
    return [calls.slice(due, called), calls.slice(answered, ended)].map((between) => {
      expect(between.lastIndexOf('wal synced')).toBeGreaterThan(between.lastIndexOf('wal written'));
      return between;
    });
  });
  const counted = (call: string) => halves.map((each) => each.map((calls) => calls.filter((is) => is === call).length));
  const syncs = counted('wal synced');
  expect(syncs).toEqual(Array.from({ length: VARIANTS }, () => [1, 1]));
  for (const writes of counted('wal written'))
    expect(writes, `of a Variant; most are ${MOST_WRITES}`).toEqual(
      MOST_WRITES.map((most, half) => Math.min(most, writes[half]!)),
    );
});

test('of Variants of one Channel that wait for one another, each costs one sync', () => {
  const program = [join(import.meta.dirname, 'due-variants.child.ts'), join(folder, 'crier.db'), `${AT_ONCE}`];
  const { calls } = traceWal(folder, 'backlog', program, ['--seccomp-bpf']);
  for (let round = 1; round <= VARIANTS; round++) {
    const called = Array.from({ length: AT_ONCE }, (_, index) => calls.indexOf(`said called ${round}.${index}`));
    expect(called, 'in the order in which they were written').toEqual(called.toSorted((one, other) => one - other));
    for (const [index, at] of called.slice(1).entries()) {
      const between = calls.slice(called[index], at);
      expect(between.indexOf(`said answered ${round}.${index}`), 'none is called before the one before it').not.toBe(
        -1,
      );
      // Its arm, with the evidence of the one before it, is on the disk before it is called.
      expect(between.lastIndexOf('wal synced')).toBeGreaterThan(between.lastIndexOf('wal written'));
      expect(between.filter((call) => call === 'wal synced').length).toBeGreaterThan(0);
    }
    const all = calls.slice(called[0], called.at(-1)).filter((call) => call === 'wal synced').length;
    expect(all, 'syncs').toBe(AT_ONCE - 1);
  }
});
