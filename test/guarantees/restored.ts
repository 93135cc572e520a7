import { expect } from 'vitest';
import { UnexpectedAnswer, type ItemJson, type PostJson, type VariantJson } from '#testing/crier-clients.ts';
import type { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace, type TestWorkspace } from '#testing/crier-workspace.ts';
import { until } from '#testing/until.ts';
import { NO_LIMITS } from './sandbox-limits.ts';

/** How many Posts are due around the backup. */
export const POSTS = 200;

/** What a process of the experiment needs, so that nothing but the restore keeps a Variant back. */
export const UNHINDERED = {
  CRIER_DEMO: 'false',
  CRIER_REQUESTS_PER_MINUTE: '0',
  CRIER_NETWORK_BUDGETS: 'off',
  CRIER_EARLIEST_SCHEDULE_SECONDS: '0',
  CRIER_LOG_LEVEL: 'warn',
};

/** The three parts: live before the backup, live after it, and never sent by the original. */
const PARTS = ['before', 'after', 'never'] as const;
type Part = (typeof PARTS)[number];

const NETWORKS = ['x', 'threads'] as const;
const WRITERS = 4;
const CREDITS = 1_000;
const SPREAD_MS = 3_000;

export interface RestoreSite {
  /** Which do not go back in time. Both installations publish to its sandbox. */
  readonly networks: CrierUnderTest;
  readonly original: CrierUnderTest;
  /** How many times as long as the first backup, and what is written meanwhile, the second may take. Default: 4. */
  readonly maxFactor?: number;
  /** Called twice: of the original while it works. The last one is restored. */
  backUp(): Promise<void>;
  /** Called when the original has ended. Resolves with the restored installation when it is ready. */
  restore(): Promise<CrierUnderTest>;
}

export interface RestoreCounts {
  /** Variants by their end, and by whether the original or the restored installation sent them. */
  readonly sentByOriginal: number;
  readonly sentByRestored: number;
  readonly unconfirmed: number;
}

export interface RestoredWorld {
  readonly workspace: TestWorkspace;
  readonly restored: CrierUnderTest;
  readonly written: readonly PostJson[];
  /** What the original had made live by its end. */
  readonly liveThen: readonly ItemJson[];
}

/**
 * Posts become due before, while and after a backup is taken; the original goes on publishing, and is killed with -9
 * before the last of them are due. The copy is restored and started. Resolves once all are due: nothing was sent, as
 * everything is held.
 */
export async function restoredWorld(site: RestoreSite): Promise<RestoredWorld> {
  const { networks, original, maxFactor = 4 } = site;
  for (const network of NETWORKS) await networks.sandbox().limits(network, NO_LIMITS[network]);
  const workspace = await foundWorkspace(original, 'restored', { credits: CREDITS });
  const from = performance.now();
  await site.backUp();
  const backupMs = performance.now() - from;

  const before = await write(original, workspace, 'before', Date.now() + 500);
  // Late enough that the copy has them as scheduled, on a busy machine too.
  const soon = Date.now() + 8_000 + maxFactor * backupMs;
  const after = await write(original, workspace, 'after', soon);
  const later = Math.max(soon, Date.now()) + 25_000 + (maxFactor / 2) * backupMs;
  const never = await write(original, workspace, 'never', later);
  await site.backUp();
  const written = [...before, ...after, ...never];
  const expected = [...before, ...after].flatMap(({ variants }) => variants).length;
  await until(async () => (await networks.sandbox().items()).length >= expected, {
    what: `the original has ${expected} live`,
    withinMs: 180_000,
    everyMs: 200,
  });
  await original.kill();
  const liveThen = await networks.sandbox().items();

  const restored = await site.restore();
  expect((await restored.admin().call('publishing.status')).held).toContainEqual(
    expect.objectContaining({ network: null, workspaceId: null, by: 'restore' }),
  );
  const listed = await restored.api(workspace.apiKey).listPosts({ limit: '100' });
  expect(listed.map(({ id }) => id).toSorted()).toEqual(written.map(({ id }) => id).toSorted());
  const connected = (await restored.api(workspace.apiKey).channels()).map(({ id }) => id);
  expect(connected.toSorted()).toEqual(Object.values(workspace.channels).toSorted());
  await until(() => Date.now() > later + SPREAD_MS + 1_000, { what: 'all are due', withinMs: 180_000, everyMs: 100 });
  expect((await networks.sandbox().items()).length, 'nothing is sent while it is held').toBe(liveThen.length);
  return { workspace, restored, written, liveThen };
}

/** A third of the Posts, due from the instant on, each on one Network or on both. */
async function write(
  crier: CrierUnderTest,
  { apiKey, channels }: TestWorkspace,
  part: Part,
  dueFrom: number,
): Promise<readonly PostJson[]> {
  const count = Math.ceil((POSTS - PARTS.indexOf(part)) / PARTS.length);
  const posts: PostJson[] = [];
  let next = 0;
  const writer = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      const channelIds = [[channels.x, channels.threads], [channels.x], [channels.threads]][index % 3]!;
      const due = dueFrom + (index * SPREAD_MS) / count;
      const text = `${part} ${index}`;
      posts.push(await schedule((scheduledAt) => crier.api(apiKey).createPost({ text, channelIds, scheduledAt }), due));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  return posts;
}

/** Schedules at the instant given, or as soon after it as a busy machine takes a request in time. */
async function schedule(create: (scheduledAt: string) => Promise<PostJson>, dueAt: number): Promise<PostJson> {
  for (let leadMs = 100; ; leadMs *= 4) {
    try {
      return await create(new Date(Math.round(Math.max(dueAt, Date.now() + leadMs))).toISOString());
    } catch (error) {
      if (!(error instanceof UnexpectedAnswer) || !error.message.includes('too_early')) throw error;
    }
  }
}

const isOpen = ({ status }: VariantJson): boolean => status === 'scheduled' || status === 'publishing';

/** Waits until every Variant has ended, and compares what each Post says with what is live. */
export async function judgeRestored(
  site: RestoreSite,
  { restored, workspace, written, liveThen }: RestoredWorld,
): Promise<RestoreCounts> {
  const api = restored.api(workspace.apiKey);
  const posts = await until(
    async () => {
      const listed = await api.listPosts({ limit: '100' });
      const open = listed.flatMap(({ text, variants }) =>
        variants.filter(isOpen).map(({ network, status }) => `${text} on ${network}: ${status}`),
      );
      if (open.length > 0) throw new Error(`${open.length} are open: ${open.slice(0, 5).join('; ')}`);
      return listed;
    },
    { what: 'every Variant has ended', withinMs: 240_000, everyMs: 500 },
  );
  const live = Map.groupBy(await site.networks.sandbox().items(), ({ network, text }) => `${network} ${text}`);
  const doubled = [...live.values()].filter((items) => items.length > 1);
  expect(
    doubled.map(([item]) => `${item!.network} ${item!.text}`),
    'live twice',
  ).toEqual([]);
  const then = new Set(liveThen.map(({ network, text }) => `${network} ${text}`));
  const counts = { sentByOriginal: 0, sentByRestored: 0, unconfirmed: 0 };
  expect(posts).toHaveLength(written.length);
  for (const { text, variants } of posts)
    for (const { network, status, failureReason, failureDetail, permalink } of variants) {
      const key = `${network} ${text}`;
      const item = live.get(key)?.[0];
      if (status === 'published') {
        expect(item, `${key} is live`).toBeDefined();
        if (permalink !== null) expect(permalink, key).toBe(item!.permalink);
        counts[then.has(key) ? 'sentByOriginal' : 'sentByRestored'] += 1;
      } else {
        expect([status, failureReason], `${key}: ${failureDetail}`).toEqual(['failed', 'unconfirmed']);
        counts.unconfirmed += 1;
      }
    }
  const onX = posts.flatMap(({ variants }) => variants).filter(({ network }) => network === 'x');
  const spent = onX.filter(({ status }) => status === 'published').length;
  const reserved = onX.length - spent;
  expect((await api.usage()).xCredits).toEqual({ available: CREDITS - spent - reserved, reserved });
  return counts;
}
