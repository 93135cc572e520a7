import { expect, test } from 'vitest';
import type { Command } from '#domain/workspace/commands.ts';
import { PortError } from '#ports/errors.ts';
import { aWorkspace, DAY, type Scenario } from '#testing/scenario.ts';
import { readPost } from '#tables/repositories/posts.ts';
import { readChanges, readVersion, type RecentChange } from '#tables/repositories/recent-changes.ts';
import { openWorkspaceHarness, type WorkspaceHarness } from './workspace-harness.fixture.ts';

/** The commands of a Workspace with one Channel, and the Scenario that told them. */
function begun(): { readonly scenario: Scenario; readonly commands: readonly Command[] } {
  const commands: Command[] = [];
  const scenario = aWorkspace({ plan: 'agency', onCommand: (command) => void commands.push(command) });
  scenario.channel('threads');
  return { scenario, commands };
}

const posting = (scenario: Scenario, text: string): Command & { readonly postId: string } =>
  scenario.creating({ text, digest: text, scheduledAt: scenario.now + DAY });

const changesOf = ({ store, clock }: WorkspaceHarness, { id }: Scenario, after = 0): Promise<readonly RecentChange[]> =>
  readChanges(store, id, { after, now: clock.now() });

test.each(['partition', 'store', 'sqlite'] as const)('each turn that changes Posts names them: %s', async (kind) => {
  const harness = openWorkspaceHarness(kind);
  const { scenario, commands } = begun();
  const actor = harness.actor(scenario.id);
  await harness.handle(actor, commands);
  const [one, two] = [posting(scenario, 'one'), posting(scenario, 'two')];
  await harness.handle(actor, [one, two]);
  await harness.handle(actor, [scenario.ask({ type: 'CancelPost', postId: one.postId })]);
  const [connected, created, cancelled, ...others] = await changesOf(harness, scenario);
  expect(others).toEqual([]);
  expect(connected).toMatchObject({ postIds: [], channels: true });
  expect(created).toMatchObject({ postIds: [one.postId, two.postId], channels: false });
  expect(cancelled).toMatchObject({ postIds: [one.postId], channels: false });
  expect(cancelled!.version).toBe(await readVersion(harness.store, scenario.id));
  expect(await changesOf(harness, scenario, created!.version)).toEqual([cancelled]);
});

test('a turn that changes nothing of them leaves nothing', async () => {
  const harness = openWorkspaceHarness();
  const { scenario, commands } = begun();
  const actor = harness.actor(scenario.id);
  await harness.handle(actor, commands);
  const after = await readVersion(harness.store, scenario.id);
  await harness.handle(actor, [
    scenario.ask({ type: 'RenameWorkspace', name: 'New' }),
    scenario.ask({ type: 'AddCredits', credits: 1 }),
    scenario.ask({ type: 'CancelPost', postId: scenario.uuid() }),
  ]);
  expect(await changesOf(harness, scenario, after)).toEqual([]);
});

test('a turn names a hundred Posts at most, and every Post that changed is named', async () => {
  const harness = openWorkspaceHarness('store');
  const { scenario, commands } = begun();
  const actor = harness.actor(scenario.id);
  await harness.handle(actor, commands);
  const posts = Array.from({ length: 250 }, (_, index) => posting(scenario, `Post ${index}`));
  await harness.handle(actor, posts);
  const changes = await changesOf(harness, scenario);
  expect(Math.max(...changes.map(({ postIds }) => postIds.length))).toBeLessThanOrEqual(100);
  const named = changes.flatMap(({ postIds }) => postIds);
  expect(named.toSorted()).toEqual(posts.map(({ postId }) => postId).toSorted());
});

test('who is told of a change reads it: it is written after all that it is about', async () => {
  const harness = openWorkspaceHarness('partition');
  const { scenario, commands } = begun();
  await harness.handle(harness.actor(scenario.id), commands);
  await harness.rest();
  const post = posting(scenario, 'Hello');
  const seen: unknown[] = [];
  const actor = harness.actor(scenario.id, async (step) => {
    if (step === 'before upsert recent_changes')
      seen.push((await readPost(harness.store, scenario.id, post.postId))?.variants[0]?.status);
  });
  await harness.handle(actor, [post]);
  await harness.handle(actor, [scenario.ask({ type: 'CancelPost', postId: post.postId })]);
  expect(seen).toEqual(['scheduled', 'cancelled']);
});

test('an owner that ends before it told the change leaves that to the next, which does it before its own turn', async () => {
  const harness = openWorkspaceHarness('partition');
  const { scenario, commands } = begun();
  await harness.handle(harness.actor(scenario.id), commands);
  await harness.rest();
  const after = await readVersion(harness.store, scenario.id);
  const [one, two] = [posting(scenario, 'one'), posting(scenario, 'two')];
  const dying = harness.actor(scenario.id, async (step) => {
    if (step === 'before upsert recent_changes') throw new PortError('unavailable', 'it ends');
  });
  await expect(dying.handle([one])).rejects.toThrow('it ends');
  expect(await changesOf(harness, scenario, after)).toEqual([]);
  await harness.handle(harness.actor(scenario.id), [two]);
  const told = await changesOf(harness, scenario, after);
  expect(told.map(({ postIds }) => postIds)).toEqual([[one.postId], [two.postId]]);
  expect(told[0]!.version).toBeLessThan(told[1]!.version);
});
