import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { BODY_FORMAT, encodeBody } from '#tables/rows/body.ts';
import { credentialRow, findCredential } from '#tables/repositories/credentials.ts';
import { CREDENTIALS } from '#tables/declarations/tables.ts';
import { openOffice, openWorkspace, START, type Office } from './admin-harness.fixture.ts';

const VALUE = `crier_${'a'.repeat(43)}`;
const TAKEN = { code: 'CONFLICT', message: 'This API key can not be given out. Choose another, or leave apiKey out and one is made.' };

interface Place {
  readonly workspaceId: string;
  readonly memberId: string;
}

const openerOf = (office: Office) => findCredential(office.store, hash('sha256', VALUE, 'hex'));
const give = ({ caller }: Office, place: Place, keyId?: string) => caller.keys.create({ ...place, name: 'a key', apiKey: VALUE, ...(keyId !== undefined && { keyId }) });
const keysOf = async ({ caller }: Office, { workspaceId }: Place) => (await caller.workspaces.get({ workspaceId })).keys;

async function openTwo() {
  const office = await openOffice();
  const { caller } = office;
  return { office, ours: await openWorkspace(caller), theirs: await openWorkspace(caller), [Symbol.asyncDispose]: () => office[Symbol.asyncDispose]() };
}

describe("a key's value", () => {
  test('that another Workspace has is refused, in words that tell nothing of it, and opens that Workspace as before', async () => {
    await using two = await openTwo();
    const { office, ours, theirs } = two;
    const { keyId } = await give(office, ours);
    const refused = await give(office, theirs).catch((error: unknown) => error);
    expect(refused).toMatchObject(TAKEN);
    expect(JSON.stringify(refused)).not.toContain(ours.workspaceId);
    expect(await openerOf(office)).toMatchObject({ workspaceId: ours.workspaceId, keyId, revoked: false });
    expect(await keysOf(office, theirs)).toEqual([]);
  });

  test('that another Workspace has revoked is refused, and opens nothing', async () => {
    await using two = await openTwo();
    const { office, ours, theirs } = two;
    const { keyId } = await give(office, ours);
    await office.caller.keys.revoke({ workspaceId: ours.workspaceId, keyId });
    // The taker has had many more turns: its rows carry a later timestamp.
    for (let turns = 0; turns < 10; turns++) await office.caller.workspaces.addCredits({ workspaceId: theirs.workspaceId, credits: 1 });
    await expect(give(office, theirs)).rejects.toMatchObject(TAKEN);
    expect(await openerOf(office)).toMatchObject({ workspaceId: ours.workspaceId, keyId, revoked: true });
  });

  test('that an earlier release wrote for another Workspace is refused, too', async () => {
    await using two = await openTwo();
    const { office, ours, theirs } = two;
    const key = { id: office.parts.ids.uuid7(START), memberId: ours.memberId, name: 'old', permissions: [], tokenHash: hash('sha256', VALUE, 'hex'), createdAt: START, revoked: false };
    const { value, ...row } = credentialRow(ours.workspaceId, { key, memberName: 'Ada', memberRemoved: false });
    await office.store.upsert(CREDENTIALS, [{ ...row, body: encodeBody(value), format: BODY_FORMAT, timestamp: 1 }]);
    await expect(give(office, theirs)).rejects.toMatchObject(TAKEN);
    expect(await openerOf(office)).toMatchObject({ workspaceId: ours.workspaceId, revoked: false });
  });

  test('that several Workspaces are given at once is one of theirs alone', async () => {
    await using two = await openTwo();
    const { office, ours, theirs } = two;
    const places = [ours, theirs, await openWorkspace(office.caller), await openWorkspace(office.caller)];
    const ended = await Promise.allSettled(places.map((place) => give(office, place)));
    const [taker, ...others] = places.filter((_, index) => ended[index]!.status === 'fulfilled');
    expect(others).toEqual([]);
    expect(await openerOf(office)).toMatchObject({ workspaceId: taker!.workspaceId, revoked: false });
    const having = await Promise.all(places.map(async (place) => (await keysOf(office, place)).length));
    expect(having.reduce((sum, keys) => sum + keys, 0)).toBe(1);
  });

  test('that was asked for a Workspace that is not there, or a Member, is free for the right one', async () => {
    await using two = await openTwo();
    const { office, ours } = two;
    await expect(give(office, { ...ours, workspaceId: office.parts.ids.uuid7(START) })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(give(office, { ...ours, memberId: office.parts.ids.uuid7(START) })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await give(office, ours);
    expect(await openerOf(office)).toMatchObject({ workspaceId: ours.workspaceId, revoked: false });
  });

  test('may be given again in its own Workspace: as a second key, of which revoking either ends the value', async () => {
    await using two = await openTwo();
    const { office, ours } = two;
    const first = await give(office, ours);
    await expect(give(office, ours, first.keyId)).rejects.toMatchObject({ code: 'BAD_REQUEST', message: 'There is a key with this id already.' });
    const second = await give(office, ours);
    expect(await openerOf(office)).toMatchObject({ keyId: second.keyId, revoked: false });
    await office.caller.keys.revoke({ workspaceId: ours.workspaceId, keyId: first.keyId });
    expect(await openerOf(office)).toMatchObject({ revoked: true });
  });
});
