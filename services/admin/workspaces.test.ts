import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import { findCredential } from '#tables/repositories/credentials.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import { openOffice, openWorkspace, START } from './admin-harness.fixture.ts';

const NOBODY = '01930000-0000-7000-8000-000000000001';

describe('Workspaces and Members', () => {
  test('a Workspace is made with its owner, and read back', async () => {
    await using office = await openOffice();
    const { workspaceId, memberId } = await office.caller.workspaces.create({ name: ' Agency ', ownerEmail: 'ada@example.test' });
    expect(await office.caller.workspaces.get({ workspaceId })).toMatchObject({
      workspaceId,
      name: 'Agency',
      plan: 'free',
      createdAt: '2026-11-20T12:00:00.000Z',
      xCredits: { available: 0, reserved: 0 },
      used: { channels: 0, postsPerMonth: 0, members: 1 },
      members: [{ memberId, name: 'ada@example.test', email: 'ada@example.test', emailVerified: true, removed: false }],
      channels: [],
    });
  });

  test('asking for a Workspace again by the same ids makes no second one', async () => {
    await using office = await openOffice();
    const ids = { workspaceId: NOBODY, memberId: NOBODY };
    const ask = () => office.caller.workspaces.create({ name: 'Agency', ownerEmail: 'ada@example.test', ...ids });
    expect(await ask()).toEqual(ids);
    expect(await ask()).toEqual(ids);
    await expect(office.caller.workspaces.create({ name: 'Other', ownerEmail: 'bob@example.test', ...ids })).rejects.toMatchObject({ code: 'BAD_REQUEST', message: 'There is a Workspace with this id already.' });
  });

  test('Plan, credits and Members change, each seen at once', async () => {
    await using office = await openOffice();
    const { workspaceId } = await openWorkspace(office.caller, 'free');
    await office.caller.workspaces.setPlan({ workspaceId, plan: 'agency' });
    await office.caller.workspaces.setPlan({ workspaceId, plan: 'pro', effectiveAt: '2026-12-01T01:00:00+01:00' });
    await office.caller.workspaces.addCredits({ workspaceId, credits: 50 });
    const { memberId } = await office.caller.members.add({ workspaceId, email: 'bob@example.test', name: 'Bob' });
    expect(await office.caller.workspaces.get({ workspaceId })).toMatchObject({
      plan: 'agency',
      comingPlan: { plan: 'pro', effectiveAt: '2026-12-01T00:00:00.000Z' },
      xCredits: { available: 50 },
      members: [{}, { memberId, emailVerified: false, removed: false }],
    });
    await office.caller.members.verifyEmail({ workspaceId, memberId });
    await office.caller.members.remove({ workspaceId, memberId });
    expect((await office.caller.workspaces.get({ workspaceId })).members[1]).toMatchObject({ emailVerified: true, removed: true });
  });

  test('a refusal names its code and changes nothing', async () => {
    await using office = await openOffice();
    const { workspaceId } = await openWorkspace(office.caller);
    await expect(office.caller.workspaces.addCredits({ workspaceId, credits: -1 })).rejects.toMatchObject({ code: 'BAD_REQUEST', cause: { refusal: { code: 'invalid_request' } } });
    await expect(office.caller.members.remove({ workspaceId, memberId: NOBODY })).rejects.toMatchObject({ code: 'NOT_FOUND', cause: { refusal: { code: 'not_found' } } });
    await expect(office.caller.workspaces.get({ workspaceId: NOBODY })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(office.caller.workspaces.setPlan({ workspaceId: NOBODY, plan: 'pro' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await office.caller.workspaces.get({ workspaceId })).xCredits.available).toBe(0);
  });

  test.each<[string, unknown, string]>([
    ['a missing field', { ownerEmail: 'a@b' }, 'name: must be a string.'],
    ['an unknown field', { name: 'A', ownerEmail: 'a@b', color: 1 }, 'color is not a known field.'],
    ['no address', { name: 'A', ownerEmail: 'nobody' }, 'ownerEmail: must be an e-mail address.'],
    ['an unknown Plan', { name: 'A', ownerEmail: 'a@b', plan: 'gold' }, 'plan: must be one of free, pro, agency.'],
    ['an empty name', { name: '  ', ownerEmail: 'a@b' }, 'name: must not be empty.'],
    ['a lone surrogate', { name: 'a\ud800', ownerEmail: 'a@b' }, 'name: must be well-formed text.'],
    ['no object', 7, 'The input: '],
  ])('input with %s is refused by name', async (_, input, message) => {
    await using office = await openOffice();
    await expect(office.caller.workspaces.create(input as never)).rejects.toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining(message) });
  });
});

describe('what is not known or not possible', () => {
  test('an outcome nobody knows is told as such', async () => {
    await using office = await openOffice(() => ({
      ask: async ({ requestId }) => ({ requestId, result: { ok: false, code: 'outcome_unknown', message: 'The outcome is not known yet.' } }),
    }));
    await expect(openWorkspace(office.caller)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', cause: { refusal: { code: 'outcome_unknown' } } });
  });

  test('a log that is away is told with the word that nothing was done', async () => {
    await using office = await openOffice(() => ({ ask: () => Promise.reject(new PortError('unavailable', 'no broker answers')) }));
    await expect(openWorkspace(office.caller)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', message: 'Nothing was done: no broker answers' });
  });

  test('of an unexpected error the caller learns that it happened, and nothing more', async () => {
    await using office = await openOffice(() => ({ ask: () => Promise.reject(new Error('secret of the house')) }));
    await expect(openWorkspace(office.caller)).rejects.toMatchObject({ code: 'INTERNAL_SERVER_ERROR', message: expect.not.stringContaining('secret') });
  });

  test('every order lives for a minute, and says where its answer goes and that an operator asks', async () => {
    const orders: unknown[] = [];
    await using office = await openOffice((parts) => ({ ask: (command) => (orders.push(command), parts.ask(command)) }));
    await openWorkspace(office.caller);
    expect(orders).toMatchObject([{ type: 'CreateWorkspace', issuedAt: START, notAfter: START + 60_000, replyTo: 'http://127.0.0.1:1', credential: null }]);
  });
});

describe('keys', () => {
  test('a key is shown once; only its digest is sent and kept', async () => {
    await using office = await openOffice();
    const { workspaceId, memberId } = await openWorkspace(office.caller);
    const { keyId, apiKey } = await office.caller.keys.create({ workspaceId, memberId, name: 'CI', permissions: ['posts:publish'] });
    expect(apiKey).toMatch(/^crier_[\w-]{43}$/);
    expect(await findCredential(office.store, hash('sha256', apiKey, 'hex'))).toMatchObject({ workspaceId, keyId, memberId, permissions: ['posts:schedule', 'posts:publish'], revoked: false });
    const sent = TOPICS.flatMap(({ name, partitions }) => Array.from({ length: partitions }, (_, partition) => office.log.control.records({ topic: name, partition })).flat());
    expect(sent.length).toBeGreaterThan(0);
    for (const { value } of sent) expect(Buffer.from(value).toString('latin1')).not.toContain(apiKey.slice(6));
    expect(JSON.stringify(await office.caller.workspaces.get({ workspaceId }))).not.toMatch(/tokenHash|crier_/);
  });

  test('a revoked key, and those of a removed Member, are marked where ingress looks', async () => {
    await using office = await openOffice();
    const { workspaceId, memberId } = await openWorkspace(office.caller);
    const first = await office.caller.keys.create({ workspaceId, memberId, name: 'one' });
    const second = await office.caller.keys.create({ workspaceId, memberId, name: 'two' });
    await office.caller.keys.revoke({ workspaceId, keyId: first.keyId });
    expect(await findCredential(office.store, hash('sha256', first.apiKey, 'hex'))).toMatchObject({ revoked: true });
    expect(await findCredential(office.store, hash('sha256', second.apiKey, 'hex'))).toMatchObject({ revoked: false });
    await office.caller.members.remove({ workspaceId, memberId });
    expect(await findCredential(office.store, hash('sha256', second.apiKey, 'hex'))).toMatchObject({ revoked: true });
  });
});
