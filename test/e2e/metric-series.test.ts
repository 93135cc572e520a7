import { expect, test } from 'vitest';
import { createMetrics } from '#adapters/prometheus/metrics.ts';
import type { EventName, FailureName } from '#reporting/catalogue.ts';
import { until } from '#testing/until.ts';
import { openMemoryWorld, type MemoryWorld } from './memory-world.ts';

const FEW = 10;
const MANY = 1_000;
const AT_ONCE = 25;
/** Of the many, every so many-th publishes too: more than the values that a label may take before they are `other`. */
const PUBLISHING = 8;

/** The series that a scrape shows after all that the world has reported so far, without their values. */
async function seriesAfter({ reporter }: MemoryWorld): Promise<readonly string[]> {
  const metrics = createMetrics({ build: { version: '1.2.3', engine: 'memory' }, process: false });
  for (const { event, facts, ...rest } of reporter.events) {
    if ('error' in rest) metrics.failed(event as FailureName);
    else metrics.record(event as EventName, facts);
  }
  const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => line.slice(0, line.lastIndexOf(' '))).toSorted();
}

async function created({ ask, ports }: MemoryWorld, index: number): Promise<void> {
  const { ids, clock } = ports;
  const owner = { memberId: ids.uuid7(clock.now()), name: 'Ada', email: 'ada@example.com', emailVerified: true };
  const workspaceId = ids.uuid7(clock.now());
  await ask({ type: 'CreateWorkspace', workspaceId, name: `workspace ${index}`, plan: 'agency', owner });
}

test(
  'the number of series does not grow with Workspaces: after work in 10 and in 1,000 it is the same',
  { timeout: 300_000 },
  async () => {
    await using world = await openMemoryWorld({ connected: ['x'] });
    let [made, posted] = [0, 0];
    const work = async (upTo: number): Promise<void> => {
      while (made < upTo) {
        const begun = Array.from({ length: Math.min(AT_ONCE, upTo - made) }, () => made++);
        await Promise.all(
          begun.map(async (index) => {
            if (index >= FEW && index % PUBLISHING !== 0) return created(world, index);
            const { workspaceId, channels } = await world.workspace(`workspace ${index}`);
            await world.post(workspaceId, Object.values(channels), `a Post of Workspace ${index}`, null);
            posted++;
          }),
        );
      }
      const ended = () => world.reporter.of('attempt-ended').length;
      await until(() => ended() >= posted, { what: `the Variants of ${posted} Posts ended`, withinMs: 120_000 });
    };
    await work(FEW);
    const few = await seriesAfter(world);
    await work(MANY);
    const many = await seriesAfter(world);
    expect(few.length).toBeGreaterThan(100);
    expect(many.filter((series) => !few.includes(series))).toEqual([]);
    expect(many.length).toBe(few.length);
  },
);
