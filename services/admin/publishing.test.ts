import { expect, test } from 'vitest';
import { markRestored } from '#tables/repositories/restored.ts';
import { isoOf } from './fields.ts';
import { openAdminHarness, openWorkspace, until } from './admin-harness.fixture.ts';

test('a hold is reported by status until exactly it is released; a second one changes its reason', async () => {
  await using harness = await openAdminHarness();
  const { caller, clock, reporter } = harness;
  const { workspaceId } = await openWorkspace(caller);
  const since = isoOf(clock.now());
  const all = { network: null, workspaceId: null };
  expect(await caller.publishing.status()).toEqual({ held: [], restored: null });
  await caller.publishing.hold({ reason: 'the wrong client' });
  await caller.publishing.hold({ network: 'x', workspaceId, reason: 'asked by its owner' });
  clock.moveWall(60_000);
  expect(await caller.publishing.hold({ reason: 'the wrong picture' })).toMatchObject({ since });
  const { held } = await caller.publishing.status();
  expect(held).toHaveLength(2);
  expect(held).toContainEqual({ ...all, reason: 'the wrong picture', since, by: 'operator', waiting: 0 });
  expect(await caller.publishing.release({ workspaceId })).toMatchObject({ released: false, since: null });
  expect(await caller.publishing.release()).toEqual({ ...all, released: true, since });
  expect(await caller.publishing.release({})).toMatchObject({ released: false });
  expect((await caller.publishing.status()).held).toEqual([expect.objectContaining({ network: 'x', workspaceId })]);
  expect(reporter.events.filter(({ event }) => event === 'publishing-released')).toEqual([
    expect.objectContaining({
      facts: { network: '*', workspaceId: '*', by: 'operator', reason: 'the wrong picture' },
    }),
  ]);
});

test('a hold of no Workspace, or without a reason, is refused', async () => {
  await using harness = await openAdminHarness();
  const workspaceId = '01900000-0000-7000-8000-000000000001';
  await expect(harness.caller.publishing.hold({ workspaceId, reason: 'why' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await expect(harness.caller.publishing.release({ workspaceId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(harness.caller.publishing.hold({ reason: ' ' })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  await expect(harness.caller.publishing.hold({ network: 'mastodon' as 'x', reason: 'why' })).rejects.toMatchObject({
    code: 'BAD_REQUEST',
  });
});

test('what a restore holds is released as a whole, once, and status tells of it from then on', async () => {
  await using harness = await openAdminHarness();
  const { caller, clock, options } = harness;
  const { workspaceId } = await openWorkspace(caller);
  const release = (input?: Parameters<typeof caller.publishing.release>[0]) => caller.publishing.release(input);
  const refusal = (words: string) => ({ code: 'BAD_REQUEST', message: expect.stringContaining(words) });
  await expect(release({ restored: { overdue: 'ask' } })).rejects.toMatchObject(refusal('not restored from a backup'));
  const [backupAt, restoredAt] = [clock.now() - 3_600_000, clock.now()];
  await markRestored(options.store, { backupAt, restoredAt });
  clock.moveWall(60_000);
  const fact = { backupAt: isoOf(backupAt), restoredAt: isoOf(restoredAt) };
  expect(await caller.publishing.status()).toEqual({
    held: [expect.objectContaining({ network: null, workspaceId: null, by: 'restore', since: fact.restoredAt })],
    restored: { ...fact, released: null },
  });
  await expect(release({ workspaceId })).rejects.toMatchObject(refusal('released as a whole'));
  await expect(release({ network: 'x', restored: {} })).rejects.toMatchObject(refusal('released as a whole'));
  await expect(release({ restored: { overdue: 'drop' as 'ask' } })).rejects.toMatchObject(
    refusal('ask, fail, publish'),
  );
  // An operator's narrower hold ends as ever, and frees nothing.
  await caller.publishing.hold({ network: 'x', reason: 'one after the other' });
  expect(await release({ network: 'x' })).toMatchObject({ released: true });
  expect((await caller.publishing.status()).held).toHaveLength(1);
  await caller.publishing.hold({ reason: 'a look around' });
  const released = { overdue: 'fail', at: isoOf(clock.now()), by: 'operator' };
  expect(await release({ restored: { overdue: 'fail' } })).toMatchObject({ released: true, restored: { released } });
  expect(await caller.publishing.status()).toEqual({
    held: [expect.objectContaining({ reason: 'a look around' })],
    restored: { ...fact, released },
  });
  await expect(release({ restored: {} })).rejects.toMatchObject(refusal('with overdue fail. That is final.'));
});

test('a release without words asks the Networks about what was due before it', async () => {
  await using harness = await openAdminHarness();
  const { caller, clock, options } = harness;
  await markRestored(options.store, { backupAt: clock.now() - 1, restoredAt: clock.now() });
  expect(await caller.publishing.release()).toMatchObject({
    released: true,
    restored: { released: { overdue: 'ask' } },
  });
  expect((await caller.publishing.status()).held).toEqual([]);
});

test('status counts what waits in each scope, and what was released waits no more', async () => {
  await using harness = await openAdminHarness();
  const { caller, options, clock } = harness;
  const { workspaceId, memberId } = await openWorkspace(caller);
  const { channelId } = await caller.channels.connectSandbox({ workspaceId, network: 'threads', name: 'main' });
  await caller.publishing.hold({ reason: 'a drill' });
  await caller.publishing.hold({ network: 'x', reason: 'a drill' });
  const { apiKey: _, keyId } = await caller.keys.create({
    workspaceId,
    memberId,
    name: 'site',
    permissions: ['posts:publish'],
  });
  const now = clock.now();
  const answer = await options.request({
    type: 'CreatePost',
    workspaceId,
    requestId: options.ids.uuid7(now),
    issuedAt: now,
    notAfter: now + 60_000,
    replyTo: options.replyTo,
    credential: { kind: 'key', keyId },
    postId: `${options.ids.uuid7(now).slice(0, -2)}00`,
    text: 'held',
    channelIds: [channelId],
    scheduledAt: null,
    media: [],
    channelOptions: {},
    digest: 'd',
    idempotencyKey: null,
    dryRun: false,
  });
  expect(answer.result.ok).toBe(true);
  const waiting = async () =>
    (await caller.publishing.status()).held.map(({ network, waiting: count }) => [network, count]);
  await until(async () => (await waiting()).length === 2);
  expect(Object.fromEntries(await waiting())).toEqual({ null: 1, x: 0 });
});
