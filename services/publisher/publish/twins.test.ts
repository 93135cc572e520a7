import { expect, test } from 'vitest';
import { fixtureRenditions } from '#testing/media-fixtures.ts';
import { createLiveItems, type ItemKey } from '#tables/repositories/live-items.ts';
import { KINDS } from './fault-matrix.fixture.ts';
import { publishOn } from './publish-harness.fixture.ts';
import { openSandboxChannel } from './sandbox-channel.fixture.ts';

const LOSSES = ['drop_before_commit', 'drop_after_commit'] as const;
const CASES = KINDS.flatMap((kind) => LOSSES.map((loss) => ({ ...kind, loss })));

test.each(CASES)(
  '$network $kind, $loss: what says the same as the one before it is not taken for that one',
  async ({ network, placement, files, call, loss }) => {
    const channel = await openSandboxChannel(network);
    const about = {
      placement,
      text: placement === 'story' ? '' : 'New in the shop',
      renditions: { filesOf: async () => ({ kind: 'ready', files: fixtureRenditions(files) }) as const },
    };
    const first = publishOn(channel, about);
    const machine = first.worker();
    await machine.run(first.job);
    await first.settle(machine);
    const twin = first.concluded[0]!.verdict;
    if (twin.kind !== 'published') throw new Error(`the first one is ${twin.kind}`);
    await channel.clock.advance(1_500);
    await channel.fault(loss, { call });
    const second = publishOn(channel, about);
    // As the rows of the first one's Post tell.
    const liveItems = {
      ...createLiveItems(channel.store),
      isNamed: async ({ remoteId }: ItemKey) => remoteId === twin.remoteId,
    };
    const next = second.worker(undefined, { liveItems });
    await next.run(second.job);
    await second.settle(next);
    const ended = second.concluded[0]!.verdict;
    const live = (await channel.items()).length;
    // Where nothing named it before, what says the same is all that could tell of it.
    const isNamedBefore = network !== 'x' && call !== 'content.init';
    expect(ended.kind).toBe(isNamedBefore ? 'published' : 'unconfirmed');
    if (ended.kind !== 'published') return;
    expect(live).toBe(2);
    expect(ended.remoteId).not.toBe(twin.remoteId);
  },
);
