import { describe, expect, test } from 'vitest';
import {
  EVENT_SPECS,
  FAILURES_TOTAL,
  FED_METRICS,
  GAUGE_SPECS,
  type EventName,
  type FailureName,
} from '#reporting/catalogue.ts';
import { createMetrics } from './metrics.ts';

const build = { version: '1.2.3', engine: 'embedded' };
const bare = () => createMetrics({ build, process: false });
const linesOf = async (metrics: ReturnType<typeof bare>, name: string) =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(name));

describe('events feed metrics', () => {
  test('an attempt is counted by its bounded facts, and its time since due is measured in seconds', async () => {
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

  test('a request is measured by operation and status class; rate limits and idempotent replays are counted', async () => {
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
    expect(await linesOf(metrics, 'crier_requests_rate_limited_total')).toEqual([
      'crier_requests_rate_limited_total 1',
    ]);
    expect(await linesOf(metrics, 'crier_idempotent_replays_total')).toEqual(['crier_idempotent_replays_total 1']);
  });

  test('a batch counts what is in it', async () => {
    const metrics = bare();
    metrics.record('timers-fired', { count: 7, maxLatenessMs: 30 });
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

  test('missing facts and facts that are no numbers are left out', async () => {
    const metrics = bare();
    metrics.record('timers-fired', { count: null, maxLatenessMs: Number.NaN });
    metrics.record('attempt-ended', {});
    metrics.record('timers-fired', { count: 0, maxLatenessMs: -3 });
    metrics.record('not-in-the-catalogue' as EventName, { a: 1 });
    expect(await linesOf(metrics, 'crier_timers_fired_total')).toEqual(['crier_timers_fired_total 0']);
    expect(await linesOf(metrics, 'crier_timer_lateness_seconds_count')).toEqual([
      'crier_timer_lateness_seconds_count 1',
    ]);
    expect(await linesOf(metrics, 'crier_attempts_ended_total')).toEqual([
      'crier_attempts_ended_total{network="none",placement="none",outcome="none",reason="none"} 1',
    ]);
  });

  test('failures are counted by event, and the values of a label are bounded', async () => {
    const metrics = bare();
    for (let each = 0; each < 1_000; each++) metrics.failed(`event-${each}` as FailureName);
    metrics.failed('event-1' as FailureName);
    const lines = await linesOf(metrics, 'crier_failures_total');
    expect(lines).toHaveLength(101);
    expect(lines).toContain('crier_failures_total{event="event-1"} 2');
    expect(lines).toContain('crier_failures_total{event="other"} 900');
  });
});

describe('gauges', () => {
  test('are read at the scrape, and drop label values that are not read any more', async () => {
    const metrics = bare();
    let held = 3;
    const waiting = [
      { labels: { consumer: 'workspace' }, value: 5 },
      { labels: { consumer: 'publisher-x' }, value: 1 },
    ];
    metrics.watch('timersQueued', () => held);
    metrics.watch('recordsWaiting', () => waiting);
    expect(await linesOf(metrics, 'crier_timers_queued')).toEqual(['crier_timers_queued 3']);
    held = 4;
    waiting.pop();
    expect(await linesOf(metrics, 'crier_timers_queued')).toEqual(['crier_timers_queued 4']);
    expect(await linesOf(metrics, 'crier_records_waiting')).toEqual(['crier_records_waiting{consumer="workspace"} 5']);
  });

  test('a reading that does not fit its gauge is no TypeScript', async () => {
    const metrics = bare();
    // @ts-expect-error the gauge has a value for each consumer
    metrics.watch('recordsWaiting', () => 1);
    // @ts-expect-error the gauge has no label topic
    metrics.watch('parkedKeys', () => [{ labels: { topic: 't' }, value: 1 }]);
    // @ts-expect-error the gauge has no labels
    metrics.watch('timersQueued', () => [{ labels: { consumer: 'c' }, value: 1 }]);
    // @ts-expect-error the catalogue has no such gauge
    expect(() => metrics.watch('timersHeld', () => 1)).toThrow();
  });

  test('a gauge that can not be read does not spoil the others', async () => {
    const metrics = bare();
    metrics.watch('timersQueued', () => {
      throw new Error('not there yet');
    });
    metrics.watch('answersAwaited', () => 2);
    expect(await linesOf(metrics, 'crier_answers_awaited')).toEqual(['crier_answers_awaited 2']);
  });

  test('the build is in the labels of crier_build_info', async () => {
    expect(await linesOf(bare(), 'crier_build_info')).toEqual([
      `crier_build_info{version="1.2.3",engine="embedded",node="${process.versions.node}"} 1`,
    ]);
  });
});

const NO_BASE_UNITS = /_(?:ms|milliseconds|minutes|hours|kb|mb|percent)(?:_|$)/;

describe('names', () => {
  const declared = [...FED_METRICS, FAILURES_TOTAL, ...GAUGE_SPECS];

  test.each(declared.map((spec) => [spec.name, spec] as const))(
    '%s follows the conventions of Prometheus',
    (name, { kind, help, labels }) => {
      expect(name).toMatch(/^crier_[a-z]+(?:_[a-z]+)*$/);
      expect(name.endsWith('_total')).toBe(kind === 'counter');
      expect(name).not.toMatch(NO_BASE_UNITS);
      expect(name).not.toMatch(/_(?:counter|gauge|histogram|count|sum|bucket|info)$/);
      expect(help.length).toBeGreaterThan(20);
      for (const label of labels) expect(label).toMatch(/^(?!.*id$)[a-z_]+$/);
    },
  );

  test('no two metrics share a name, also without the suffix that OpenMetrics takes from counters', () => {
    const families = declared.map(({ name }) => name.replace(/_total$/, ''));
    expect(families.toSorted()).toEqual([...new Set(families)].toSorted());
  });

  test('every feed reads facts of its event, and none of them is an id or a text', () => {
    for (const [event, { facts, feeds }] of EVENT_SPECS) {
      for (const { labels, value, when } of feeds) {
        for (const [label, source] of Object.entries(labels))
          if ('fact' in source) expect(facts[source.fact]?.type, `${event} ${label}`).toMatch(/^(?:word|name)$/);
        if (value !== undefined) expect(facts[value]?.type, `${event} ${value}`).toMatch(/^(?:number|milliseconds)$/);
        if (when !== undefined) expect(facts, event).toHaveProperty(when[0]);
      }
    }
  });

  test('facts in milliseconds end in Ms, which the metrics make seconds', () => {
    for (const [event, { facts }] of EVENT_SPECS)
      for (const [fact, { type }] of Object.entries(facts))
        expect(fact.endsWith('Ms'), `${event} ${fact}`).toBe(type === 'milliseconds');
  });

  test('no metric of Node and the process has a name that the linter of Prometheus refuses', async () => {
    const text = await createMetrics({ build }).text();
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!] as const);
    expect(types.length).toBeGreaterThan(20);
    for (const [name, type] of types) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      if (name.endsWith('_total')) expect(type, name).toBe('counter');
      expect(name).not.toMatch(/_(?:summary|histogram)$/);
    }
  });
});
