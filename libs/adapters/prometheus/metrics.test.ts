import { describe, expect, test } from 'vitest';
import { TimeSlices } from '#concurrency/time-slice.ts';
import {
  EVENT_SPECS,
  FAILURE_SPECS,
  FAILURES_TOTAL,
  FED_METRICS,
  GAUGE_SPECS,
  LOG_LINES_TOTAL,
  type EventName,
  type FailureName,
} from '#reporting/catalogue.ts';
import type { Fact, FactSpec } from '#reporting/fact.ts';
import { seriesOf } from '#reporting/series.ts';
import { createSystemClock } from '../system/clock.ts';
import { createMetrics } from './metrics.ts';

const build = { version: '1.2.3', engine: 'embedded' };
const bare = () => createMetrics({ build, process: false });
const allOf = async (metrics: ReturnType<typeof bare>, name = 'crier_') =>
  (await metrics.text()).split('\n').filter((line) => line.startsWith(name));
/** Without the series that were born and not added to. */
const linesOf = async (metrics: ReturnType<typeof bare>, name: string) =>
  (await allOf(metrics, name)).filter((line) => !line.endsWith(' 0'));
const valueOf = async (metrics: ReturnType<typeof bare>, series: string) =>
  Number((await allOf(metrics, `${series} `))[0]?.split(' ').at(-1) ?? Number.NaN);

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
    metrics.record('timers-fired', { count: 3, latenessesMs: [0, 30, 7_000] });
    metrics.record('turn-committed', { commands: 3 });
    metrics.record('turn-lost', {});
    expect(await linesOf(metrics, 'crier_timers_fired_total')).toEqual(['crier_timers_fired_total 3']);
    expect(await valueOf(metrics, 'crier_timer_lateness_seconds_bucket{le="0.05"}')).toBe(2);
    expect(await valueOf(metrics, 'crier_timer_lateness_seconds_bucket{le="15"}')).toBe(3);
    expect(await valueOf(metrics, 'crier_timer_lateness_seconds_sum')).toBe(7.03);
    expect(await linesOf(metrics, 'crier_turns_total')).toEqual([
      'crier_turns_total{outcome="committed"} 1',
      'crier_turns_total{outcome="lost"} 1',
    ]);
    expect(await linesOf(metrics, 'crier_turn_commands_sum')).toEqual(['crier_turn_commands_sum 3']);
  });

  test('missing facts and facts that are no numbers are left out', async () => {
    const metrics = bare();
    metrics.record('timers-fired', { count: null, latenessesMs: [Number.NaN] });
    metrics.record('upkeep-ended', {});
    metrics.record('timers-fired', { count: 0, latenessesMs: [-3] });
    metrics.record('not-in-the-catalogue' as EventName, { a: 1 });
    expect(await allOf(metrics, 'crier_timers_fired_total')).toEqual(['crier_timers_fired_total 0']);
    expect(await linesOf(metrics, 'crier_timer_lateness_seconds_count')).toEqual([
      'crier_timer_lateness_seconds_count 1',
    ]);
    expect(await linesOf(metrics, 'crier_connection_upkeeps_total')).toEqual([
      'crier_connection_upkeeps_total{network="none",outcome="none"} 1',
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

describe('series are born before their events', () => {
  /** As Prometheus computes it: a series that was not there before has no increase. */
  const increase = async (metrics: ReturnType<typeof bare>, series: string, happen: () => void) => {
    const before = await valueOf(metrics, series);
    happen();
    return (await valueOf(metrics, series)) - before;
  };

  test.each<[series: string, happen: (metrics: ReturnType<typeof bare>) => void]>([
    ['crier_turns_total{outcome="lost"}', (metrics) => metrics.record('turn-lost', {})],
    [
      'crier_network_circuit_transitions_total{network="tiktok",state="opened"}',
      (metrics) => metrics.record('circuit-breaker-opened', { network: 'tiktok' }),
    ],
    [
      'crier_attempts_ended_total{network="x",placement="story",outcome="failed",reason="rate_limited"}',
      (metrics) =>
        metrics.record('attempt-ended', {
          ...{ network: 'x', placement: 'story', outcome: 'failed', reason: 'rate_limited' },
        }),
    ],
    [
      'crier_dead_letters_total{topic="timers.v1"}',
      (metrics) => metrics.record('record-dead-lettered', { topic: 'timers.v1' }),
    ],
    ['crier_failures_total{event="row-body-conflict"}', (metrics) => metrics.failed('row-body-conflict')],
    ['crier_log_lines_total{level="error"}', (metrics) => metrics.wrote('error')],
    [
      'crier_webhook_attempt_duration_seconds_count{outcome="unsafe"}',
      (metrics) => metrics.record('webhook-attempt-ended', { outcome: 'unsafe', durationMs: 4 }),
    ],
    [
      'crier_blobs_removed_total{reason="none"}',
      (metrics) => metrics.record('asset-files-removed', { blobs: 1, reason: null }),
    ],
  ])('the first %s is an increase by 1', async (series, happen) => {
    const metrics = bare();
    expect(await increase(metrics, series, () => happen(metrics))).toBe(1);
  });

  test('what becomes known while a process is put together is born too, and keeps what was counted', async () => {
    const metrics = bare();
    metrics.record('tool-called', { tool: 'get_post', outcome: 'ok', durationMs: 4 });
    const names = { tool: ['get_post', 'list_posts'], 'crier_mcp_tool_calls_total outcome': ['ok'] };
    for (let time = 0; time < 2; time++) metrics.bear(names);
    const series = (tool: string) => `crier_mcp_tool_calls_total{tool="${tool}",outcome="ok"}`;
    expect([await valueOf(metrics, series('get_post')), await valueOf(metrics, series('list_posts'))]).toEqual([1, 0]);
    const ended = 'crier_mcp_tool_call_duration_seconds_count';
    expect(await valueOf(metrics, `${ended}{tool="list_posts"}`)).toBe(0);
    expect(await valueOf(metrics, `${ended}{tool="get_post"}`)).toBe(1);
  });

  test('every counter whose labels are listed has all of its series at the start, and none is made up', async () => {
    const lines = await allOf(bare());
    for (const [event, spec] of EVENT_SPECS)
      for (const feed of spec.feeds.filter(({ metric }) => metric.kind === 'counter')) {
        const series = seriesOf(feed, spec, {});
        for (const labels of series ?? []) {
          const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
          const name = feed.metric.name + (pairs.length === 0 ? '' : `{${pairs.join(',')}}`);
          expect(lines, event).toContain(`${name} 0`);
        }
      }
    expect(lines.filter((line) => /outcome="published",reason="(?!none)/.test(line))).toEqual([]);
    for (const name of FAILURE_SPECS.keys()) expect(lines).toContain(`crier_failures_total{event="${name}"} 0`);
  });

  test('a thousand Workspaces have no more series than one', async () => {
    const metrics = bare();
    const eventsOf = (workspace: number): void => {
      for (const [event, { facts }] of EVENT_SPECS) {
        const given = Object.entries(facts).map(([fact, spec]) => [fact, exampleOf(spec, workspace)]);
        metrics.record(event as EventName, Object.fromEntries(given));
      }
    };
    eventsOf(0);
    const ofOne = (await allOf(metrics)).length;
    for (let workspace = 1; workspace <= 1_000; workspace++) eventsOf(workspace);
    expect((await allOf(metrics)).length).toBe(ofOne);
  });
});

/** Words and names as they are bounded by nature; ids, texts and numbers of the Workspace. */
function exampleOf(spec: FactSpec, workspace: number): Fact {
  switch (spec.type) {
    case 'word':
      return spec.words[0]!;
    case 'name':
      return 'same';
    case 'id':
    case 'text':
      return `workspace ${workspace}`;
    case 'ids':
      return [`workspace ${workspace}`];
    case 'durations':
      return [workspace];
    case 'flag':
      return true;
    case 'number':
    case 'milliseconds':
      return workspace;
  }
}

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
  const declared = [...FED_METRICS, FAILURES_TOTAL, LOG_LINES_TOTAL, ...GAUGE_SPECS];

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
        if (value !== undefined)
          expect(facts[value]?.type, `${event} ${value}`).toMatch(/^(?:number|milliseconds|durations)$/);
        if (when !== undefined) expect(facts, event).toHaveProperty(when[0]);
      }
    }
  });

  test('facts in milliseconds end in Ms, which the metrics make seconds', () => {
    for (const [event, { facts }] of EVENT_SPECS)
      for (const [fact, { type }] of Object.entries(facts))
        expect(fact.endsWith('Ms'), `${event} ${fact}`).toBe(type === 'milliseconds' || type === 'durations');
  });

  test('the event loop turns while a scrape is made', async () => {
    const metrics = createMetrics({ build });
    const slices = new TimeSlices({ clock: createSystemClock() });
    let turns = 0;
    let isDone = false;
    const turn = (): void => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    // On any machine, one of so many takes more than a slice.
    for (let scrapes = 0; scrapes < 50 && turns === 0; scrapes++) await metrics.text(slices.begin(null));
    isDone = true;
    expect(turns).toBeGreaterThan(0);
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
