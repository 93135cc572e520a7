import { expect } from 'vitest';
import type { ItemJson, PostJson } from '#testing/crier-clients.ts';
import type { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace, type TestWorkspace } from '#testing/crier-workspace.ts';
import { until } from '#testing/until.ts';
import { NO_LIMITS } from './sandbox-limits.ts';

/** What a process of these tests needs, so that nothing but holds keeps a Variant back. */
export const UNLIMITED = { CRIER_REQUESTS_PER_MINUTE: '0', CRIER_NETWORK_BUDGETS: 'off', CRIER_LOG_LEVEL: 'warn' };

const IRREVERSIBLE = { x: 'tweets.create', threads: 'threads.publish' } as const;
const NETWORKS = ['x', 'threads'] as const;
/** What is on its way by then may arrive. */
const IN_FORCE_MS = 2_000;
/** For so long after that it is watched that nothing more arrives. */
const WATCHED_MS = 2_500;
const POSTS_AT_MOST = 300;
/** Of Posts that were not on their way when everything was held. */
const FEWEST_HELD = 20;
/** Some are cancelled, or given back to their Workspace only while their status is read. */
const ENOUGH_HELD = FEWEST_HELD + 5;

/** Posts to both Channels of a Workspace, one after the other, until it is stopped or has written enough. */
class Load {
  readonly written: PostJson[] = [];
  readonly #crier: CrierUnderTest;
  readonly #workspace: TestWorkspace;
  #ends = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(crier: CrierUnderTest, workspace: TestWorkspace) {
    this.#crier = crier;
    this.#workspace = workspace;
  }

  begin(): void {
    this.#loop = this.#run();
  }

  end(): Promise<void> {
    this.#ends = true;
    return this.#loop;
  }

  async #run(): Promise<void> {
    const { apiKey, channels, workspaceId } = this.#workspace;
    const api = this.#crier.api(apiKey);
    while (!this.#ends && this.written.length < POSTS_AT_MOST) {
      const text = `${String(this.written.length).padStart(4, '0')} of ${workspaceId}`;
      this.written.push(await api.createPost({ text, channelIds: [channels.x, channels.threads] }));
    }
  }
}

/**
 * Under load from two Workspaces: everything is held, all processes are killed with -9 and started again, hours pass
 * where the clock may be moved, and the hold is released in two parts. `processes`: the first has all roles.
 */
export async function heldUnderLoad(
  processes: readonly [CrierUnderTest, ...CrierUnderTest[]],
  { mayAdvance }: { readonly mayAdvance: boolean },
): Promise<void> {
  const [crier] = processes;
  for (const network of NETWORKS) await crier.sandbox().limits(network, NO_LIMITS[network]);
  const workspaces = [await foundWorkspace(crier, 'one held'), await foundWorkspace(crier, 'another held')];
  const loads = workspaces.map((workspace) => new Load(crier, workspace));
  for (const load of loads) load.begin();
  const live = async (): Promise<readonly ItemJson[]> => crier.sandbox().items();
  await until(async () => (await live()).length >= 20, { what: 'some are live', withinMs: 60_000 });

  const before = processes.map((process) => process.hinderedMs);
  const { since } = await crier.admin().call('publishing.hold', { reason: 'the wrong client' });
  await crier.admin().call('publishing.hold', { network: 'x', reason: 'x is broken' });
  await until(() => Date.now() > Date.parse(since) + IN_FORCE_MS, { what: 'the hold in force' });
  // A process that gets no core between its look at the holds and its call sends late.
  const hinderedMs = processes.map((process, index) => process.hinderedMs - before[index]!);
  const from = Date.parse(since) + IN_FORCE_MS + Math.max(...hinderedMs);
  const enoughHeld = async (): Promise<boolean> => {
    const waiting = (await scheduled(crier, workspaces)).length;
    if (Date.now() > from + WATCHED_MS && waiting >= ENOUGH_HELD) return true;
    throw new Error(`${waiting} Posts wait, of ${loads.map(({ written }) => written.length).join(' and ')} written`);
  };
  await until(enoughHeld, { what: `a while, and ${ENOUGH_HELD} Posts held`, withinMs: 120_000, everyMs: 250 });
  await Promise.all(loads.map((load) => load.end()));
  await nothingSentSince(crier, from);
  const held = await scheduled(crier, workspaces);
  expect(held.length).toBeGreaterThan(FEWEST_HELD);
  const cancelled = held.at(-1)!;
  await crier.api(workspaces[1]!.apiKey).cancelPost(cancelled.id);
  await expectToldByStatus(crier);

  await Promise.all(processes.map((process) => process.kill()));
  await Promise.all(processes.map((process) => process.start()));
  await expectToldByStatus(crier);
  if (mayAdvance) await crier.admin().advance(5 * 3_600_000);
  const body = { text: 'written while all is held', channelIds: [workspaces[0]!.channels.threads] };
  // Until the partitions of the killed are taken over, a request may end before its answer is known.
  const written = await until(
    () => crier.api(workspaces[0]!.apiKey).createPost(body, { headers: { 'idempotency-key': 'while held' } }),
    { what: 'a Post is written', withinMs: 120_000 },
  );
  expect(written.variants.map(({ status }) => status)).toEqual(['scheduled']);
  await nothingSentSince(crier, from);
  // What was on its way as its process was killed is given back once another has its partition: then it has its place.
  await until(async () => (await open(crier, workspaces)).every(({ status }) => status === 'scheduled'), {
    what: 'what was on its way is given back',
    withinMs: 120_000,
    everyMs: 100,
  });

  await crier.admin().call('publishing.release');
  await until(async () => (await open(crier, workspaces)).every(({ network }) => network === 'x'), {
    what: 'threads is released',
    withinMs: 120_000,
    everyMs: 100,
  });
  await nothingSentSince(crier, from, ['x']);
  expect(await crier.admin().call('publishing.release', { network: 'threads' })).toMatchObject({ released: false });
  await crier.admin().call('publishing.release', { network: 'x' });
  await until(async () => (await open(crier, workspaces)).length === 0, {
    what: 'all is released',
    withinMs: 120_000,
    everyMs: 100,
  });
  await allLiveInOrder(crier, workspaces, cancelled.id);
  expect((await crier.admin().call('publishing.status')).held).toEqual([]);
}

async function nothingSentSince(
  crier: CrierUnderTest,
  from: number,
  networks: readonly ('x' | 'threads')[] = NETWORKS,
): Promise<void> {
  for (const network of networks) {
    const calls = (await crier.sandbox().calls(network)).filter(({ call }) => call === IRREVERSIBLE[network]);
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.filter(({ at }) => Date.parse(at) > from)).toEqual([]);
  }
}

async function expectToldByStatus(crier: CrierUnderTest): Promise<void> {
  const { held } = await crier.admin().call('publishing.status');
  const all = held.find(({ network }: { readonly network: string | null }) => network === null);
  expect(all).toMatchObject({ workspaceId: null, reason: 'the wrong client', by: 'admin' });
  expect(all.waiting).toBeGreaterThan(FEWEST_HELD);
  await until(
    async () => {
      const scopes = ['all', 'network'].map((scope) => crier.admin().metric(`crier_publishing_held{scope="${scope}"}`));
      return (await Promise.all(scopes)).every((held) => held === 1);
    },
    { what: 'the gauges tell of both holds' },
  );
}

async function posts(crier: CrierUnderTest, workspaces: readonly TestWorkspace[]): Promise<readonly PostJson[]> {
  const each = await Promise.all(workspaces.map(({ apiKey }) => crier.api(apiKey).listPosts({ limit: '100' })));
  return each.flat();
}

async function scheduled(crier: CrierUnderTest, workspaces: readonly TestWorkspace[]): Promise<readonly PostJson[]> {
  // What a publisher had in hand is given back by now, or it is on its way.
  return (await posts(crier, workspaces)).filter(({ variants }) =>
    variants.every(({ status }) => status === 'scheduled'),
  );
}

async function open(crier: CrierUnderTest, workspaces: readonly TestWorkspace[]) {
  const variants = (await posts(crier, workspaces)).flatMap((post) => post.variants);
  return variants.filter(({ status }) => status === 'scheduled' || status === 'publishing');
}

/** Every Variant is live once, none failed, and those of a Channel of x went live in the order of their due times. */
async function allLiveInOrder(
  crier: CrierUnderTest,
  workspaces: readonly TestWorkspace[],
  cancelledId: string,
): Promise<void> {
  const all = await posts(crier, workspaces);
  for (const post of all) {
    const expected = post.id === cancelledId ? 'cancelled' : 'published';
    expect(post.variants.map(({ status, failureDetail }) => failureDetail ?? status)).toEqual(
      post.variants.map(() => expected),
    );
  }
  const items = await crier.sandbox().items();
  expect(items).toHaveLength(all.filter(({ id }) => id !== cancelledId).flatMap(({ variants }) => variants).length);
  // A container of threads is processed for a while, and does not hold up the next: of x nothing waits on its way.
  for (const { accounts } of workspaces) {
    const texts = items
      .filter((item) => item.accountId === accounts.x)
      .toSorted((a, b) => Date.parse(a.publishedAt) - Date.parse(b.publishedAt) || a.text.localeCompare(b.text))
      .map(({ text }) => text);
    expect(texts).toEqual(texts.toSorted());
  }
}
