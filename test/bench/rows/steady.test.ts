import { expect, test } from 'vitest';
import { figuresOf, targetOf, type Part } from './steady.ts';

const MIB = 1024 ** 2;
const POSTS_A_PART = 60_000;

/** Six parts that are all alike, of which the disk keeps 5,500 bytes a Post. */
function parts(changed: (index: number) => Partial<Part>): readonly Part[] {
  return Array.from({ length: 6 }, (_, index) => ({
    ...{ p50: 8, p99: 44, residentBytes: 470 * MIB, published: POSTS_A_PART, lateMs: 14 },
    storedBytes: 5_500 * POSTS_A_PART * (index + 1),
    ...changed(index),
  }));
}

test('a load that stays as quick and as small meets the target, whatever its first part was', () => {
  const { met, text } = targetOf(
    figuresOf(
      parts((index) => (index === 0 ? { p99: 900, residentBytes: 1 } : {})),
      POSTS_A_PART,
    ),
  );
  expect(met).toBe(true);
  expect(text).toBe(
    'p50 last to first <= 1.1, p99 last to first <= 2, MiB last to first <= 1.1, bytes a Post, last half to first <= 1.1',
  );
});

test.each<readonly [string, (index: number) => Partial<Part>]>([
  ['whose answers slow down', (index) => ({ p50: 8 + index })],
  ['whose slowest answers slow down', (index) => ({ p99: 44 * (index + 1) })],
  ['whose memory grows', (index) => ({ residentBytes: (470 + 20 * index) * MIB })],
  ['whose Posts take ever more of the disk', (index) => ({ storedBytes: 5_500 * POSTS_A_PART * (index + 1) ** 2 })],
])('a load %s does not', (_, changed) => {
  expect(targetOf(figuresOf(parts(changed), POSTS_A_PART)).met).toBe(false);
});
