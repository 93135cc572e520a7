import type { Command, CreatePost } from '#domain/workspace/commands.ts';
import type { Post } from '#domain/post/post.ts';
import { variantIdOf } from '#domain/post/ids.ts';
import { listPeriods } from '#tables/repositories/post-days.ts';
import { DAY, RULES, Scenario } from '#testing/scenario.ts';
import { RecentDigests } from './recent-digests.ts';
import { SMALL_BUCKETS, type WorkspaceHarness } from './workspace-harness.fixture.ts';

/** Posts of one day, due in one week, each written by a turn of its own. */
export const POSTS_OF_THE_LIFE = 5;

export interface BusyLife {
  readonly scenario: Scenario;
  /** Each a turn. */
  readonly commands: readonly Command[];
  readonly postIds: readonly string[];
}

/**
 * A Workspace writes Posts that are due in one week, and changes the older ones meanwhile: with small buckets each of
 * them is in another bucket than the one before.
 */
export function aBusyLife(): BusyLife {
  const scenario = new Scenario();
  const told = (command: Command): Command => (scenario.tell(command), command);
  const owner = { memberId: scenario.uuid(), name: 'Ada', email: 'ada@example.test', emailVerified: true };
  const channel = { channelId: scenario.uuid(), network: 'threads', name: 'threads', accountId: 'threads' } as const;
  const founding = [
    scenario.ask({ type: 'CreateWorkspace', name: 'W', plan: 'pro', owner }),
    scenario.ask({ type: 'ConnectChannel', ...channel, avatarUrl: null, kind: '' }),
  ].map(told);
  const commands: Command[] = [...founding];
  const postIds: string[] = [];
  const due = scenario.now + 2 * DAY;
  for (let n = 0; n < POSTS_OF_THE_LIFE; n++) {
    const creating = told(scenario.creating({ text: `${n} `.padEnd(300, 'text '), scheduledAt: due })) as CreatePost;
    commands.push(creating);
    postIds.push(creating.postId);
  }
  const [first, second] = postIds as [string, string];
  commands.push(
    told(scenario.ask({ type: 'CancelPost', postId: second })),
    told({ type: 'VariantsDue', workspaceId: scenario.id, posts: [{ postId: first, attempt: 1, variants: [1] }] }),
    told({
      type: 'PublishFailed',
      workspaceId: scenario.id,
      variantId: variantIdOf(postIds.at(-1)!, 1),
      attempt: 1,
      reason: 'rejected_by_platform',
      detail: 'no',
    }),
  );
  return { scenario, commands, postIds };
}

/** What there is of a Post, wherever it is. */
export function withoutBuckets({ buckets: _, ...post }: Post): Post {
  return post;
}

type Seen = Record<string, unknown> & { readonly posts: readonly Post[] };

/** What anybody can see, but for where it is. */
export async function seen(harness: WorkspaceHarness, life: BusyLife): Promise<Seen> {
  const all = (await harness.seen(life.scenario.id, life.commands)) as Seen;
  return { ...all, posts: all.posts.map(withoutBuckets) };
}

/** By one owner, each command a turn. */
export async function live(harness: WorkspaceHarness, life: BusyLife, release = SMALL_BUCKETS): Promise<void> {
  const actor = harness.actor(life.scenario.id, undefined, RULES, release);
  for (const command of life.commands) await harness.handle(actor, [command]);
  await harness.rest();
}

/** How many buckets its day has, the week in which all is due, and its month. */
export async function bucketsOf({ store }: WorkspaceHarness, { scenario }: BusyLife): Promise<readonly number[]> {
  const periods = await Promise.all(
    (['written', 'due', 'audit'] as const).map((kind) => listPeriods(store, scenario.id, kind)),
  );
  return periods.map(([period]) => 1 + (period?.ends.length ?? 0));
}

/** Of a turn view that asks the table for every digest. */
export const UNKNOWN_DIGESTS = { digests: new RecentDigests(1), load: { digestsFrom: 0 }, digestsSince: 0 };
