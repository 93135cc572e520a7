import type { BugsOfRoom } from '../planted-bug.ts';
import {
  FAILING_READS,
  IN_BULK,
  LEAPS,
  LEAPS_AND_DEATHS,
  OUTAGES,
  QUIET,
  STALLS_OFTEN,
  UNANSWERED,
  WEEKS_AHEAD,
} from '../fault-plans.ts';

const SHARD = 'services/scheduler/shard.ts';
const POSITIONS = 'services/scheduler/read-positions.ts';
const MINUTES = 'services/scheduler/minutes.ts';
const QUEUE = 'services/scheduler/timer-queue.ts';
const COALESCE = 'services/scheduler/coalesce.ts';
const TIMERS = 'libs/outbox/timers.ts';
const RELAY = 'libs/outbox/relay.ts';

export const SCHEDULER: BugsOfRoom = {
  room: 'services/scheduler',
  bugs: [
    {
      name: 'A leap of the clock that is taken back while the engine is asked is followed',
      edits: [
        {
          file: 'services/crier/compose/clock-check.ts',
          find: ' && hasStood) leaps.confirm',
          replace: ') leaps.confirm',
        },
      ],
      suite: 'services/crier/compose/clock-check.test.ts',
    },
    {
      name: 'A watermark is moved beyond timers that have not fired, and the next owner trusts it',
      edits: [
        {
          file: 'services/scheduler/watermarks.ts',
          find: 'const moved = await options.shards.move(shard.number, row, to, options.ids.token());',
          replace:
            'const moved = await options.shards.move(shard.number, row, { ...to, minute: to.minute + 10 }, options.ids.token());',
        },
        {
          file: POSITIONS,
          find: 'if (!isAhead(minute, claimedAt)) return doubted;',
          replace: 'if (claimedAt > 0) return minute;',
        },
      ],
    },
    {
      name: 'The watermark passes minutes whose timers wait',
      edits: [
        {
          file: SHARD,
          find: 'for (const [number, minute] of this.#minutes) if (minute.open > 0 && number < lowest) lowest = number;',
          replace: '',
        },
      ],
      faults: STALLS_OFTEN,
      actions: { 'create later': 1 },
    },
    {
      name: 'The watermark passes minutes that were not read',
      edits: [
        {
          file: SHARD,
          find: 'let lowest = Math.min(minuteOf(now), this.nextMinute(clock));',
          replace: 'let lowest = minuteOf(now);',
        },
      ],
      suite: 'services/scheduler/service.test.ts',
    },
    {
      name: 'A timer counts as fired before its message is in the log',
      edits: [
        {
          file: QUEUE,
          find: 'const ids = await this.#append(batch).finally(() => (this.#onTheirWay = []));',
          replace:
            "for (const held of batch) if (held.shard.state !== 'lost') this.#onFired(held);\n      const ids = await this.#append(batch).finally(() => (this.#onTheirWay = []));",
        },
        {
          file: QUEUE,
          find: 'maxLatenessMs = Math.max(maxLatenessMs, latenessMs); this.#onFired(held);',
          replace: 'maxLatenessMs = Math.max(maxLatenessMs, latenessMs);',
        },
      ],
      faults: STALLS_OFTEN,
      actions: { 'create later': 1 },
    },
    {
      name: 'An append of fired timers that fails is given up',
      edits: [
        {
          file: QUEUE,
          find: "this.#options.reporter.failure('timer-firing-retried', error, { topic, records: records.length, failures });",
          replace: 'if (failures >= 0) return true;',
        },
      ],
      faults: UNANSWERED,
    },
    {
      name: 'Timers that are due together fire in reverse order',
      edits: [
        {
          file: QUEUE,
          find: 'batch.push(next); } return batch;',
          replace: 'batch.push(next);\n    }\n    return batch.reverse();',
        },
      ],
      ...{ faults: QUIET, actions: IN_BULK },
    },
    {
      name: 'A batch of timers loses its last one',
      edits: [
        {
          file: QUEUE,
          find: 'batch.map(({ timer }) => (tracer.isOn',
          replace: 'batch.slice(0, batch.length > 1 ? -1 : undefined).map(({ timer }) => (tracer.isOn',
        },
      ],
      faults: OUTAGES,
    },
    {
      name: 'What is joined beyond a hundred Variants is lost',
      edits: [
        {
          file: COALESCE,
          find: '> MAX_STEP_VARIANTS) flush(topic, key);',
          replace: '> MAX_STEP_VARIANTS) open.delete(`${topic} ${key}`);',
        },
      ],
      faults: QUIET,
      actions: { 'create many at once': 1 },
    },
    {
      name: 'Joined timers take the attempt of the first',
      edits: [
        {
          file: COALESCE,
          find: 'joined.posts.push(...decoded.message.posts);',
          replace:
            'joined.posts.push(...decoded.message.posts.map((post) => ({ ...post, attempt: joined.posts[0]?.attempt ?? post.attempt })));',
        },
      ],
      suite: 'services/scheduler/service.test.ts',
    },
    {
      name: 'A timer that is set for a minute that has passed moves the watermark back to it',
      edits: [
        {
          file: SHARD,
          find: 'const minute = isAhead(known, now) ? lowest : Math.max(lowest, known);',
          replace: 'const minute = lowest;',
        },
      ],
      faults: LEAPS,
      parts: [],
    },
    {
      name: 'Minutes that a leading clock dropped are passed over once the clock is right',
      edits: [{ file: SHARD, find: 'isAhead(dropped, clock.now()) ? 0 : dropped', replace: 'dropped' }],
      suite: 'services/scheduler/shard.test.ts',
    },
    {
      name: 'The epoch of a shard is not looked at when its watermark is moved',
      edits: [
        {
          file: 'libs/tables/repositories/shards.ts',
          find: 'move: (shard, held, to, token) => write(shard, held.version, { ...to, ...ours, epoch: held.epoch }, token),',
          replace:
            'move: async (shard, held, to, token) =>\n      write(shard, (await read(shard))?.version ?? 0, { ...to, ...ours, epoch: held.epoch }, token),',
        },
      ],
      suite: 'libs/tables/repositories/conditional-rows.test.ts',
    },
    {
      name: 'A new owner of a shard begins at the present minute',
      edits: [
        {
          file: POSITIONS,
          find: 'if (!isAhead(minute, claimedAt)) return doubted;',
          replace: 'if (!isAhead(minute, claimedAt)) return minuteOf(claimedAt);',
        },
      ],
      suite: 'services/scheduler/service.test.ts',
    },
    {
      name: 'A clock that is put back is not noticed',
      edits: [
        {
          file: POSITIONS,
          find: 'if (offsetMs < this.#offsetMs - HARMLESS_LEAD_MS) this.#goBack(offsetMs);\n else if',
          replace: 'if',
        },
      ],
      faults: LEAPS,
    },
    {
      name: 'A watermark that lies in the future is believed',
      edits: [
        {
          file: POSITIONS,
          find: 'if (!isAhead(minute, claimedAt)) return doubted;',
          replace: 'if (claimedAt > 0) return minute;',
        },
      ],
      faults: LEAPS_AND_DEATHS,
    },
    {
      name: 'A watermark that moved after the clock had risen is believed once its minute has come',
      edits: [
        {
          file: SHARD,
          find: 'const doubted = this.positions.beforeRise ?? minute;',
          replace: 'const doubted = minute;',
        },
      ],
      faults: LEAPS_AND_DEATHS,
    },
    {
      name: 'Minutes count as read before their rows are read',
      edits: [
        {
          file: MINUTES,
          find: 'for await (const minute of options.due.minutes(shard.number, from, until)) {',
          replace:
            'read.readTo(until);\n  for await (const minute of options.due.minutes(shard.number, from, until)) {',
        },
      ],
      faults: FAILING_READS,
    },
    {
      name: 'Timers that are near go through no topic',
      edits: [
        {
          file: TIMERS,
          find: 'const near = due.filter((timer) => timer.dueAt < options.clock.now() + LOOK_AHEAD_MS);',
          replace: 'const near = due.filter((timer) => timer.dueAt < options.clock.now());',
        },
      ],
      faults: QUIET,
    },
    {
      name: 'The rows of timers are not written',
      edits: [
        { file: TIMERS, find: 'await options.due.write(due);', replace: '' },
        {
          file: 'libs/tables/repositories/due.ts',
          find: 'if (timers.length > 0) implied.push({ table: DUE, insert: timers.map(rowOf) });',
          replace: '',
        },
        {
          file: 'libs/tables/repositories/due.ts',
          find: 'return timers.length === 0 ? [] : [{ table: DUE, insert: timers.map(rowOf) }];',
          replace: 'return [];',
        },
      ],
    },
    {
      name: 'The hours in which timers are due are not listed',
      edits: [
        {
          file: 'libs/tables/repositories/due.ts',
          find: 'if (this.#known.has(name)) continue;',
          replace: 'if (this.#known.has(name) || hour > 0) continue;',
        },
      ],
      faults: LEAPS_AND_DEATHS,
    },
    {
      name: 'A timer is set near or far by an instant before its row is written',
      edits: [
        {
          file: TIMERS,
          find: 'await options.due.write(due); await announceNearTimers(options, due);',
          replace: 'await announceNearTimers(options, due);\n  await options.due.write(due);',
        },
        {
          file: RELAY,
          find: 'write: () => writeRows(options, { rows, timers: beside, version }),',
          replace:
            'write: () => ((judgedAt = options.clock.now()), writeRows(options, { rows, timers: beside, version })),',
        },
        { file: RELAY, find: 'return { write: () =>', replace: 'let judgedAt = 0;\nreturn { write: () =>' },
        {
          file: RELAY,
          find: 'announceNearTimers(options, beside),',
          replace: 'announceNearTimers({ ...options, clock: { now: () => judgedAt } as never }, beside),',
        },
        {
          file: TIMERS,
          find: 'export const LOOK_AHEAD_MS = 5 * 60_000;',
          replace: 'export const LOOK_AHEAD_MS = 60_000;',
        },
      ],
      faults: { ...UNANSWERED, crashAtCall: 0 },
    },
    {
      name: 'Of days that nobody looked at only the first is read',
      edits: [
        {
          file: 'libs/tables/repositories/due.ts',
          find: 'day <= dayOf(until - 1); day++',
          replace: 'day <= dayOf(from); day++',
        },
      ],
      ...{ faults: QUIET, actions: WEEKS_AHEAD },
    },
  ],
};
