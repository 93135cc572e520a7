import { outcomeIdOf, type OutcomeBody } from '#domain/workspace/events.ts';
import type { ItemJson, PostJson, VariantJson } from '#testing/crier-clients.ts';
import { accountTroubles, unconfirmedIn, type Account } from './accounts.ts';
import { isEarly, type ClockLead } from './early.ts';
import { linearize } from './linearizable.ts';
import type { FaultsDone } from './nemesis.ts';
import { POST_MODEL } from './post-model.ts';
import { standingOf, type AnswerTimes, type IntendedPost, type RecordedHistory } from './recorded-history.ts';

/** `workspace`: that whose list shows the Post. */
export type ListedPost = PostJson & { readonly workspace: number };

/** What is known of a run when all of it is over. */
export interface Evidence {
  readonly history: RecordedHistory;
  readonly faults: Pick<FaultsDone, 'refusals' | 'brokenCalls' | 'leads'>;
  /** Every Post of every Workspace, read at the end. */
  readonly posts: readonly ListedPost[];
  /** When these were read. */
  readonly readAt: AnswerTimes;
  /** What is live at the Networks. */
  readonly items: readonly ItemJson[];
  /** By Workspace. */
  readonly accounts: readonly Account[];
  /** Events by Workspace, as its endpoint got them. */
  readonly events: readonly (readonly OutcomeBody[])[];
  /** Before this instant, epoch ms, every due Variant must have ended. */
  readonly settledAt: number;
}

export interface Verdict {
  /** In words; empty: every promise was kept. */
  readonly broken: readonly string[];
  readonly counts: Readonly<Record<Standing, number>>;
  readonly operations: number;
}
type Standing = ReturnType<typeof standingOf>;

/**
 * Holds what clients saw, what Networks got and what endpoints were sent to the promises: each Post linearisable,
 * nothing lost, doubled, early or stuck, no answer to another Workspace, `unconfirmed` on x alone, whose API can not
 * always say, and the account of each Workspace as its Posts have it.
 */
export function judge(evidence: Evidence): Verdict {
  const { history, faults, posts: listed, readAt, items, accounts, events, settledAt } = evidence;
  const intended = new Map(history.posts.map((post) => [post.text, post]));
  const isIntended = ({ text, workspace }: ListedPost): boolean => intended.get(text)?.workspace === workspace;
  const posts = listed.filter(isIntended);
  const broken = [...history.wrong];
  for (const post of listed)
    if (!isIntended(post))
      broken.push(`Workspace ${post.workspace} has ${post.id} ${JSON.stringify(post.text)}, which is not its own`);
  const counts = { scheduled: 0, publishing: 0, published: 0, failed: 0, unconfirmed: 0, cancelled: 0 };
  broken.push(...history.posts.flatMap((post) => orderTroubles(post, posts, readAt)));
  for (const { what, at, dueAt } of history.begunEarly)
    if (isEarly(at, dueAt, faults.leads)) broken.push(`${what} before ${new Date(dueAt).toISOString()}`);

  const live = Map.groupBy(items, ({ network, text }) => `${network} ${text}`);
  for (const [what, copies] of live) if (copies.length > 1) broken.push(`${what} is live ${copies.length} times`);
  for (const post of posts) {
    const { dueAt } = intended.get(post.text)!;
    for (const variant of post.variants) {
      const key = `${variant.network} ${post.text}`;
      const item = live.get(key)?.[0];
      live.delete(key);
      counts[standingOf(variant)]++;
      const trouble = earlyTrouble(item, dueAt, faults.leads) ?? troubleOf(variant, item, dueAt, settledAt);
      if (trouble !== null) broken.push(`${variant.network} ${variant.id} ${JSON.stringify(post.text)}: ${trouble}`);
    }
  }
  broken.push(...causeless(posts, faults));
  for (const what of live.keys()) broken.push(`${what} is live, and of no Post`);
  for (const [workspace, told] of events.entries()) {
    const own = posts.filter((post) => post.workspace === workspace);
    broken.push(...eventTroubles(own, told));
    const troubles = accountTroubles(accounts[workspace]!, own, unconfirmedIn(told));
    broken.push(...troubles.map((trouble) => `Workspace ${workspace}: ${trouble}`));
  }
  return { broken, counts, operations: history.posts.reduce((sum, { operations }) => sum + operations.length, 0) };
}

/** What is read at the end is the last operation of each Post: no end that comes after all answers escapes. */
function orderTroubles(post: IntendedPost, posts: readonly PostJson[], readAt: AnswerTimes): readonly string[] {
  const found = posts.filter(({ text }) => text === post.text);
  if (found.length > 1) return [`${JSON.stringify(post.text)} is there as ${found.map(({ id }) => id).join(' and ')}`];
  const [last] = found;
  if (post.id !== null && last?.id !== post.id)
    return [`${post.id} ${JSON.stringify(post.text)} was answered, and is not there at the end`];
  const read: readonly IntendedPost['operations'][number][] =
    last === undefined
      ? []
      : [
          {
            ...{ invokedAt: readAt.invokedAt, completedAt: readAt.answeredAt },
            input: { kind: 'read', standings: last.variants.map(standingOf) },
          },
        ];
  const operations = [...post.operations, ...read];
  const order = linearize(POST_MODEL, operations);
  return order.ok ? [] : [notLinearizable({ ...post, operations }, order.placed)];
}

function earlyTrouble(item: ItemJson | undefined, dueAt: number | null, leads: readonly ClockLead[]): string | null {
  if (item === undefined || dueAt === null || !isEarly(Date.parse(item.publishedAt), dueAt, leads)) return null;
  return `live at ${item.publishedAt}, before ${new Date(dueAt).toISOString()}`;
}

function troubleOf(
  variant: VariantJson,
  item: ItemJson | undefined,
  dueAt: number | null,
  settledAt: number,
): string | null {
  const standing = standingOf(variant);
  switch (standing) {
    case 'published':
      if (item === undefined) return 'published, and not live';
      return variant.permalink === null || variant.permalink === item.permalink
        ? null
        : `published at ${variant.permalink}, and live at ${item.permalink}`;
    case 'unconfirmed':
      return variant.network === 'x' ? null : 'unconfirmed, where the Network can be asked';
    case 'publishing':
      return 'publishing for ever';
    case 'scheduled':
      if (item !== undefined) return 'scheduled, and live';
      return dueAt === null || dueAt < settledAt ? 'scheduled for ever' : null;
    case 'failed':
    case 'cancelled':
      return item === undefined ? null : `${standing}, and live`;
  }
}

/** What failed without anything that its Network was made to do: no more Variants than calls were refused or broken. */
function causeless(posts: readonly PostJson[], { refusals, brokenCalls }: Evidence['faults']): readonly string[] {
  const failed = posts.flatMap(({ variants }) => variants).filter((variant) => standingOf(variant) === 'failed');
  const byReason = Map.groupBy(failed, ({ failureReason }) => failureReason);
  const most = new Map([
    ['rejected_by_platform', refusals],
    ['platform_problem', brokenCalls],
  ]);
  return [...byReason].flatMap(([reason, variants]) => {
    const causes = most.get(reason!) ?? 0;
    const [first] = variants;
    if (variants.length <= causes) return [];
    return [
      `${variants.length} Variants failed as ${reason}, with ${causes} causes: ${first!.network} ${first!.id} ${first!.failureDetail}`,
    ];
  });
}

/** Every end is reported, under the id that belongs to it, to its own Workspace alone. */
function eventTroubles(posts: readonly PostJson[], events: readonly OutcomeBody[]): readonly string[] {
  const troubles: string[] = [];
  const own = new Set(posts.flatMap(({ variants }) => variants.map(({ id }) => id)));
  const told = new Map<string, OutcomeBody[]>();
  for (const event of events) {
    const { id } = event.data.variant;
    if (!own.has(id)) troubles.push(`an event tells a Workspace of ${id}, which is not its own`);
    told.set(id, [...(told.get(id) ?? []), event]);
  }
  for (const { id, status } of posts.flatMap(({ variants }) => variants)) {
    if (status !== 'published' && status !== 'failed') continue;
    const of = told.get(id) ?? [];
    if (!of.some(({ type }) => type === `variant.${status}`)) troubles.push(`${id} is ${status}, and no event says so`);
    // Each attempt has ends of its own; a retry begins another one.
    const ids = new Set(of.map((event) => event.id));
    const possible = new Set(
      Array.from({ length: ids.size + 1 }, (_, attempt) =>
        (['variant.published', 'variant.failed'] as const).map((type) =>
          outcomeIdOf({ id, attempt: attempt + 1 }, type),
        ),
      ).flat(),
    );
    for (const event of of)
      if (!possible.has(event.id)) troubles.push(`${id}: an event has the unknown id ${event.id}`);
  }
  return troubles;
}

function notLinearizable(post: IntendedPost, placed: number): string {
  const start = post.operations[0]?.invokedAt ?? 0;
  const lines = post.operations
    .toSorted((one, other) => one.invokedAt - other.invokedAt)
    .map(
      ({ invokedAt, completedAt, input }) =>
        `  ${Math.round(invokedAt - start)} to ${completedAt === null ? 'ever' : Math.round(completedAt - start)} ms: ${JSON.stringify(input)}`,
    );
  return [`${post.id} ${JSON.stringify(post.text)} has no order of its operations (${placed} placed):`, ...lines].join(
    '\n',
  );
}
