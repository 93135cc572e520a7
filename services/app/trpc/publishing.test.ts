import { expect, onTestFinished, test } from 'vitest';
import { createPublishingHolds } from '#use-cases/publishing-holds.ts';
import { markRestored } from '#tables/repositories/restored.ts';
import { TrpcHarness } from './trpc-harness.fixture.ts';

test('owners hold and release their Workspace, and all who look on see who holds what, and why', async () => {
  const harness = await TrpcHarness.open();
  onTestFinished(() => harness[Symbol.asyncDispose]());
  const [own, other] = [harness.workspace(0), harness.workspace(5_000)];
  const workspaceId = own.id;
  const [owner, viewer] = [await harness.browser(own, 'owner'), await harness.browser(own, 'viewer')];
  const stranger = await harness.browser(other, 'owner');
  const held = async () => (await harness.call(viewer, 'publishing.status', { workspaceId })).data.held;

  expect((await harness.call(owner, 'publishing.hold', { workspaceId, reason: 'wrong pictures' })).status).toBe(200);
  expect(await held()).toEqual([
    expect.objectContaining({ network: null, reason: 'wrong pictures', by: 'A owner', isOurs: true, waiting: 0 }),
  ]);
  expect((await harness.call(stranger, 'publishing.status', { workspaceId: other.id })).data.held).toEqual([]);

  const { store, ids } = harness.world;
  const { clock, reporter } = harness;
  const operators = createPublishingHolds({ store, ids, clock, reporter, brake: { forget: () => {} } });
  const operator = { holder: 'operator', by: 'operator', reason: 'x is broken' } as const;
  await operators.hold({ network: 'x', workspaceId: null }, operator);
  await operators.hold({ network: null, workspaceId }, operator);
  expect(await held()).toHaveLength(3);
  expect((await harness.call(owner, 'publishing.release', { workspaceId })).data).toEqual({ released: true });
  expect((await harness.call(owner, 'publishing.release', { workspaceId })).data).toEqual({ released: false });
  // What operators hold, owners do not end.
  expect(await held()).toEqual([
    expect.objectContaining({ network: null, isOurs: false }),
    expect.objectContaining({ network: 'x', isOurs: false }),
  ]);
  await markRestored(store, { backupAt: clock.now() - 1, restoredAt: clock.now() });
  expect((await harness.call(owner, 'publishing.release', { workspaceId })).data).toEqual({ released: false });
  expect(await held()).toContainEqual(expect.objectContaining({ isOurs: false, isRestore: true }));
  expect(own.audit.map(({ action }) => action).filter((action) => action.startsWith('publishing.'))).toEqual([
    'publishing.held',
    'publishing.released',
    'publishing.released',
    'publishing.released',
  ]);
});
