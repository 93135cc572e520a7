import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createReporter } from '#adapters/pino/reporter.ts';
import { createMetrics } from '#adapters/prometheus/metrics.ts';
import { LogLevel } from './log-level.ts';

const START = Date.UTC(2026, 10, 20, 12);
const MINUTE_MS = 60_000;

function open(usual: 'info' | 'warn' | 'silent' = 'info') {
  const clock = createMemoryClock(START);
  const written: string[] = [];
  const metrics = createMetrics({ build: { version: '0', engine: 'memory' }, process: false });
  const reporter = createReporter({
    process: { version: '0', roles: ['admin'], instance: 'pod' },
    level: usual,
    destination: { write: (line) => void written.push((JSON.parse(line) as { event: string }).event) },
    metrics,
  });
  const logLevel = new LogLevel({ usual, set: reporter.setLevel, clock, reporter });
  /** Whether a line of level debug is written, and one of level info. */
  const writes = (): readonly boolean[] => {
    const from = written.length;
    reporter.report('shard-claimed', { shard: 1, epoch: 1, behindMinutes: 0 });
    reporter.report('drained', { durationMs: 1 });
    const lines = written.slice(from);
    return [lines.includes('shard-claimed'), lines.includes('drained')];
  };
  return { clock, written, metrics, logLevel, writes };
}

test('a changed level holds for its time, and the usual one is back by itself', async () => {
  const { clock, logLevel, writes } = open();
  expect(writes()).toEqual([false, true]);
  const until = START + 15 * MINUTE_MS;
  expect(logLevel.change('debug', 15 * MINUTE_MS)).toEqual({ level: 'debug', usual: 'info', until });
  await clock.advance(15 * MINUTE_MS - 1);
  expect([logLevel.status().level, writes()]).toEqual(['debug', [true, true]]);
  await clock.advance(1);
  expect([logLevel.status(), writes()]).toEqual([{ level: 'info', usual: 'info', until: null }, [false, true]]);
});

test('a further change takes the place of the one before, and so does the usual level', async () => {
  const { clock, logLevel, writes } = open();
  logLevel.change('debug', MINUTE_MS);
  logLevel.change('error', 10 * MINUTE_MS);
  await clock.advance(2 * MINUTE_MS);
  expect([logLevel.status().level, writes()]).toEqual(['error', [false, false]]);
  logLevel.change('info', 10 * MINUTE_MS);
  expect([logLevel.status().until, writes()]).toEqual([null, [false, true]]);
  await clock.advance(20 * MINUTE_MS);
  expect(writes()).toEqual([false, true]);
});

test('what is counted is the same at every level', async () => {
  const { logLevel, writes, metrics } = open();
  logLevel.change('error', MINUTE_MS);
  writes();
  logLevel.change('debug', MINUTE_MS);
  writes();
  expect(await metrics.text()).toMatch(/^crier_shards_claimed_total 2$/m);
});

test.each(['info', 'silent'] as const)('a log that is narrowed from debug, or widened from %s, says so', (usual) => {
  const { logLevel, written } = open(usual);
  logLevel.change('debug', MINUTE_MS);
  expect(written).toEqual(['log-level-changed']);
  logLevel.change('error', MINUTE_MS);
  expect(written).toEqual(['log-level-changed', 'log-level-changed']);
});

test('stopped, it leaves no timer behind', async () => {
  const { clock, logLevel, written } = open();
  logLevel.change('debug', MINUTE_MS);
  logLevel.stop();
  await clock.advance(2 * MINUTE_MS);
  expect(written).toEqual(['log-level-changed']);
});
