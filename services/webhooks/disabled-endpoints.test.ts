import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createFailingEndpoints } from '#tables/repositories/failing-endpoints.ts';
import { DisabledEndpoints } from './disabled-endpoints.ts';

const ABOUT = { workspaceId: 'w', endpointId: 'e', url: 'https://hooks.test/', since: 0, error: 'It answered 500.' };
const MINUTE = 60_000;

function open() {
  const clock = createMemoryClock();
  const ids = createSeededIds(1);
  const told: string[] = [];
  const failing = createFailingEndpoints(createMemoryTableStore({ clock }), () => ids.token());
  const process = (name: string) =>
    new DisabledEndpoints({ failing, clock, reporter: createMemoryReporter(), tell: () => void told.push(name) });
  return { clock, failing, told, processes: [process('one'), process('other')] as const };
}

test('of processes that disable an endpoint at once, one tells', async () => {
  const { told, processes } = open();
  await Promise.all(processes.map((each) => each.disable(ABOUT)));
  await Promise.all(processes.map((each) => each.disable(ABOUT)));
  expect(told).toHaveLength(1);
  for (const each of processes) expect(await each.has('e')).toBe(true);
});

test('a mark of another process does not enable it again', async () => {
  const { failing, processes } = open();
  await processes[0].disable(ABOUT);
  await failing.mark({ ...ABOUT, since: 5 }, 0);
  expect(await failing.find('e')).toMatchObject({ since: 0, disabledAt: expect.any(Number) });
});

test('what one process disables or enables, another knows within a minute', async () => {
  const { clock, processes } = open();
  const [one, other] = processes;
  expect(await other.has('e')).toBe(false);
  await one.disable(ABOUT);
  await clock.advance(MINUTE);
  expect(await other.has('e')).toBe(true);
  await other.enable('e');
  await clock.advance(MINUTE);
  expect([await one.has('e'), await other.has('e')]).toEqual([false, false]);
});

test('one that another process disabled a moment ago is enabled all the same', async () => {
  const { clock, failing, processes } = open();
  const [one, other] = processes;
  expect(await other.has('e')).toBe(false);
  await one.disable(ABOUT);
  await other.enable('e');
  expect(await failing.find('e')).toBeNull();
  await clock.advance(MINUTE);
  expect([await one.has('e'), await other.has('e')]).toEqual([false, false]);
});
