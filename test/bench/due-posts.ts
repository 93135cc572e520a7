import { setTimeout as sleep } from 'node:timers/promises';
import { isoOf } from '#domain/post/render.ts';
import type { CrierServer } from './crier-server.ts';
import type { Home, Population } from './population.ts';

/** One Variant that is to go live, at a planned instant. */
export interface PlannedPost {
  readonly variantId: string;
  readonly text: string;
  readonly dueAt: number;
}

/** When each planned Variant went live by the sandbox's own clock; each went live exactly once. */
export interface Live {
  readonly variantId: string;
  readonly dueAt: number;
  readonly publishedAt: number;
}

const POSTS_A_REQUEST = 100;
const POLL_MS = 250;

interface Draft {
  readonly text: string;
  readonly channelId: string;
  readonly dueAt: number;
}

/**
 * Schedules one x Variant for each instant, in turn over the Channels of all homes. Null: creating was not finished a
 * second before the first instant, and the figures would measure the creating; all Variants that were created have
 * ended by then.
 */
export async function schedule(
  server: CrierServer,
  population: Population,
  dueTimes: readonly number[],
  label: string,
  textOf = (index: number): string => `${label} ${index}. ${'All of it is said in good time. '.repeat(6)}`,
): Promise<readonly PlannedPost[] | null> {
  const drafts = new Map<Home, Draft[]>(population.workspaces.map((home) => [home, []]));
  for (const [index, dueAt] of dueTimes.entries()) {
    const home = population.workspaces[index % population.workspaces.length]!;
    const channelId = home.channelIds[Math.floor(index / population.workspaces.length) % home.channelIds.length]!;
    drafts.get(home)!.push({ text: textOf(index), channelId, dueAt });
  }
  const created = await Promise.allSettled([...drafts].map(([home, own]) => scheduleAt(server, home, own)));
  const failure = created.find((one) => one.status === 'rejected')?.reason as unknown;
  if (failure !== undefined && !(failure instanceof TooLate)) throw failure;
  if (failure === undefined && Date.now() < Math.min(...dueTimes) - 1000)
    return created.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  await nothingEnds(server, Math.max(...dueTimes));
  return null;
}

async function scheduleAt(server: CrierServer, home: Home, drafts: readonly Draft[]): Promise<PlannedPost[]> {
  const planned: PlannedPost[] = [];
  for (let start = 0; start < drafts.length; start += POSTS_A_REQUEST) {
    const some = drafts.slice(start, start + POSTS_A_REQUEST);
    const posts = some.map(({ text, channelId, dueAt }) => ({
      text,
      channelIds: [channelId],
      scheduledAt: isoOf(dueAt),
    }));
    for (const [index, variantId] of (await createAll(server, home.keys[0]!, posts)).entries()) {
      const { text, dueAt } = some[index]!;
      planned.push({ variantId, text, dueAt });
    }
  }
  return planned;
}

interface BulkAnswer {
  readonly data: readonly {
    readonly status: number;
    readonly error?: { readonly code: string };
    readonly post?: { readonly variants: readonly { readonly id: string }[] };
  }[];
}

const TRIES = 5;

class TooLate extends Error {}

/**
 * The Variants' ids. A Post whose creation has an unknown outcome is sent again, which creates it once. A server that
 * is too busy is asked again when it says.
 */
async function createAll(server: CrierServer, key: string, posts: readonly object[]): Promise<readonly string[]> {
  for (let attempt = 1; ; attempt++) {
    const answer = await fetch(`${server.baseUrl}/api/posts/bulk`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ posts }),
    });
    const said = await answer.text();
    if (answer.status === 503 && attempt < TRIES) {
      await sleep(1_000 * Number(answer.headers.get('retry-after') ?? 1));
      continue;
    }
    if (!answer.ok) throw new Error(`bulk answered ${answer.status}: ${said}`);
    const { data } = JSON.parse(said) as BulkAnswer;
    const missing = data.find(({ status }) => status !== 201);
    if (missing === undefined) return data.map(({ post }) => post!.variants[0]!.id);
    if (missing.error?.code === 'too_early') throw new TooLate();
    if (missing.status !== 503 || attempt === TRIES)
      throw new Error(`a Post was not created: ${JSON.stringify(missing)}`);
  }
}

/** Waits until as many attempts ended as there were before, plus the planned ones. */
export async function attemptsEnd(
  server: CrierServer,
  before: number,
  planned: readonly PlannedPost[],
  withinMs: number,
): Promise<void> {
  const last = Math.max(...planned.map(({ dueAt }) => dueAt));
  await sleep(Math.max(0, last - Date.now()));
  const giveUpAt = Date.now() + withinMs;
  // Counted by the metrics: reading all items from the sandbox would load the process under test.
  while ((await server.attemptsEnded()) < before + planned.length) {
    if (Date.now() > giveUpAt)
      throw new Error(
        `${before + planned.length - (await server.attemptsEnded())} of ${planned.length} Variants did not end within ${withinMs} ms`,
      );
    await sleep(POLL_MS);
  }
}

const QUIET_MS = 3_000;

/** Waits until no attempt has ended for a while after `from`. */
async function nothingEnds(server: CrierServer, from: number): Promise<void> {
  await sleep(Math.max(0, from - Date.now()));
  let ended = await server.attemptsEnded();
  for (let since = Date.now(); Date.now() < since + QUIET_MS;) {
    await sleep(POLL_MS);
    const now = await server.attemptsEnded();
    if (now !== ended) since = Date.now();
    ended = now;
  }
}

/** The live items of the plan. Rejects when a text is missing or appears twice. */
export async function liveOf(server: CrierServer, planned: readonly PlannedPost[]): Promise<readonly Live[]> {
  const answer = await fetch(`${server.sandboxUrl}/sandbox/items?network=x`);
  const { items } = (await answer.json()) as { items: { text: string; publishedAt: string }[] };
  const byText = Map.groupBy(items, ({ text }) => text.trim());
  const wrong = planned.find(({ text }) => byText.get(text.trim())?.length !== 1);
  if (wrong !== undefined) {
    const known = await server.admin.variants.get.query({ variantId: wrong.variantId });
    throw new Error(`not live once: ${JSON.stringify(known)}`);
  }
  return planned.map(({ variantId, text, dueAt }) => {
    const found = byText.get(text.trim())!;
    const publishedAt = Date.parse(found[0]!.publishedAt);
    if (publishedAt < dueAt) throw new Error(`variant ${variantId} went live ${dueAt - publishedAt} ms early`);
    return { variantId, dueAt, publishedAt };
  });
}
