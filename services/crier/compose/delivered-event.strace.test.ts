import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { traceWal } from '#adapters/sqlite/traced-wal.fixture.ts';

const POSTS = 3;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('the event of a lone Post costs one sync until its endpoint is called, and one for what that came to', () => {
  const program = [join(import.meta.dirname, 'delivered-event.child.ts'), join(folder, 'crier.db')];
  const { calls } = traceWal(folder, 'events', program, ['--seccomp-bpf']);
  const counted = Array.from({ length: POSTS }, (_, index) => {
    const syncs = (from: string, to: string): number => {
      const [begin, end] = [calls.indexOf(`said ${from} ${index + 1}`), calls.indexOf(`said ${to} ${index + 1}`)];
      expect(begin, `${from} ${index + 1}`).toBeGreaterThanOrEqual(0);
      expect(end, `${to} ${index + 1}`).toBeGreaterThan(begin);
      const between = calls.slice(begin, end);
      expect(between.lastIndexOf('wal synced'), `${to} ${index + 1}`).toBeGreaterThan(
        between.lastIndexOf('wal written'),
      );
      return between.filter((call) => call === 'wal synced').length;
    };
    return {
      created: syncs('asked', 'answered'),
      published: syncs('due', 'published'),
      received: syncs('published', 'received'),
      ended: syncs('received', 'ended'),
    };
  });
  const lone = { created: 1, published: 2, received: 1, ended: 1 };
  expect(counted).toEqual(Array.from({ length: POSTS }, () => lone));
});
