import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createDueTimers, nameOfTimer, timerIdOf, traceOfTimer, minuteOf, type DueTimer } from './due.ts';

const timer = (timerId: string, dueAt: number, more: Partial<DueTimer> = {}): DueTimer => ({
  shard: 1,
  timerId,
  dueAt,
  topic: 't.v1',
  key: 'k',
  payload: Uint8Array.of(0, 1, 0, 255),
  ...more,
});
const START = Date.UTC(2026, 10, 20);
const MINUTE = 60_000;

test('a timer is read as it was written, whatever its payload', async () => {
  const due = createDueTimers(createMemoryTableStore());
  const timers = [
    timer('a', START),
    timer('b', START, { payload: new Uint8Array(0), key: 'ü' }),
    timer('a', START + 1),
  ];
  await due.write(timers);
  await due.write(timers);
  const read = await due.read(1, minuteOf(START), null, 10);
  expect(read.map(({ payload, ...rest }) => ({ ...rest, payload: [...payload] }))).toEqual(
    timers.map(({ payload, ...rest }) => ({ ...rest, payload: [...payload] })),
  );
});

test('a minute is read in order, page by page, and forgotten whole', async () => {
  const due = createDueTimers(createMemoryTableStore());
  const timers = Array.from({ length: 25 }, (_, index) =>
    timer(`t${String(index % 7)}-${index}`, START + (index % 5) * 1000),
  );
  await due.write(timers);
  const seen: string[] = [];
  for (let after: DueTimer | null = null; ;) {
    const page: readonly DueTimer[] = await due.read(1, minuteOf(START), after, 10);
    seen.push(...page.map(({ dueAt, timerId }) => `${dueAt} ${timerId}`));
    if (page.length < 10) break;
    after = page.at(-1)!;
  }
  expect(seen).toEqual(timers.map(({ dueAt, timerId }) => `${dueAt} ${timerId}`).toSorted());
  await due.drop(1, minuteOf(START));
  expect(await due.read(1, minuteOf(START), null, 10)).toEqual([]);
});

test('no minute that holds a timer is left out of a span, short or long, and they ascend', async () => {
  const minutes = fc.array(fc.integer({ min: 0, max: 60 * 24 * 20 }), { maxLength: 15 });
  await fc.assert(
    fc.asyncProperty(minutes, fc.nat(60 * 24 * 20), fc.nat(60 * 24 * 20), async (holding, from, length) => {
      const due = createDueTimers(createMemoryTableStore());
      const first = minuteOf(START);
      if (holding.length > 0)
        await due.write(holding.map((minute, index) => timer(`t${index}`, START + minute * MINUTE)));
      const named: number[] = [];
      for await (const minute of due.minutes(1, first + from, first + from + length)) named.push(minute);
      expect(named).toEqual(named.toSorted((a, b) => a - b));
      for (const minute of named) expect(minute >= first + from && minute < first + from + length).toBe(true);
      for (const minute of holding)
        if (minute >= from && minute < from + length) expect(named).toContain(first + minute);
    }),
    { numRuns: 50 },
  );
});

test.each([undefined, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'])(
  'the id of a timer gives back its name and the trace %s in which it was set',
  (trace) => {
    const id = timerIdOf('due 0190b7a0 1', timer('', START), trace);
    expect([nameOfTimer(id), traceOfTimer(id)]).toEqual(['due 0190b7a0 1', trace]);
  },
);

test.each<readonly [string, Partial<DueTimer>]>([
  ['message', { payload: Uint8Array.of(0, 1, 0, 254) }],
  ['topic', { topic: 'u.v1' }],
  ['key', { key: 'l' }],
])('a timer that is set again for its instant with another %s is another row: a row has one body', async (_, more) => {
  const due = createDueTimers(createMemoryTableStore());
  const named = (fires: DueTimer): DueTimer => ({ ...fires, timerId: timerIdOf('due 0190b7a0 1', fires) });
  const [one, other] = [named(timer('', START)), named(timer('', START, more))];
  // What fires the same is the same row, also when an owner sets it again.
  for (const each of [one, other, one]) await due.write([each]);
  const rows = await due.read(1, minuteOf(START), null, 10);
  const shown = (timers: readonly DueTimer[]): readonly string[] =>
    timers.map(({ timerId, topic, key, payload }) => JSON.stringify([timerId, topic, key, [...payload]])).toSorted();
  expect(shown(rows)).toEqual(shown([one, other]));
});
