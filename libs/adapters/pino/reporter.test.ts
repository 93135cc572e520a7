import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { reporterSuite, untyped } from '#port-suites/reporter.ts';
import { PortError } from '#ports/errors.ts';
import { createReporter, type ReporterOptions } from './reporter.ts';

const PROCESS = { version: '1.2.3', roles: ['ingress', 'app'], instance: 'pod-7' };

function bench(level: ReporterOptions['level'] = 'debug', more: Partial<ReporterOptions> = {}) {
  const written: string[] = [];
  const counted: string[] = [];
  const linesOf: Record<string, number> = {};
  const time = { now: 0 };
  const reporter = createReporter({
    process: PROCESS,
    level,
    destination: { write: (text) => void written.push(text) },
    metrics: {
      record: (event) => counted.push(event),
      failed: (event) => counted.push(`failed ${event}`),
      wrote: (line) => void (linesOf[line] = (linesOf[line] ?? 0) + 1),
    },
    monotonic: () => time.now,
    ...more,
  });
  return {
    reporter: untyped(reporter),
    typed: reporter,
    counted,
    linesOf,
    time,
    written,
    lines: () => written.map((text) => JSON.parse(text)),
  };
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
        service: 'crier',
        version: '1.2.3',
        roles: 'ingress,app',
        instance: 'pod-7',
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
    ['rendition-ended', { outcome: 'converted' }, 'debug'],
    ['rendition-ended', { outcome: 'unable' }, 'warn'],
    ['not-in-the-catalogue', {}, 'info'],
    ['key-parked', {}, 'error'],
  ])('%s %j is written at level %4$s', (event, facts, level) => {
    const { reporter, lines } = bench();
    reporter.report(event, facts);
    expect(lines()[0]).toMatchObject({ level });
  });

  test('an event below the level is counted without a line', () => {
    for (const level of ['info', 'silent'] as const) {
      const { reporter, written, counted } = bench(level);
      reporter.report('turn-committed');
      if (level === 'silent') reporter.failure('key-lane-failed', new Error('x'));
      expect(written).toEqual([]);
      expect(counted[0]).toBe('turn-committed');
    }
  });

  test('answers to requests are written at info where the access log is on, and troubled ones as warnings', () => {
    for (const [accessLog, levels] of [
      [true, ['info', 'info', 'info', 'warn', 'debug']],
      [false, ['debug', 'debug', 'debug', 'warn', 'debug']],
    ] as const) {
      const { reporter, lines } = bench('debug', { accessLog });
      for (const event of ['request-served', 'tool-called', 'app-call-served']) reporter.report(event, { code: 'ok' });
      reporter.report('request-served', { code: 'unavailable' });
      reporter.report('turn-committed');
      expect(lines().map(({ level }) => level)).toEqual(levels);
    }
  });

  test('ids of a batch are written, durations of a batch are not', () => {
    const { reporter, lines } = bench();
    reporter.report('timers-fired', { postIds: ['a', 'b'], deliveryIds: [], latenessesMs: [1, 2], count: 2 });
    expect(lines()[0]).toMatchObject({ postIds: ['a', 'b'], count: 2 });
    expect(lines()[0]).not.toHaveProperty('latenessesMs');
    reporter.report('timers-fired', { postIds: Array.from({ length: 5_000 }, (_, each) => `id ${each}`) });
    expect(lines()[1].postIds).toHaveLength(2_000);
  });

  test('an event that is for metrics only is counted without a line', () => {
    const { reporter, written, counted } = bench();
    reporter.report('store-request-ended', { operation: 'read', outcome: 'ok', durationMs: 1 });
    expect(written).toEqual([]);
    expect(counted).toEqual(['store-request-ended']);
  });

  test('lines that are written are counted by level, those that are left out are not', () => {
    const { reporter, linesOf } = bench('info');
    reporter.report('turn-committed');
    reporter.report('attempt-ended');
    for (let each = 0; each < 3; each++) reporter.report('turn-lost');
    reporter.failure('key-lane-failed', new Error('x'));
    expect(linesOf).toEqual({ info: 1, warn: 1, error: 1 });
  });

  test('a failure is written with the stack of its error, a retried one without', () => {
    const { reporter, lines } = bench();
    reporter.failure('key-lane-failed', new Error('outer', { cause: new Error('inner') }), { consumer: 'workspace' });
    reporter.failure('handling-retried', new PortError('unavailable', 'no broker answers'));
    reporter.failure('key-lane-failed', 'just words');
    expect(lines()).toMatchObject([
      {
        level: 'error',
        event: 'key-lane-failed',
        consumer: 'workspace',
        error: { name: 'Error', message: 'outer', cause: 'inner', stack: expect.stringContaining('reporter.test') },
      },
      {
        level: 'warn',
        event: 'handling-retried',
        error: { name: 'PortError', kind: 'unavailable', message: 'no broker answers' },
      },
      { level: 'error', error: { message: 'just words' } },
    ]);
    expect(lines()[1].error).not.toHaveProperty('stack');
  });

  test('an event that repeats writes one line a second, with the number of lines that were left out', () => {
    const { reporter, lines, counted, time } = bench();
    for (time.now = 0; time.now < 3_000; time.now += 10) {
      reporter.failure('handling-retried', new PortError('unavailable', 'away'));
      if (time.now === 0) reporter.failure('timer-firing-retried', new PortError('unavailable', 'away'));
    }
    expect(lines().map(({ event, suppressed }) => [event, suppressed])).toEqual([
      ['handling-retried', undefined],
      ['timer-firing-retried', undefined],
      ['handling-retried', 99],
      ['handling-retried', 99],
    ]);
    expect(counted.filter((event) => event === 'failed handling-retried')).toHaveLength(300);
  });

  test('a failure that does not repeat is always written', () => {
    const { reporter, lines } = bench();
    for (let each = 0; each < 50; each++) reporter.failure('key-lane-failed', new Error('x'));
    expect(lines()).toHaveLength(50);
  });

  test('a huge text with line breaks makes one short line', () => {
    const { reporter, written } = bench();
    reporter.report('key-parked', { error: 'x\n'.repeat(100_000) });
    expect(written[0]!.length).toBeLessThan(5_000);
    expect(written[0]!.trimEnd()).not.toContain('\n');
  });

  test('the reader of stderr may close it, and the process goes on and ends', async () => {
    const reporter = new URL('./reporter.ts', import.meta.url).href;
    const script = `
      import { createReporter } from ${JSON.stringify(reporter)};
      const reporter = createReporter({
        process: { version: '1', roles: [], instance: 'i' },
        level: 'info',
        metrics: { record() {}, failed() {}, wrote() {} },
      });
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
  const { typed, lines: written } = bench();
  const lines = () =>
    written().map(({ event, level: _level, time: _time, pid: _pid, error, ...rest }) => ({
      event,
      facts: withoutProcess(rest),
      error: error === undefined || typeof error === 'string' ? null : String(error.message),
    }));
  return { reporter: typed, lines };
});

function withoutProcess({ service: _s, version: _v, roles: _r, instance: _i, ...facts }: Record<string, unknown>) {
  return facts;
}
