import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { EVENT_METRICS, FAILURES, GAUGES } from '#reporting/metrics.ts';
import { createMetrics } from './metrics.ts';

const build = { version: '1.2.3', engine: 'embedded' };
const bare = () => createMetrics({ build, process: false });
const linesOf = async (metrics: ReturnType<typeof bare>, name: string) =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(name));

describe('events feed metrics', () => {
  test('an attempt is counted by what is bounded, and its way measured in seconds', async () => {
    const metrics = bare();
    metrics.record('attempt-ended', {
      network: 'x',
      placement: 'feed',
      outcome: 'failed',
      reason: 'rate_limited',
      variantId: 'v',
      attempt: 1,
      sinceDueMs: 1_500,
    });
    expect(await linesOf(metrics, 'crier_attempts_ended_total')).toEqual([
      'crier_attempts_ended_total{network="x",placement="feed",outcome="failed",reason="rate_limited"} 1',
    ]);
    expect(await linesOf(metrics, 'crier_attempt_since_due_seconds_sum')).toEqual([
      'crier_attempt_since_due_seconds_sum{network="x",outcome="failed"} 1.5',
    ]);
    expect(await metrics.text()).not.toContain('"v"');
  });

  test('a request is measured by operation and class; limits and repeats are counted', async () => {
    const metrics = bare();
    const served = (code: string, statusClass: string, replayed = false) =>
      metrics.record('request-served', {
        operation: 'create-post',
        code,
        statusClass,
        replayed,
        durationMs: 4,
        requestId: 'r',
        workspaceId: 'w',
      });
    served('ok', '2xx');
    served('ok', '2xx', true);
    served('rate_limited', '4xx');
    expect(await linesOf(metrics, 'crier_http_request_duration_seconds_count')).toEqual([
      'crier_http_request_duration_seconds_count{operation="create-post",status_class="2xx"} 2',
      'crier_http_request_duration_seconds_count{operation="create-post",status_class="4xx"} 1',
    ]);
    expect(await linesOf(metrics, 'crier_rate_limited_total')).toEqual(['crier_rate_limited_total 1']);
    expect(await linesOf(metrics, 'crier_duplicate_posts_total')).toEqual(['crier_duplicate_posts_total 1']);
  });

  test('batches count what is in them', async () => {
    const metrics = bare();
    metrics.record('timers-fired', { count: 7, latestMs: 30 });
    metrics.record('turn-committed', { commands: 3 });
    metrics.record('turn-lost', {});
    expect(await linesOf(metrics, 'crier_timers_fired_total')).toEqual(['crier_timers_fired_total 7']);
    expect(await linesOf(metrics, 'crier_timer_lateness_seconds_bucket{le="0.05"}')).toEqual([
      'crier_timer_lateness_seconds_bucket{le="0.05"} 1',
    ]);
    expect(await linesOf(metrics, 'crier_turns_total')).toEqual([
      'crier_turns_total{outcome="committed"} 1',
      'crier_turns_total{outcome="lost"} 1',
    ]);
    expect(await linesOf(metrics, 'crier_turn_commands_sum')).toEqual(['crier_turn_commands_sum 3']);
  });

  test('facts that are missing or no numbers break nothing', async () => {
    const metrics = bare();
    metrics.record('timers-fired', { count: null, latestMs: Number.NaN });
    metrics.record('attempt-ended', {});
    metrics.record('timers-fired', { count: 0, latestMs: -3 });
    metrics.record('nobody-knows', { a: 1 });
    expect(await linesOf(metrics, 'crier_timers_fired_total')).toEqual(['crier_timers_fired_total 0']);
    expect(await linesOf(metrics, 'crier_timer_lateness_seconds_count')).toEqual([
      'crier_timer_lateness_seconds_count 1',
    ]);
    expect(await linesOf(metrics, 'crier_attempts_ended_total')).toEqual([
      'crier_attempts_ended_total{network="none",placement="none",outcome="none",reason="none"} 1',
    ]);
  });

  test('failures are counted by event, and no label grows without end', async () => {
    const metrics = bare();
    for (let each = 0; each < 1_000; each++) metrics.failed(`event-${each}`);
    metrics.failed('event-1');
    const lines = await linesOf(metrics, 'crier_failures_total');
    expect(lines).toHaveLength(101);
    expect(lines).toContain('crier_failures_total{event="event-1"} 2');
    expect(lines).toContain('crier_failures_total{event="other"} 900');
  });
});

describe('gauges', () => {
  test('are read at the scrape, and forget what is not there any more', async () => {
    const metrics = bare();
    let held = 3;
    const waiting = [
      { labels: { consumer: 'workspace' }, value: 5 },
      { labels: { consumer: 'publisher-x' }, value: 1 },
    ];
    metrics.watch('timersHeld', () => held);
    metrics.watch('recordsWaiting', () => waiting);
    expect(await linesOf(metrics, 'crier_timers_held')).toEqual(['crier_timers_held 3']);
    held = 4;
    waiting.pop();
    expect(await linesOf(metrics, 'crier_timers_held')).toEqual(['crier_timers_held 4']);
    expect(await linesOf(metrics, 'crier_records_waiting')).toEqual(['crier_records_waiting{consumer="workspace"} 5']);
  });

  test('one that can not be read does not spoil the others', async () => {
    const metrics = bare();
    metrics.watch('timersHeld', () => {
      throw new Error('not there yet');
    });
    metrics.watch('answersAwaited', () => 2);
    expect(await linesOf(metrics, 'crier_answers_awaited')).toEqual(['crier_answers_awaited 2']);
  });

  test('the build is told', async () => {
    expect(await linesOf(bare(), 'crier_build_info')).toEqual([
      `crier_build_info{version="1.2.3",engine="embedded",node="${process.versions.node}"} 1`,
    ]);
  });
});

const UNITS_SHUNNED = /_(?:ms|milliseconds|minutes|hours|kb|mb|percent)(?:_|$)/;

describe('names', () => {
  const declared = [
    ...new Set([
      ...Object.values(EVENT_METRICS)
        .flat()
        .map(({ metric }) => metric),
      FAILURES,
      ...Object.values(GAUGES),
    ]),
  ];

  test.each(declared.map((spec) => [spec.name, spec] as const))(
    '%s follows the guide',
    (name, { kind, help, labels }) => {
      expect(name).toMatch(/^crier_[a-z]+(?:_[a-z]+)*$/);
      expect(name.endsWith('_total')).toBe(kind === 'counter');
      expect(name).not.toMatch(UNITS_SHUNNED);
      expect(name).not.toMatch(/_(?:counter|gauge|histogram|count|sum|bucket|info)$/);
      expect(help.length).toBeGreaterThan(20);
      for (const label of labels) expect(label).toMatch(/^(?!.*id$)[a-z_]+$/);
    },
  );

  test('every recording fills exactly the labels of its metric', () => {
    for (const { metric, from = {}, always = {} } of Object.values(EVENT_METRICS).flat()) {
      expect([...Object.keys(from), ...Object.keys(always)].toSorted(), metric.name).toEqual(
        [...metric.labels].toSorted(),
      );
    }
  });

  test('of what the process says of itself no name is one that linters refuse', async () => {
    const text = await createMetrics({ build }).text();
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!] as const);
    expect(types.length).toBeGreaterThan(20);
    for (const [name, type] of types) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      if (name.endsWith('_total')) expect(type, name).toBe('counter');
      expect(name).not.toMatch(/_(?:summary|histogram)$/);
    }
  });

  test('every event that feeds a metric is reported somewhere', () => {
    const sources = ['libs', 'services'].flatMap((root) =>
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
        .map((file) => `${root}/${file}`),
    );
    const text = sources
      .filter((file) => file !== 'libs/reporting/metrics.ts')
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    for (const event of Object.keys(EVENT_METRICS)) expect(text, event).toContain(`report('${event}'`);
  });
});
