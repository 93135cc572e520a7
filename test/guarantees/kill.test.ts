import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { ItemJson, PostJson, VariantJson } from '#testing/crier-clients.ts';
import { CrierUnderTest, textChannels } from '#testing/crier-process.ts';
import { foundWorkspace, type TestWorkspace } from '#testing/crier-workspace.ts';
import { seed, soak } from '#testing/engines/environment.ts';
import { SeededRandom } from '#testing/seeded-random.ts';
import { until } from '#testing/until.ts';
import { Writers, type Written } from './writers.ts';

const SEED = seed(7);
const KILLS = soak() ? 100 : 8;
const WORKSPACES = soak() ? 8 : 3;
const MINUTE_MS = 60_000;
const CLIENTS = 4;

/**
 * These tests let hours pass between kills. Variants that a kill delays for that long would correctly fail with
 * `missed_window`, so the window is longer here.
 */
const UNHURRIED = {
  CRIER_REQUESTS_PER_MINUTE: '0',
  CRIER_NETWORK_BUDGETS: 'off',
  CRIER_MISSED_WINDOW_SECONDS: '604800',
};

describe('kill -9 at any moment, and start again', () => {
  test(
    `loses nothing that was acknowledged, and publishes nothing twice (${KILLS} kills, seed ${SEED})`,
    { timeout: KILLS * 60_000 + 240_000 },
    async ({ annotate }) => {
      // The Networks go on while Crier is down: requests that it had sent may well go live.
      await using networks = await CrierUnderTest.start({
        name: 'networks',
        env: { CRIER_DEMO: 'false', CRIER_LOG_LEVEL: 'warn' },
      });
      await using crier = await CrierUnderTest.start({
        env: { ...UNHURRIED, CRIER_SANDBOX_URL: networks.ready.sandboxUrl!, CRIER_LOG_LEVEL: 'warn' },
      });
      // The long form makes more posts per account than a Network allows in a day, and Variants that wait for the next
      // day would count as stuck.
      await networks.sandbox().limits('x', {
        tweetsCreatePerUser: 100_000,
        tweetsCreatePerApp: 1_000_000,
        usersTweetsPerUser: 100_000,
        usersTweetsPerApp: 1_000_000,
      });
      await networks.sandbox().limits('threads', { postsPerDay: 100_000 });
      const random = new SeededRandom(SEED);
      const workspaces = await Promise.all(
        Array.from({ length: WORKSPACES }, (_, index) => foundWorkspace(crier, `killed ${index}`)),
      );
      const time = new SharedTime(crier, networks);
      const writers = new Writers({
        baseUrl: crier.ready.baseUrl!,
        workspaces,
        random,
        now: () => time.now,
        reconnect: (workspace) => reconnect(crier, workspace),
      });
      writers.start(CLIENTS);
      let startedMs = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        await slowSome(networks, random);
        await sleep(random.between(50, 700));
        // Half of the kills happen while a quarter of an hour's Posts are fired.
        const advancing = kill % 2 === 1 ? time.advance(15 * MINUTE_MS).catch(() => {}) : Promise.resolve();
        await sleep(random.between(0, 120));
        await crier.kill();
        await advancing;
        await crier.start();
        startedMs = Math.max(startedMs, crier.readyAfterMs);
        await time.align();
      }
      await writers.stop();
      await networks.sandbox().clearFaults();
      await settle(crier, time, workspaces);

      const items = await networks.sandbox().items();
      const counts = await judged(crier, items, writers.written, workspaces);
      await annotate(`${KILLS} kills, ${JSON.stringify(counts)}, longest start ${Math.round(startedMs)} ms`);
      expect(counts.posts).toBeGreaterThan(KILLS);
      // Only a few kills can fall into the moment of a refresh.
      expect(counts.unconnected).toBeLessThan(counts.posts / 20);
      expect(counts.askedAgain, 'requests interrupted by a kill').toBeGreaterThan(0);
    },
  );

  test('during the set-up of the demo makes each of its parts once', { timeout: 300_000 }, async () => {
    const random = new SeededRandom(SEED + 1);
    const folder = mkdtempSync(join(tmpdir(), 'crier-demo-'));
    const dataDir = join(folder, 'data');
    await using crier = await CrierUnderTest.make({ dataDir });
    for (const momentMs of [0, 40, 80, 120, 160, 240]) {
      crier.launch();
      await until(() => crier.pid === null || existsSync(join(dataDir, 'demo.json')) || existsSync(crier.readyFile), {
        what: 'the demo begun',
        withinMs: 90_000,
        everyMs: 1,
      });
      await sleep(momentMs * random.between(0.8, 1.2));
      await crier.kill();
    }
    await crier.start();
    const { workspaceId, channels } = crier.ready.demo!;
    const workspace = await crier.admin().call('workspaces.get', { workspaceId });
    expect(workspace.channels.map(({ channelId }: { readonly channelId: string }) => channelId).toSorted()).toEqual(
      Object.values(channels).toSorted(),
    );
    expect(workspace.xCredits).toEqual({ available: 1_000, reserved: 0 });
    expect(workspace.members).toHaveLength(1);
    const { id } = await crier.api().createPost({ text: 'made whole', channelIds: textChannels(crier.ready.demo!) });
    await until(async () => (await crier.api().getPost(id)).variants.every(({ status }) => status === 'published'), {
      what: 'published',
    });
    await crier.stop();
    rmSync(folder, { recursive: true });
  });

  test('during starts and drains loses nothing that was acknowledged', { timeout: 300_000 }, async () => {
    const random = new SeededRandom(SEED + 2);
    await using crier = await CrierUnderTest.start({ env: UNHURRIED });
    const channelIds = textChannels(crier.ready.demo!);
    const acknowledged: PostJson[] = [];
    for (let round = 0; round < (soak() ? 20 : 3); round++) {
      const burst = Array.from({ length: 10 }, (_, index) =>
        crier
          .api()
          .createPost({ text: `round ${round}, ${index}`, channelIds })
          .then(
            (post) => acknowledged.push(post),
            () => {},
          ),
      );
      const before = acknowledged.length;
      await until(() => acknowledged.length > before, { what: 'one of the burst acknowledged', everyMs: 1 });
      crier.signal('SIGTERM');
      await sleep(random.between(0, 150));
      await crier.kill();
      await Promise.all(burst);
      crier.launch();
      await sleep(random.between(200, 1_500));
      await crier.kill();
      await crier.start();
    }
    expect(acknowledged.length).toBeGreaterThan(0);
    const time = new SharedTime(crier, crier);
    const demo = {
      ...crier.ready.demo!,
      keyId: '',
      accounts: { x: '', threads: '' },
      channels: crier.ready.demo!.channels as TestWorkspace['channels'],
    };
    await settle(crier, time, [demo]);
    const items = await crier.sandbox().items();
    const posts = await crier.api().listPosts();
    for (const { id, text } of acknowledged) {
      const post = posts.find((one) => one.id === id);
      expect(post?.text, id).toBe(text);
      for (const variant of post!.variants)
        await judgeVariant(
          crier,
          demo,
          variant,
          items.filter((item) => item.text === text && item.network === variant.network),
        );
    }
  });
});

/** The time of Crier and that of the Networks, which are two installations here. The Networks are never behind. */
class SharedTime {
  readonly #crier: CrierUnderTest;
  readonly #networks: CrierUnderTest;
  #aheadMs = 0;

  constructor(crier: CrierUnderTest, networks: CrierUnderTest) {
    this.#crier = crier;
    this.#networks = networks;
  }

  get now(): number {
    return Date.now() + this.#aheadMs;
  }

  async advance(milliseconds: number): Promise<void> {
    if (this.#networks !== this.#crier) await this.#networks.admin().advance(milliseconds);
    await this.#crier.admin().advance(milliseconds);
    this.#aheadMs += milliseconds;
  }

  /** After a kill that may have happened between the two, or before Crier's answer. */
  async align(): Promise<void> {
    const [ours, theirs] = await Promise.all(
      [this.#crier, this.#networks].map(async (one) => Date.parse((await one.admin().call('system.status')).now)),
    );
    if (theirs! - ours! > 1_000) await this.#crier.admin().advance(theirs! - ours!);
    this.#aheadMs = Math.max(ours!, theirs!) - Date.now();
  }
}

/**
 * A kill between sending X a refresh token, which is valid once, and storing the new one costs a reconnect, and no
 * more.
 */
async function reconnect(crier: CrierUnderTest, { workspaceId }: TestWorkspace): Promise<void> {
  const { channels } = await crier.admin().call('workspaces.get', { workspaceId });
  for (const { channelId, network, name, state } of channels) {
    if (state === 'needs_reconnect')
      await crier.admin().call('channels.connectSandbox', { workspaceId, network, name, channelId });
  }
}

/** Makes the next calls slow or lossy, so that kills find Variants in every stage. */
async function slowSome(networks: CrierUnderTest, random: SeededRandom): Promise<void> {
  for (const network of ['x', 'threads'] as const) {
    await networks.sandbox().fault({ network, fault: 'delay', delayMs: Math.round(random.between(20, 400)), count: 6 });
    if (random.chance(0.3)) await networks.sandbox().fault({ network, fault: 'drop_after_commit' });
  }
}

/** Moves time beyond every wait, until every Variant has ended. */
async function settle(
  crier: CrierUnderTest,
  time: SharedTime,
  workspaces: readonly { readonly apiKey: string }[],
): Promise<void> {
  const unfinished = async () => {
    const lists = await Promise.all(
      workspaces.map(async ({ apiKey }) =>
        (await crier.api(apiKey).listPosts({ limit: '500' })).map((post) => ({ apiKey, post })),
      ),
    );
    const variants = lists
      .flat()
      .flatMap(({ apiKey, post }) => post.variants.map((variant) => ({ apiKey, ...variant })));
    return variants.filter(({ status }) => status === 'publishing' || status === 'scheduled');
  };
  for (let step = 0; step < 16; step++) {
    await time.advance(5 * MINUTE_MS);
    // A backlog takes its time; time is moved only when nothing progresses any more.
    let before: number;
    let left = Infinity;
    do {
      before = left;
      await sleep(1_000);
      left = (await unfinished()).length;
    } while (left > 0 && left < before);
    if (left === 0) return;
  }
  // A busy machine may have gone on too slowly to be seen to.
  if (await until(async () => (await unfinished()).length === 0, { what: 'all finished' }).catch(() => false)) return;
  const [first, ...others] = await unfinished();
  if (first === undefined) return;
  const { body } = await crier.api(first.apiKey).send('GET', `/api/variants/${first.id}/attempts`);
  expect.fail(
    `stuck: ${first.network} ${first.id} ${first.status} and ${others.length} more, ${JSON.stringify(body.data)}`,
  );
}

interface Counts {
  posts: number;
  askedAgain: number;
  published: number;
  unconfirmed: number;
  cancelled: number;
  /** Failed because a kill lost its Channel's token. */
  unconnected: number;
}

async function judged(
  crier: CrierUnderTest,
  items: readonly ItemJson[],
  written: readonly Written[],
  workspaces: readonly TestWorkspace[],
): Promise<Counts> {
  const counts = { posts: written.length, askedAgain: 0, published: 0, unconfirmed: 0, cancelled: 0, unconnected: 0 };
  const live = Map.groupBy(items, ({ network, text }) => `${network} ${text}`);
  const known = new Set<string>();
  for (const workspace of workspaces) {
    const own = written.filter((one) => one.workspace === workspace);
    const pages = await crier.api(workspace.apiKey).listPosts({ limit: '17' });
    expect(pages.map(({ text }) => text).toSorted(), 'each Post once in the pages').toEqual(
      own.map(({ text }) => text).toSorted(),
    );
    for (const { text, scheduledAt, post, asked, cancelled } of own) {
      if (asked > 1) counts.askedAgain++;
      const read = await crier.api(workspace.apiKey).getPost(post.id);
      expect(
        pages.find(({ id }) => id === post.id),
        'as the list shows it',
      ).toEqual(read);
      expect({ text: read.text, at: read.variants.map((variant) => variant.scheduledAt) }).toEqual({
        text,
        at: [scheduledAt, scheduledAt],
      });
      for (const variant of read.variants) {
        known.add(`${variant.network} ${text}`);
        const said = await judgeVariant(crier, workspace, variant, live.get(`${variant.network} ${text}`) ?? []);
        expect(said === 'cancelled', `${variant.id} was cancelled: ${cancelled}`).toBe(cancelled);
        counts[said]++;
      }
    }
    await creditsBalance(crier, workspace, pages);
  }
  expect(
    [...live.keys()].filter((key) => !known.has(key)),
    'live, but of no Post',
  ).toEqual([]);
  return counts;
}

async function judgeVariant(
  crier: CrierUnderTest,
  workspace: { readonly apiKey: string },
  variant: VariantJson,
  live: readonly ItemJson[],
): Promise<'published' | 'unconfirmed' | 'cancelled' | 'unconnected'> {
  const { body } = await crier.api(workspace.apiKey).send('GET', `/api/variants/${variant.id}/attempts`);
  const described = `${variant.network} ${variant.id} ${variant.status} ${variant.failureReason} ${variant.failureDetail} ${JSON.stringify(body.data)}`;
  expect(live.length, `live at most once: ${described}`).toBeLessThanOrEqual(1);
  if (variant.status === 'published') {
    expect(live.length, `live: ${described}`).toBe(1);
    if (variant.permalink !== null) expect(variant.permalink).toBe(live[0]!.permalink);
    return 'published';
  }
  if (variant.status === 'cancelled') {
    expect(live, `not live: ${described}`).toEqual([]);
    return 'cancelled';
  }
  if (variant.network === 'x' && variant.failureReason === 'needs_reconnect') {
    expect(live, `not live: ${described}`).toEqual([]);
    return 'unconnected';
  }
  expect(`${variant.network} ${variant.status} ${variant.failureReason}`, described).toBe('x failed unconfirmed');
  // Only a publisher that was killed during the call leaves no record of X's answer.
  const answers = (body.data as readonly { readonly step: string; readonly outcome: string }[]).filter(
    ({ step }) => step === 'publish',
  );
  expect(
    answers.filter(({ outcome }) => outcome !== 'unknown'),
    described,
  ).toEqual([]);
  return 'unconfirmed';
}

async function creditsBalance(
  crier: CrierUnderTest,
  workspace: TestWorkspace,
  posts: readonly PostJson[],
): Promise<void> {
  const usage = await crier.api(workspace.apiKey).usage();
  const onX = posts.flatMap(({ variants }) => variants).filter(({ network }) => network === 'x');
  const spent = onX.filter(({ status }) => status === 'published').length;
  const held = onX.filter(({ failureReason }) => failureReason === 'unconfirmed').length;
  expect(usage.xCredits).toEqual({ available: 1_000 - spent - held, reserved: held });
  // Crier's time is moved forward by hours: a run on the last day of a month ends in the next.
  const { from, to } = usage.period;
  expect(usage.used.postsPerMonth).toBe(posts.filter(({ createdAt }) => from <= createdAt && createdAt < to).length);
}
