import { expect, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import type { Command } from '#domain/workspace/commands.ts';
import { shardOf } from '#tables/declarations/topics.ts';
import { aWorkspace } from '#testing/scenario.ts';
import { ReconnectCounts } from './reconnect-counts.ts';
import { openWorkspaceHarness } from './workspace-harness.fixture.ts';

/** A Workspace with a Channel on x and two on threads, whose turns are carried out. */
async function open() {
  const harness = openWorkspaceHarness();
  const told: Command[] = [];
  const scenario = aWorkspace({ plan: 'agency', onCommand: (command) => void told.push(command) });
  const connect = (network: 'x' | 'threads', name: string): string => {
    const channelId = scenario.uuid();
    scenario.must({
      ...{ type: 'ConnectChannel', channelId, network, name, avatarUrl: null, accountId: name, kind: '' },
    });
    return channelId;
  };
  const channels = [connect('x', 'a'), connect('threads', 'b'), connect('threads', 'c')] as const;
  const actor = harness.actor(scenario.id);
  await harness.handle(actor, told);
  const needReconnect = (channelId: string): Promise<void> =>
    harness.handle(actor, [
      {
        type: 'MarkChannel',
        workspaceId: scenario.id,
        channelId,
        state: 'needs_reconnect',
        seenAt: harness.clock.now() + 1,
      },
    ]);
  const shards = new Set([shardOf(scenario.id)]);
  /** Of a process that is assigned the Workspace now. */
  const countsAnew = async (store = harness.store): Promise<ReconnectCounts> => {
    const counts = new ReconnectCounts({ store, clock: harness.clock, reporter: harness.reporter }, () => [...shards]);
    counts.ownersChanged(shards);
    await harness.clock.advance(1);
    await new Promise((resolve) => setImmediate(resolve));
    return counts;
  };
  return { harness, scenario, channels, actor, needReconnect, countsAnew, shards };
}

const some = (counts: ReconnectCounts) => Object.fromEntries([...counts.counts()].filter(([, count]) => count > 0));

test('how many Channels need a reconnect is known after a restart, by Network', async () => {
  const { channels, needReconnect, countsAnew } = await open();
  const [x, one, other] = channels;
  const none = await countsAnew();
  expect([none.counts().size, some(none)]).toEqual([6, {}]);
  for (const channelId of [x, one, other]) await needReconnect(channelId);
  expect(some(await countsAnew())).toEqual({ x: 1, threads: 2 });
});

test('a Channel that is disconnected counts no more, here and after a restart', async () => {
  const { harness, scenario, channels, actor, needReconnect, countsAnew } = await open();
  await needReconnect(channels[0]);
  const counts = await countsAnew();
  expect(some(counts)).toEqual({ x: 1 });
  await harness.handle(actor, [scenario.ask({ type: 'DisconnectChannel', channelId: channels[0], memberId: null })]);
  counts.note((await harness.head(scenario.id)).state);
  expect([some(counts), some(await countsAnew())]).toEqual([{}, {}]);
});

test('what another process owns now is not counted', async () => {
  const { channels, needReconnect, countsAnew, shards } = await open();
  await needReconnect(channels[0]);
  const counts = await countsAnew();
  expect(some(counts)).toEqual({ x: 1 });
  const lost = new Set(shards);
  shards.clear();
  counts.ownersChanged(lost);
  expect(some(counts)).toEqual({});
});

test('a turn that commits after its shard was lost is counted by the next owner only', async () => {
  const { harness, scenario, channels, needReconnect, countsAnew, shards } = await open();
  await needReconnect(channels[0]);
  const counts = await countsAnew();
  const lost = new Set(shards);
  shards.clear();
  counts.ownersChanged(lost);
  counts.note((await harness.head(scenario.id)).state);
  expect(some(counts)).toEqual({});
});

test('rows that can not be read are read again', async () => {
  const { channels, needReconnect, countsAnew, harness } = await open();
  await needReconnect(channels[0]);
  let fails = true;
  const store = Object.assign(Object.create(harness.store) as typeof harness.store, {
    slice: async (...call: Parameters<typeof harness.store.slice>) => {
      if (fails) throw new PortError('unavailable', 'the tables are away');
      return harness.store.slice(...call);
    },
  });
  const counts = await countsAnew(store);
  expect([some(counts), harness.reporter.of('needed-reconnects-read-failed').length]).toEqual([{}, 1]);
  fails = false;
  for (let tries = 0; tries < 100 && counts.counts().get('x') === 0; tries++) {
    await harness.clock.advance(5_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(some(counts)).toEqual({ x: 1 });
  counts.stop();
});
