import { expect, test } from 'vitest';
import { readsUpTo, RELEASE } from '#tables/release.ts';
import { CrierUnderTest, textChannels } from '#testing/crier-process.ts';
import { until } from '#testing/until.ts';
import { plantRelease, type PlantedRelease } from './planted-release.ts';
import { writesOf } from './releases.ts';

const HOUR_MS = 3_600_000;

/** A process of a release on a folder that other releases use before and after it. */
async function startOn(dataDir: string, planted: PlantedRelease | null): Promise<CrierUnderTest> {
  const program = planted === null ? {} : { program: [planted.crier, 'start'] };
  return CrierUnderTest.start({ dataDir, ...program });
}

/** Posts that are due half an hour before so many hours have passed. */
async function schedule(crier: CrierUnderTest, posts: Readonly<Record<string, number>>): Promise<void> {
  const now = Date.parse((await crier.admin().call('system.status')).now);
  for (const [text, hours] of Object.entries(posts)) {
    const scheduledAt = new Date(now + (hours - 0.5) * HOUR_MS).toISOString();
    await crier.api().createPost({ text, channelIds: textChannels(crier.ready.demo!), scheduledAt });
  }
}

/** An hour passes, in which these Posts go live, and no other: once on each Channel. */
async function anHourLater(crier: CrierUnderTest, ...due: readonly string[]): Promise<void> {
  const live = async (): Promise<readonly string[]> => (await crier.sandbox().items()).map(({ text }) => text);
  const before = (await live()).length;
  await crier.admin().advance(HOUR_MS);
  await until(async () => (await live()).length >= before + 2 * due.length, {
    what: `${due.join(', ')} live`,
    withinMs: 60_000,
  });
  const times = (await live()).filter((text) => due.includes(text));
  expect(times.toSorted()).toEqual([...due, ...due].toSorted());
  expect((await live()).length).toBe(before + 2 * due.length);
  expect(await crier.admin().call('parked.list')).toMatchObject({ parked: [] });
}

test(
  'a folder goes to the next release and back: Posts that either wrote go live once',
  { timeout: 300_000 },
  async () => {
    using planted = plantRelease({ adds: true });
    await using home = await CrierUnderTest.make();
    const { dataDir } = home;
    {
      await using crier = await startOn(dataDir, null);
      await schedule(crier, { 'ours 1': 1, 'ours 2': 2, 'ours 3': 3 });
      await anHourLater(crier, 'ours 1');
      expect(await crier.stop()).toEqual({ code: 0, signal: null });
    }
    {
      await using crier = await startOn(dataDir, planted);
      expect(await writesOf(crier)).toBe(planted.format);
      await schedule(crier, { 'theirs 1': 1, 'theirs 2': 2 });
      await anHourLater(crier, 'ours 2', 'theirs 1');
      // Killed, so that the next release finds what it had not finished.
      await crier.kill();
    }
    await using crier = await startOn(dataDir, null);
    expect(await writesOf(crier)).toBe(RELEASE.format);
    await anHourLater(crier, 'ours 3', 'theirs 2');
  },
);

test(
  'a format that this release can not read is written by order only; then it ends in one sentence, the folder free',
  { timeout: 300_000 },
  async () => {
    using planted = plantRelease({ adds: false });
    await using home = await CrierUnderTest.make();
    const { dataDir } = home;
    {
      await using crier = await startOn(dataDir, null);
      await schedule(crier, { ours: 1 });
    }
    {
      await using crier = await startOn(dataDir, planted);
      const status = await crier.admin().call('cluster.status');
      expect(status).toMatchObject({ writes: RELEASE.format, canRaiseTo: planted.format });
      expect(status.why).toContain('call cluster.raiseFormat');
      expect(await crier.admin().call('cluster.raiseFormat')).toEqual({ writes: planted.format });
    }
    await using refused = await CrierUnderTest.make({ dataDir });
    refused.launch();
    expect(await refused.ended).toEqual({ code: 1, signal: null });
    expect(refused.errorLines()).toEqual([
      expect.stringMatching(
        new RegExp(
          `^crier: the data is written in format ${planted.format} by release ${planted.version.replaceAll('.', '\\.')}, and this release reads up to ${readsUpTo()}: `,
        ),
      ),
    ]);
    await using crier = await startOn(dataDir, planted);
    await anHourLater(crier, 'ours');
  },
);
