import { expect, test } from 'vitest';
import { until } from '#testing/until.ts';
import { readChannels } from '#tables/repositories/workspaces.ts';
import { openMemoryWorld } from './memory-world.ts';

const MINUTE_MS = 60_000;

test(
  'what waited for its Network while its Channel was disconnected is cancelled, though the Channel is back',
  { timeout: 120_000 },
  async () => {
    await using world = await openMemoryWorld({ connected: ['threads'], budgets: 'threads.account=1/10m' });
    const { clock, ports, scheduler } = world;
    const { workspaceId, channels } = await world.workspace('Acme');
    const channelId = channels['threads']!;
    const post = async (text: string): Promise<string> => {
      const { result } = await world.post(workspaceId, [channelId], text, null);
      if (!result.ok || result.kind !== 'post') throw new Error(JSON.stringify(result));
      return result.postId;
    };
    const statusOf = async (postId: string) => (await world.read(workspaceId, postId))!.variants[0]!;
    const first = await post('first');
    await until(async () => (await statusOf(first)).status === 'published', { what: 'the first is live' });
    // The account's only use is taken, so this one waits.
    const second = await post('second');
    await until(async () => (await statusOf(second)).status === 'publishing', { what: 'the second waits' });
    const channel = (await readChannels(ports.store, workspaceId))[channelId]!;
    await world.ask({ type: 'DisconnectChannel', workspaceId, channelId, memberId: null });
    await world.reconnect(workspaceId, channel);
    await until(
      async () => {
        clock.advance(MINUTE_MS);
        await scheduler.caughtUp();
        return (await statusOf(second)).status === 'cancelled';
      },
      { what: 'the second is cancelled', withinMs: 60_000 },
    );
    expect((await statusOf(second)).cancelledByDisconnect).toEqual({ by: 'operator' });
    expect((await world.items()).map(({ text }) => text)).toEqual(['first']);
    // What is written since is published.
    const third = await post('third');
    await until(
      async () => {
        clock.advance(MINUTE_MS);
        await scheduler.caughtUp();
        return (await statusOf(third)).status === 'published';
      },
      { what: 'the third is live', withinMs: 60_000 },
    );
    expect((await world.items()).map(({ text }) => text).toSorted()).toEqual(['first', 'third']);
  },
);
