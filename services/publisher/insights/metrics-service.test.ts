import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryHttpClient } from '#adapters/memory/http-client.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryLog } from '#adapters/memory/log.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { postIdOf, variantIdOf } from '#domain/post/ids.ts';
import { aWorkspace, DAY } from '#testing/scenario.ts';
import { VARIANT_METRICS } from '#tables/declarations/tables.ts';
import { METRICS_READINGS, TOPICS } from '#tables/declarations/topics.ts';
import { createDueTimers } from '#tables/repositories/due.ts';
import { createMetricsService } from './metrics-service.ts';

const FIGURES = {
  ...{ views: 1, likes: 1, comments: 1, shares: 1, minutesWatched: 1 },
  ...{ averageViewDuration: 1, averageViewPercentage: 1, subscribersGained: 1 },
};
const codec = createCodec({ registry: createBuiltInRegistry() });

test('figures of a Post that was removed are asked for no more, and none are kept', async () => {
  const workspace = aWorkspace();
  const channelId = workspace.channel('youtube');
  const publishedAt = workspace.now;
  const postId = postIdOf(workspace.uuid());
  const variantId = variantIdOf(postId, 1);
  const clock = createMemoryClock(publishedAt + 401 * DAY);
  const log = createMemoryLog({ topics: TOPICS, clock });
  const store = createMemoryTableStore({ clock });
  const asked: string[] = [];
  const tokens = { kind: 'ok', accessToken: 'a', username: 'u', accountId: 'i', facts: {}, issuedAt: 0 } as const;
  const service = createMetricsService({
    ...{ clock, log, store, codec, due: createDueTimers(store), ids: createSeededIds(1) },
    reporter: createMemoryReporter(),
    http: createMemoryHttpClient(async () => ({ cut: 'before' })),
    connections: {
      ...{ tokensFor: async () => tokens, refreshNow: async () => tokens },
      ...{
        save: async () => '',
        rename: async () => {},
        forget: async () => {},
        end: async () => ({ kind: 'superseded' }),
      },
    },
    metrics: {
      youtube: {
        network: 'youtube',
        read: async (_http, { remoteId }) => (
          asked.push(remoteId),
          { kind: 'ok', totals: FIGURES, days: [], summary: { status: 200, detail: '' } }
        ),
      },
    },
  });
  await service.start();
  const about = { workspaceId: workspace.id, variantId, network: 'youtube', channelId, remoteId: 'film' } as const;
  const value = codec.encode({ type: 'ReadMetrics', ...about, publishedAt, dueAt: clock.now() });
  await log.append(METRICS_READINGS.name, [{ key: channelId, value }]);
  for (let turn = 0; turn < 40; turn++) await clock.advance(1);
  expect(service.waiting()).toBe(0);
  expect(asked).toEqual([]);
  expect(await store.slice(VARIANT_METRICS, [postId], { limit: 1 })).toEqual([]);
  await service.stop();
});
