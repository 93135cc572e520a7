import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { OutcomeBody } from '#domain/workspace/events.ts';
import { OUTCOME_TYPES } from '#domain/webhook/outcome-type.ts';
import type { CrierUnderTest } from '#testing/crier-process.ts';
import type { PostJson } from '#testing/crier-clients.ts';
import { foundWorkspace, type TestWorkspace } from '#testing/crier-workspace.ts';
import { SeededRandom } from '#testing/seeded-random.ts';
import { startTrustedReceiver, type TrustedReceiver } from '#testing/trusted-receiver.ts';
import { until } from '#testing/until.ts';
import type { Account } from './accounts.ts';
import { Clients } from './clients.ts';
import { startInstallation, type Installation, type VictimOptions } from './installation.ts';
import { judge, type Evidence, type ListedPost, type Verdict } from './judge.ts';
import { Nemesis, type FaultsDone, type NemesisOptions } from './nemesis.ts';
import { RecordedHistory } from './recorded-history.ts';

export interface HistoryRun {
  readonly verdict: Verdict;
  readonly faults: FaultsDone;
  /** For a person: what was done, and what came of it. */
  readonly report: string;
}

export interface HistoryOptions extends NemesisOptions {
  /** How long faults are made. */
  readonly forMs: number;
  readonly seed: number;
  readonly workspaces?: number;
  readonly clients?: number;
  readonly victims?: VictimOptions;
}

const PLAN = 'agency';
const CREDITS = 100_000;
/** With everything healed, clients go on for so long. */
const CALM_MS = 15_000;
/** An attempt whose publisher was killed during x's call: its time-outs, then three reads within 3 minutes. */
const SETTLED_MS = 420_000;
const EVENTS_MS = 240_000;
const NONE = 1_000_000_000;

/** Starts an installation, lets clients use it while faults are made, and judges what all of them saw. */
export async function runHistory(options: HistoryOptions): Promise<HistoryRun> {
  const { forMs, seed, victims } = options;
  const phases: string[] = [];
  let since = performance.now();
  const ended = (phase: string): void => {
    const now = performance.now();
    phases.push(`${phase} ${Math.round((now - since) / 1_000)} s`);
    since = now;
  };
  await using trusted = await startTrustedReceiver();
  await using installation = await startInstallation(trusted.settings, victims);
  const workspaces = await populate(installation, trusted, options.workspaces ?? 4);
  const history = new RecordedHistory();
  const baseUrls = installation.ingresses.map(({ process }) => process.ready.baseUrl!);
  const clients = new Clients({ history, workspaces, baseUrls, random: new SeededRandom(seed) });
  ended('started in');
  clients.start(options.clients ?? 8);
  const faults = await new Nemesis(installation, new SeededRandom(seed + 1)).run(forMs, options);
  await new Promise((resolve) => setTimeout(resolve, CALM_MS));
  await clients.stop();
  ended('faults and a calm of');
  const verdict = await judged(installation, trusted, workspaces, { history, faults });
  ended('all ended and told after');
  return { verdict, faults, report: reportOf(history, faults, verdict, phases) };
}

async function populate(
  { truth, ingresses }: Installation,
  { receiver }: TrustedReceiver,
  count: number,
): Promise<readonly TestWorkspace[]> {
  await truth.sandbox().limits('x', {
    ...{ tweetsCreatePerUser: NONE, tweetsCreatePerApp: NONE, usersTweetsPerUser: NONE, usersTweetsPerApp: NONE },
  });
  await truth.sandbox().limits('threads', { postsPerDay: NONE });
  const workspaces: TestWorkspace[] = [];
  for (let index = 0; index < count; index++) {
    const workspace = await foundWorkspace(truth, `history ${index}`, { plan: PLAN, credits: CREDITS });
    const body = { url: `${receiver.url}${workspace.workspaceId}`, events: [...OUTCOME_TYPES] };
    // The first commands of an installation on six engines that have just started may be answered too late.
    const isTaken = async (): Promise<true> => {
      const answer = await ingresses[0]!.process.api(workspace.apiKey).send('POST', '/api/webhooks', body);
      expect(answer.status, JSON.stringify(answer.body)).toBe(201);
      return true;
    };
    await until(isTaken, { what: `an endpoint of ${workspace.workspaceId}`, withinMs: 180_000 });
    workspaces.push(workspace);
  }
  return workspaces;
}

/** Waits until everything due has ended and been reported, as far as that comes, and judges what there is then. */
async function judged(
  { truth, ingresses }: Installation,
  { receiver }: TrustedReceiver,
  workspaces: readonly TestWorkspace[],
  seen: Pick<Evidence, 'history' | 'faults'>,
): Promise<Verdict> {
  const listed = async (): Promise<readonly ListedPost[]> => {
    const lists = workspaces.map(async ({ apiKey }, workspace) =>
      (await ingresses[0]!.process.api(apiKey).listPosts({ limit: '100' })).map((post) => ({ ...post, workspace })),
    );
    return (await Promise.all(lists)).flat();
  };
  const settledAt = Date.now();
  await until(async () => isSettled(await listed(), settledAt), {
    ...{ what: 'every due Variant has ended', withinMs: SETTLED_MS, everyMs: 3_000 },
  }).catch(() => undefined);
  const last = await atTheEnd(listed, () => Promise.all(workspaces.map((workspace) => accountOf(truth, workspace))));
  const look = async (): Promise<Verdict> => {
    const events = workspaces.map(({ workspaceId }) =>
      receiver.requests
        .filter(({ method, path }) => method === 'POST' && path === `/${workspaceId}`)
        .map(({ body }) => JSON.parse(body.toString('utf8')) as OutcomeBody),
    );
    return judge({ ...seen, ...last, items: await truth.sandbox().items(), events, settledAt });
  };
  // Webhooks may come after the Variant's end is shown, and credits are judged by what they say, too.
  const isTold = ({ broken }: Verdict): boolean => !broken.some((line) => /no event says so|: credits: /.test(line));
  return until(async () => look().then((verdict) => (isTold(verdict) ? verdict : null)), {
    ...{ what: 'events of every end', withinMs: EVENTS_MS, everyMs: 1_000 },
  }).catch(look);
}

/** Accounts and the Posts that they are of: what changes between the two, as by a late proof, is read again. */
async function atTheEnd(
  listed: () => Promise<readonly ListedPost[]>,
  accountsNow: () => Promise<readonly Account[]>,
): Promise<Pick<Evidence, 'posts' | 'readAt' | 'accounts'>> {
  const look = async (): Promise<Pick<Evidence, 'posts' | 'readAt' | 'accounts'> | null> => {
    const before = await listed();
    const accounts = await accountsNow();
    const invokedAt = performance.now();
    const posts = await listed();
    const readAt = { invokedAt, answeredAt: performance.now() };
    return isDeepStrictEqual(before, posts) ? { posts, readAt, accounts } : null;
  };
  return until(look, { what: 'nothing changes any more', withinMs: SETTLED_MS, everyMs: 1_000 });
}

async function accountOf(truth: CrierUnderTest, { workspaceId }: TestWorkspace): Promise<Account> {
  return { ...(await truth.admin().call('workspaces.get', { workspaceId })), given: { plan: PLAN, credits: CREDITS } };
}

function isSettled(posts: readonly PostJson[], settledAt: number): boolean {
  return posts.every(({ variants }) =>
    variants.every(
      ({ status, scheduledAt }) =>
        status !== 'publishing' &&
        (status !== 'scheduled' || (scheduledAt !== null && Date.parse(scheduledAt) > settledAt + 60_000)),
    ),
  );
}

function reportOf(
  history: RecordedHistory,
  faults: FaultsDone,
  { operations, counts }: Verdict,
  phases: readonly string[],
): string {
  return [
    phases.join(', '),
    `${history.posts.length} Posts, ${operations} operations; ${JSON.stringify(counts)}`,
    `faults: ${[...faults.counts].map(([kind, count]) => `${count} ${kind}`).join(', ')}`,
    `impossible here: ${faults.impossible.join(', ') || 'none'}`,
    `answers: ${[...history.tally]
      .toSorted()
      .map(([what, count]) => `${what} ${count}`)
      .join(', ')}`,
    `ended by themselves: ${faults.endedBySelf.join(' | ') || 'none'}`,
    ...faults.lines,
  ].join('\n');
}
