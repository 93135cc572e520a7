import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { traceWal } from '#adapters/sqlite/traced-wal.fixture.ts';

const VARIANTS = 3;
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
