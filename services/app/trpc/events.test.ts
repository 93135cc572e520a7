import { expect, onTestFinished, test } from 'vitest';
import type { Scenario } from '#testing/scenario.ts';
import { TrpcHarness, type Browser } from './trpc-harness.fixture.ts';

/** Between two looks. */
const SOON = { interval: 5 };

interface Opened {
  readonly harness: TrpcHarness;
  readonly scenario: Scenario;
  readonly browser: NonNullable<Browser>;
  readonly memberId: string;
}

async function opened(): Promise<Opened> {
  const harness = await TrpcHarness.open();
  onTestFinished(() => harness[Symbol.asyncDispose]());
  const scenario = harness.workspace(0);
  const memberId = scenario.member('viewer', 'Vi');
  const browser = await harness.signIn(scenario.workspace.members[memberId]!.email);
  return { harness, scenario, browser, memberId };
}

const changed = (...postIds: string[]) => ({ kind: 'changed', postIds, channels: false }) as const;

async function openPage({ harness, scenario, browser }: Opened, before = 0) {
  const page = await harness.page(browser, scenario.id);
  onTestFinished(page.close);
  await expect.poll(() => harness.listeners, SOON).toBe(before + 1);
  return page;
}

test('a page hears what changes in its Workspace, and nothing of another one', async () => {
  const world = await opened();
  const { harness, scenario } = world;
  const page = await openPage(world);
  harness.tell('another Workspace', changed('secret'));
  harness.tell(scenario.id, changed('a'));
  await expect.poll(() => page.heard, SOON).toHaveLength(1);
  harness.tell(scenario.id, { kind: 'changed', postIds: 'all', channels: true });
  await expect.poll(() => page.heard, SOON).toHaveLength(2);
  harness.tell(scenario.id, { kind: 'stale' });
  await expect.poll(() => page.heard, SOON).toHaveLength(3);
  expect(page.heard).toEqual([
    { kind: 'changed', postIds: ['a'], channels: false, all: false },
    { kind: 'changed', postIds: [], channels: true, all: true },
    { kind: 'stale' },
  ]);
});

test('a page that has read before it could listen asks what it missed', async () => {
  const { harness, scenario, browser } = await opened();
  const ask = () => harness.call(browser, 'missed', { workspaceId: scenario.id, since: new Date().toISOString() });
  expect((await ask()).data).toBeNull();
  harness.missed = changed('a');
  expect((await ask()).data).toEqual({ kind: 'changed', postIds: ['a'], channels: false, all: false });
});

test('a page that is closed is forgotten', async () => {
  const world = await opened();
  const page = await openPage(world);
  page.close();
  await expect.poll(() => world.harness.listeners, SOON).toBe(0);
});

test('a drain ends pages, which then connect to another process', async () => {
  const world = await opened();
  const page = await openPage(world);
  world.harness.ending.abort();
  await page.ended;
  expect(world.harness.listeners).toBe(0);
});

test.each<[string, (world: Opened) => Promise<unknown>]>([
  ['was removed', async ({ scenario, memberId }) => scenario.must({ type: 'RemoveMember', memberId })],
  ['signed out in another tab', ({ harness, browser }) => harness.call(browser, 'session.end', undefined)],
])('a Member who %s hears nothing five seconds later', async (_, happen) => {
  const world = await opened();
  const { harness, scenario } = world;
  const page = await openPage(world);
  await happen(world);
  harness.clock.advance(5_000);
  await page.ended;
  harness.tell(scenario.id, changed('later'));
  expect([page.heard, harness.listeners]).toEqual([[], 0]);
});

test('without a session, and for another Workspace, no page is told anything', async () => {
  const { harness, scenario, browser } = await opened();
  const other = harness.workspace(5_000);
  for (const [who, workspaceId] of [
    [null, scenario.id],
    [browser, other.id],
  ] as const) {
    const page = await harness.page(who, workspaceId);
    await page.ended;
    expect([page.heard, harness.listeners]).toEqual([[], 0]);
  }
});

test('one Member has at most 200 pages open, and a closed one makes room', async () => {
  const world = await opened();
  const { harness, scenario, browser } = world;
  const pages = [];
  for (let count = 0; count < 200; count++) pages.push(await openPage(world, count));
  const refused = await harness.page(browser, scenario.id);
  await refused.ended;
  expect(harness.listeners).toBe(200);
  pages[0]!.close();
  await expect.poll(() => harness.listeners, SOON).toBe(199);
  await openPage(world, 199);
});
