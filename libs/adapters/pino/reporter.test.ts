import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { reporterSuite } from '#port-suites/reporter.ts';
import { PortError } from '#ports/errors.ts';
import { createReporter, type ReporterOptions } from './reporter.ts';

function bench(level: ReporterOptions['level'] = 'debug') {
  const written: string[] = [];
  const counted: string[] = [];
  const time = { now: 0 };
  const reporter = createReporter({
    level,
    destination: { write: (text) => void written.push(text) },
    metrics: { record: (event) => counted.push(event), failed: (event) => counted.push(`failed ${event}`) },
    monotonic: () => time.now,
  });
  return { reporter, counted, time, written, lines: () => written.map((text) => JSON.parse(text)) };
}

describe('the reporter', () => {
  test('writes one line of JSON an event, with its facts, and counts it', () => {
    const { reporter, written, lines, counted } = bench();
    reporter.report('attempt-ended', { network: 'x', variantId: 'v', sinceDueMs: 12, detail: 'two\nlines' });
    expect(written[0]).toMatch(/^[^\n]+\n$/);
    expect(lines()).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/Z$/),
        pid: process.pid,
        event: 'attempt-ended',
        network: 'x',
        variantId: 'v',
        sinceDueMs: 12,
        detail: 'two\nlines',
      },
    ]);
    expect(counted).toEqual(['attempt-ended']);
  });

  test.each<[string, Record<string, string>, string]>([
    ['turn-committed', {}, 'debug'],
    ['timers-fired', {}, 'debug'],
    ['request-served', { code: 'ok' }, 'debug'],
    ['request-served', { code: 'not_found' }, 'debug'],
    ['request-served', { code: 'unavailable' }, 'warn'],
    ['attempt-ended', {}, 'info'],
    ['never-heard-of', {}, 'info'],
    ['key-parked', {}, 'error'],
  ])('%s %j is said at level %4$s', (event, facts, level) => {
    const { reporter, lines } = bench();
    reporter.report(event, facts);
    expect(lines()[0]).toMatchObject({ level });
  });

  test('what is below the level is counted all the same', () => {
    for (const level of ['info', 'silent'] as const) {
      const { reporter, written, counted } = bench(level);
      reporter.report('turn-committed');
      if (level === 'silent') reporter.failure('lane-broke', new Error('x'));
      expect(written).toEqual([]);
      expect(counted[0]).toBe('turn-committed');
    }
  });

  test('a failure tells the error with its stack; a wait tells it without', () => {
    const { reporter, lines } = bench();
    reporter.failure('lane-broke', new Error('outer', { cause: new Error('inner') }), { consumer: 'workspace' });
    reporter.failure('handling-waits', new PortError('unavailable', 'no broker answers'));
    reporter.failure('lane-broke', 'just words');
    expect(lines()).toMatchObject([
      {
        level: 'error',
        event: 'lane-broke',
        consumer: 'workspace',
        error: { name: 'Error', message: 'outer', cause: 'inner', stack: expect.stringContaining('reporter.test') },
      },
      {
        level: 'warn',
        event: 'handling-waits',
        error: { name: 'PortError', kind: 'unavailable', message: 'no broker answers' },
      },
      { level: 'error', error: { message: 'just words' } },
    ]);
    expect(lines()[1].error).not.toHaveProperty('stack');
  });

  test('an outage writes one line a second an event, and says how many it stands for', () => {
    const { reporter, lines, counted, time } = bench();
    for (time.now = 0; time.now < 3_000; time.now += 10) {
      reporter.failure('handling-waits', new PortError('unavailable', 'away'));
      if (time.now === 0) reporter.failure('firing-waits', new PortError('unavailable', 'away'));
    }
    expect(lines().map(({ event, suppressed }) => [event, suppressed])).toEqual([
      ['handling-waits', undefined],
      ['firing-waits', undefined],
      ['handling-waits', 99],
      ['handling-waits', 99],
    ]);
    expect(counted.filter((event) => event === 'failed handling-waits')).toHaveLength(300);
  });

  test('real failures are never left out', () => {
    const { reporter, lines } = bench();
    for (let each = 0; each < 50; each++) reporter.failure('lane-broke', new Error('x'));
    expect(lines()).toHaveLength(50);
  });

  test('neither a huge text nor a line break in one makes more than a line', () => {
    const { reporter, written } = bench();
    reporter.report('key-parked', { error: 'x\n'.repeat(100_000) });
    expect(written[0]!.length).toBeLessThan(5_000);
    expect(written[0]!.trimEnd()).not.toContain('\n');
  });

  test('who reads stderr may leave, and the process still goes on and ends', async () => {
    const reporter = new URL('./reporter.ts', import.meta.url).href;
    const script = `
      import { createReporter } from ${JSON.stringify(reporter)};
      const reporter = createReporter({ level: 'info', metrics: { record() {}, failed() {} } });
      for (let each = 0; each < 20_000; each++) reporter.report('attempt-ended', { each });
      process.exit(7);
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr!.once('data', () => child.stderr!.destroy());
    expect((await once(child, 'exit'))[0]).toBe(7);
  });
});

reporterSuite('pino reporter', () => {
  const { reporter, lines } = bench();
  const told = () =>
    lines().map(({ event, level: _level, time: _time, pid: _pid, error, ...facts }) => ({
      event,
      facts,
      error: error === undefined || typeof error === 'string' ? null : String(error.message),
    }));
  return { reporter, told };
});
