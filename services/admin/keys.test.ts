import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { BODY_FORMAT, encodeBody } from '#tables/rows/body.ts';
import { credentialRow, findCredential } from '#tables/repositories/credentials.ts';
import { CREDENTIALS } from '#tables/declarations/tables.ts';
import { openAdminHarness, openWorkspace, START, type AdminHarness } from './admin-harness.fixture.ts';

const VALUE = `crier_${'a'.repeat(43)}`;
const TAKEN = {
  code: 'CONFLICT',
  message: 'This API key can not be given out. Choose another, or leave apiKey out and one is made.',
};

interface Place {
  readonly workspaceId: string;
  readonly memberId: string;
}

const openerOf = (harness: AdminHarness) => findCredential(harness.store, hash('sha256', VALUE, 'hex'));
const send = ({ caller }: AdminHarness, place: Place, keyId?: string) =>
  caller.keys.create({ ...place, name: 'a key', apiKey: VALUE, ...(keyId !== undefined && { keyId }) });
const keysOf = async ({ caller }: AdminHarness, { workspaceId }: Place) =>
  (await caller.workspaces.get({ workspaceId })).keys;

async function openTwo() {
  const harness = await openAdminHarness();
  const { caller } = harness;
  return {
    harness,
    ours: await openWorkspace(caller),
    theirs: await openWorkspace(caller),
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}

test('a key is made with limits, and the Workspace shows them', async () => {
  await using two = await openTwo();
  const { harness, ours } = two;
  const limits = { expiresAt: '2027-01-01T00:00:00.000Z', readOnly: true, allowedIps: ['203.0.113.0/24'] };
  const { apiKey } = await harness.caller.keys.create({ ...ours, name: 'limited', ...limits });
  expect(await keysOf(harness, ours)).toMatchObject([limits]);
  expect(await findCredential(harness.store, hash('sha256', apiKey, 'hex'))).toMatchObject({
    revoked: false,
    limits: { ...limits, expiresAt: Date.parse(limits.expiresAt) },
  });
});

describe("a key's value", () => {
  test('that another Workspace has is refused, with an error that says nothing of it, and opens that Workspace as before', async () => {
    await using two = await openTwo();
    const { harness, ours, theirs } = two;
    const { keyId } = await send(harness, ours);
    const refused = await send(harness, theirs).catch((error: unknown) => error);
    expect(refused).toMatchObject(TAKEN);
    expect(JSON.stringify(refused)).not.toContain(ours.workspaceId);
    expect(await openerOf(harness)).toMatchObject({ workspaceId: ours.workspaceId, keyId, revoked: false });
    expect(await keysOf(harness, theirs)).toEqual([]);
  });

  test('that another Workspace has revoked is refused, and opens nothing', async () => {
    await using two = await openTwo();
    const { harness, ours, theirs } = two;
    const { keyId } = await send(harness, ours);
    await harness.caller.keys.revoke({ workspaceId: ours.workspaceId, keyId });
    // The taker has had many more turns: its rows carry a later timestamp.
    for (let turns = 0; turns < 10; turns++)
      await harness.caller.workspaces.addCredits({ workspaceId: theirs.workspaceId, credits: 1 });
    await expect(send(harness, theirs)).rejects.toMatchObject(TAKEN);
    expect(await openerOf(harness)).toMatchObject({ workspaceId: ours.workspaceId, keyId, revoked: true });
  });

  test('that an earlier release wrote for another Workspace is refused, too', async () => {
    await using two = await openTwo();
    const { harness, ours, theirs } = two;
    const key = {
      id: harness.options.ids.uuid7(START),
      memberId: ours.memberId,
      name: 'old',
      permissions: [],
      tokenHash: hash('sha256', VALUE, 'hex'),
      createdAt: START,
      revoked: false,
    };
    const { value, ...row } = credentialRow(ours.workspaceId, { key, memberName: 'Ada', memberRemoved: false });
    await harness.store.upsert(CREDENTIALS, [{ ...row, body: encodeBody(value), format: BODY_FORMAT, timestamp: 1 }]);
    await expect(send(harness, theirs)).rejects.toMatchObject(TAKEN);
    expect(await openerOf(harness)).toMatchObject({ workspaceId: ours.workspaceId, revoked: false });
  });

  test('that several Workspaces are given at once belongs to one of them alone', async () => {
    await using two = await openTwo();
    const { harness, ours, theirs } = two;
    const places = [ours, theirs, await openWorkspace(harness.caller), await openWorkspace(harness.caller)];
    const ended = await Promise.allSettled(places.map((place) => send(harness, place)));
    const [taker, ...others] = places.filter((_, index) => ended[index]!.status === 'fulfilled');
    expect(others).toEqual([]);
    expect(await openerOf(harness)).toMatchObject({ workspaceId: taker!.workspaceId, revoked: false });
    const having = await Promise.all(places.map(async (place) => (await keysOf(harness, place)).length));
    expect(having.reduce((sum, keys) => sum + keys, 0)).toBe(1);
  });

  test('that was refused for an unknown Workspace or Member is free for another', async () => {
    await using two = await openTwo();
    const { harness, ours } = two;
    await expect(send(harness, { ...ours, workspaceId: harness.options.ids.uuid7(START) })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(send(harness, { ...ours, memberId: harness.options.ids.uuid7(START) })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await send(harness, ours);
    expect(await openerOf(harness)).toMatchObject({ workspaceId: ours.workspaceId, revoked: false });
  });

  test('may be given again in its own Workspace as a second key; revoking either ends the value', async () => {
    await using two = await openTwo();
    const { harness, ours } = two;
    const first = await send(harness, ours);
    await expect(send(harness, ours, first.keyId)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: 'There is a key with this id already.',
    });
    const second = await send(harness, ours);
    expect(await openerOf(harness)).toMatchObject({ keyId: second.keyId, revoked: false });
    await harness.caller.keys.revoke({ workspaceId: ours.workspaceId, keyId: first.keyId });
    expect(await openerOf(harness)).toMatchObject({ revoked: true });
  });
});
