import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { NETWORKS, type Network } from '#domain/network.ts';
import type { AnnouncedProcess } from '#tables/repositories/announced-processes.ts';
import { PublishingBrake } from '#tables/repositories/publishing-brake.ts';
import { createPublishingHolds } from './publishing-holds.ts';
import { holdUnservedNetworks, publishersAmong } from './unserved-networks.ts';

function open() {
  const clock = createMemoryClock(1_000_000_000);
  const store = createMemoryTableStore({ clock });
  const reporter = createMemoryReporter();
  const options = { store, clock, ids: createSeededIds(1), reporter, brake: new PublishingBrake({ store, clock }) };
  const holds = createPublishingHolds(options);
  const served = (...publishers: readonly (readonly Network[])[]) => holdUnservedNetworks(options, publishers);
  const held = async () => (await holds.status()).map(({ hold }) => `${hold.network} by ${hold.by}`).toSorted();
  return { clock, reporter, served, held, holds, brake: options.brake };
}

test('a Network that no process publishes to is held, and not any more once one does', async () => {
  const { clock, reporter, served, held, brake } = open();
  await served(['x', 'threads'], ['x', 'facebook', 'instagram', 'youtube']);
  expect(await held()).toEqual(['tiktok by crier']);
  const since = clock.now();
  expect((await brake.known(0)).periods).toEqual([{ network: 'tiktok', workspaceId: null, from: since, until: null }]);
  await clock.advance(5_000);
  await served(['x', 'threads'], ['facebook', 'instagram', 'youtube']);
  expect(reporter.of('publishing-held')).toHaveLength(1);
  await served(NETWORKS, ['x']);
  expect(await held()).toEqual([]);
  // The missed window stood still meanwhile.
  const period = { network: 'tiktok', workspaceId: null, from: since, until: since + 5_000 };
  expect((await brake.known(0)).periods).toEqual([period]);
});

test('where nobody publishes nothing changes: publishers that are down left their jobs in their topics', async () => {
  const { served, held } = open();
  await served();
  expect(await held()).toEqual([]);
  await served(['x']);
  const others = await held();
  expect(others).toHaveLength(NETWORKS.length - 1);
  await served();
  expect(await held()).toEqual(others);
});

test("an operator's hold of the same Network is another one, and each ends by itself", async () => {
  const { served, held, holds } = open();
  const tiktok = { network: 'tiktok', workspaceId: null } as const;
  await holds.hold(tiktok, { holder: 'operator', by: 'ada', reason: 'r' });
  await served(NETWORKS.filter((network) => network !== 'tiktok'));
  expect(await held()).toEqual(['tiktok by ada', 'tiktok by crier']);
  await served(NETWORKS);
  expect(await held()).toEqual(['tiktok by ada']);
  await served(['x']);
  await holds.release(tiktok, { holders: ['owner', 'operator'], by: 'ada' });
  expect(await held()).toContain('tiktok by crier');
});

test('a publisher counts while it is restarted, and two minutes after it was seen', () => {
  const now = 1_000_000;
  const process = (seenAt: number, stoppedAt: number | null, publishes: readonly Network[]): AnnouncedProcess => ({
    ...{ instance: String(seenAt), address: '', secretKeys: [] },
    ...{ publishes, seenAt, stoppedAt },
  });
  const processes = [
    process(now, null, ['x']),
    process(now - 110_000, null, ['threads']),
    process(now - 130_000, null, ['tiktok']),
    process(now - 50_000, now - 50_000, ['youtube']),
    process(now - 70_000, now - 70_000, ['facebook']),
    process(now, null, []),
  ];
  expect(publishersAmong(processes, now)).toEqual([['x'], ['threads'], ['youtube']]);
});
