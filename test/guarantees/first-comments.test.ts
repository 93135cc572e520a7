import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Network } from '#domain/network.ts';
import type { ItemJson, PostJson, VariantJson } from '#testing/crier-clients.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { seed, soak } from '#testing/engines/environment.ts';
import { MediaServer } from '#testing/media-server.ts';
import { SeededRandom } from '#testing/seeded-random.ts';
import { until } from '#testing/until.ts';
import { withFilesAt } from './files-program.ts';
import { NO_LIMITS } from './sandbox-limits.ts';
import { settle, SteadyWriters } from './steady-writers.ts';

const SEED = seed(13);
const KILLS = soak() ? 20 : 3;
/** The demo's, and as many as the long form may need. */
const CREDITS = { ofDemo: 1_000, more: 100_000 };

/** The call that makes a comment public, by Network, as the sandbox names it. */
const CALLS = {
  facebook: 'comments.create',
  instagram: 'comments.create',
  youtube: 'commentThreads.insert',
  x: 'tweets.reply',
  threads: 'replies.publish',
} as const satisfies Partial<Record<Network, string>>;
type CommentNetwork = keyof typeof CALLS;
const NETWORKS = Object.keys(CALLS) as CommentNetwork[];

const commentOn = (text: string) => `The first comment on ${text}`;
const isUnfinished = ({ status, firstComment }: VariantJson) =>
  status === 'publishing' || (status === 'published' && firstComment?.status === 'waiting');

test(
  `first comments on five Networks, killed with -9 ${KILLS} times: each is there once, or failed with words (seed ${SEED})`,
  { timeout: KILLS * 60_000 + 240_000 },
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
    const { workspaceId, apiKey, channels } = crier.ready.demo!;
    await crier.admin().call('workspaces.addCredits', { workspaceId, credits: CREDITS.more });
    const channelIds = NETWORKS.map((network) => channels[network]!);
    const more = (text: string) => ({
      channelOptions: Object.fromEntries(channelIds.map((id) => [id, { firstComment: commentOn(text) }])),
    });
    const writing = new SteadyWriters({ baseUrl: crier.ready.baseUrl!, apiKey, channelIds, more, pauseMs: 600 });
    writing.start();
    const random = new SeededRandom(SEED);
    for (let kill = 0; kill < KILLS; kill++) {
      await slowComments(networks, random);
      await sleep(random.between(400, 900));
      // At each kill, some comment is on its way.
      await until(
        async () =>
          (await crier.api().listPosts({ limit: '20' })).some(({ variants }) =>
            variants.some(({ status, firstComment }) => status === 'published' && firstComment?.status === 'waiting'),
          ),
        { what: 'a comment on its way', everyMs: 5 },
      );
      await crier.kill();
      await crier.start();
    }
    await writing.stop();
    await networks.sandbox().clearFaults();
    await settle({ crier, networks, isUnfinished, lookEveryMs: soak() ? 2_000 : 300 });
    const counts = judged(
      await networks.sandbox().items(),
      await crier.api().listPosts({ limit: '500' }),
      writing.posts,
    );
    await annotate(`${KILLS} kills, ${writing.posts.size} Posts, ${JSON.stringify(counts)}`);
    for (const network of NETWORKS) expect(counts[`${network} published`], network).toBeGreaterThan(0);
    expect((await crier.api().usage()).xCredits).toEqual(creditsAfter(await crier.api().listPosts({ limit: '500' })));
  },
);

/** Makes the next comments slow, lossy or fruitless, so that kills find them in every stage. */
async function slowComments(networks: CrierUnderTest, random: SeededRandom): Promise<void> {
  for (const network of NETWORKS) {
    const set = (fault: string, more: { readonly delayMs?: number; readonly count?: number } = {}) =>
      networks.sandbox().fault({ network, call: CALLS[network], fault, ...more });
    await set('drop_after_commit');
    if (random.chance(0.2)) await set('drop_before_commit');
    await set('delay', { delayMs: Math.round(random.between(20, 400)), count: 3 });
  }
}

function judged(
  items: readonly ItemJson[],
  posts: readonly PostJson[],
  written: ReadonlyMap<string, PostJson>,
): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  const live = Map.groupBy(items, ({ network, text }) => `${network} ${text}`);
  expect(posts.map(({ text }) => text).toSorted()).toEqual([...written.keys()].toSorted());
  for (const { text, variants } of posts) {
    for (const variant of variants) {
      const found = live.get(`${variant.network} ${text}`) ?? [];
      const described = `${text}: ${JSON.stringify(variant)}`;
      expect(found.length, `live at most once: ${described}`).toBeLessThanOrEqual(1);
      const comments = found.flatMap((item) => item.comments);
      const said = variant.firstComment!;
      expect(comments.length, `at most one comment: ${described}`).toBeLessThanOrEqual(1);
      if (said.status === 'published') {
        expect(
          comments.map((comment) => comment.text),
          described,
        ).toEqual([commentOn(text)]);
        if (said.permalink !== null) expect(said.permalink, described).toBe(comments[0]!.permalink);
      } else if (variant.status === 'published') {
        expect(said.detail, described).toMatch(/\w+ \w+/);
        // Only threads names a comment before it makes it.
        expect(variant.network, `only a comment without a name may be lost: ${described}`).not.toBe('threads');
        if (comments.length > 0) expect(said.detail, described).toContain('It may be there');
      } else expect(comments, `not below what is not published: ${described}`).toEqual([]);
      const outcome = `${variant.network} ${variant.status === 'published' ? said.status : variant.failureReason}`;
      counts[outcome] = (counts[outcome] ?? 0) + 1;
    }
  }
  return counts;
}

/** A post and a comment cost one each, also when they only may be there; an unconfirmed Variant keeps both reserved. */
function creditsAfter(posts: readonly PostJson[]): { readonly available: number; readonly reserved: number } {
  const onX = posts.flatMap(({ variants }) => variants).filter(({ network }) => network === 'x');
  const live = onX.filter(({ status }) => status === 'published');
  const mayBeThere = live.filter(
    ({ firstComment }) =>
      firstComment!.status === 'published' || firstComment!.detail?.includes('It may be there') === true,
  );
  const reserved = 2 * onX.filter(({ failureReason }) => failureReason === 'unconfirmed').length;
  const had = CREDITS.ofDemo + CREDITS.more;
  return { available: had - live.length - mayBeThere.length - reserved, reserved };
}
