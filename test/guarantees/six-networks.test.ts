import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { NETWORKS } from '#domain/network.ts';
import type { ItemJson, PostJson } from '#testing/crier-clients.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { seed, soak } from '#testing/engines/environment.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { MediaServer } from '#testing/media-server.ts';
import { SeededRandom } from '#testing/seeded-random.ts';
import { until } from '#testing/until.ts';
import { filesFor } from './files-for.ts';
import { withFilesAt } from './files-program.ts';
import { NO_LIMITS } from './sandbox-limits.ts';
import { settle, SteadyWriters } from './steady-writers.ts';

const SEED = seed(11);
const LASTS_MS = soak() ? 180_000 : 15_000;
const KILL_EVERY_MS = 2_000;

test(
  `all six Networks, every kind of file, and a kill -9 every 2 s for ${LASTS_MS / 1000} s: nothing doubled, nothing lost (seed ${SEED})`,
  { timeout: LASTS_MS * 4 + 180_000 },
  async ({ annotate }) => {
    await using media = await MediaServer.start();
    // The Networks go on while Crier is down: requests that it had sent may well go live.
    await using networks = await CrierUnderTest.start({
      name: 'networks',
      env: { CRIER_DEMO: 'false', CRIER_LOG_LEVEL: 'warn', CRIER_MEDIA_URL: media.url },
    });
    for (const network of NETWORKS) await networks.sandbox().limits(network, NO_LIMITS[network]);
    const env = {
      CRIER_SANDBOX_URL: networks.ready.sandboxUrl!,
      CRIER_REQUESTS_PER_MINUTE: '0',
      CRIER_NETWORK_BUDGETS: 'off',
      CRIER_MISSED_WINDOW_SECONDS: '604800',
      CRIER_LOG_LEVEL: 'warn',
    };
    await using crier = await CrierUnderTest.start({ program: withFilesAt(media.url), env });
    const { apiKey, channels } = crier.ready.demo!;
    expect(Object.keys(channels).toSorted()).toEqual([...NETWORKS].toSorted());
    const random = new SeededRandom(SEED);
    const writing = new SteadyWriters({ baseUrl: crier.ready.baseUrl!, apiKey, channelIds: Object.values(channels) });
    writing.start();
    const began = performance.now();
    let kills = 0;
    // On a busy machine a kill and a start take longer.
    while (performance.now() - began < LASTS_MS || kills < LASTS_MS / 1000 / 5) {
      for (const network of NETWORKS) {
        await networks
          .sandbox()
          .fault({ network, fault: 'delay', delayMs: Math.round(random.between(20, 400)), count: 3 });
        if (random.chance(0.2)) await networks.sandbox().fault({ network, fault: 'drop_after_commit' });
      }
      await sleep(KILL_EVERY_MS - random.between(0, 500));
      // At each kill, a call to some Network is in flight.
      await until(
        async () =>
          (await crier.api().listPosts({ limit: '20' })).some(({ variants }) =>
            variants.some(({ status }) => status === 'publishing'),
          ),
        { what: 'work in flight', everyMs: 5 },
      );
      await crier.kill();
      kills++;
      await crier.start();
    }
    await writing.stop();
    await networks.sandbox().clearFaults();
    await settle({ crier, networks, isUnfinished: ({ status }) => status === 'publishing' });
    const counts = await judged(crier, await networks.sandbox().items(), writing.posts);
    await annotate(`${kills} kills, ${writing.posts.size} Posts, ${JSON.stringify(counts)}`);
    for (const network of NETWORKS) expect(counts[`${network} published`], network).toBeGreaterThan(0);
  },
);

async function judged(
  crier: CrierUnderTest,
  items: readonly ItemJson[],
  written: ReadonlyMap<string, PostJson>,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const live = Map.groupBy(items, (item) => `${item.network} ${item.text}`);
  const posts = await crier.api().listPosts({ limit: '500' });
  expect(posts.map(({ text }) => text).toSorted()).toEqual([...written.keys()].toSorted());
  for (const { text, variants } of posts) {
    for (const variant of variants) {
      const found = live.get(`${variant.network} ${text}`) ?? [];
      const { body } = await crier.api().send('GET', `/api/variants/${variant.id}/attempts`);
      const described = `${variant.network} ${variant.id} ${variant.status} ${variant.failureReason} ${variant.failureDetail} ${JSON.stringify(body.data)}`;
      expect(found.length, `live at most once: ${described}`).toBeLessThanOrEqual(1);
      if (variant.status === 'published') {
        expect(
          found.map(({ media }) => media.map(({ sha256 }) => sha256)),
          described,
        ).toEqual([filesFor(variant.network, variant.id).map((name) => MEDIA_FIXTURES[name].sha256)]);
      } else {
        // Neither Network gives the publication a name beforehand. And a kill may lose X's refresh token, which is
        // valid once.
        const nameless =
          variant.network === 'x' || (variant.network === 'tiktok' && filesFor('tiktok', variant.id).length > 1);
        const lost =
          nameless &&
          (variant.failureReason === 'unconfirmed' ||
            (variant.network === 'x' && variant.failureReason === 'needs_reconnect'));
        expect(lost, `only x, and tiktok for photos, may be unconfirmed: ${described}`).toBe(true);
      }
      const outcome = `${variant.network} ${variant.failureReason ?? variant.status}`;
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
  }
  return counts;
}
