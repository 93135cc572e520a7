import { hash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createOperatorCommands } from '#commands/operator-command.ts';
import { CANARY } from '#domain/canary.ts';
import { PortError } from '#ports/errors.ts';
import { findCredential } from '#tables/repositories/credentials.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import { openAdminHarness, openWorkspace, START } from './admin-harness.fixture.ts';

const UNKNOWN_ID = '01930000-0000-7000-8000-000000000001';

describe('Workspaces and Members', () => {
  test('a Workspace is made with its owner, and read back', async () => {
    await using harness = await openAdminHarness();
    const { workspaceId, memberId } = await harness.caller.workspaces.create({
      name: ' Agency ',
      ownerEmail: 'ada@example.test',
    });
    expect(await harness.caller.workspaces.get({ workspaceId })).toMatchObject({
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

  test('creating a Workspace again with the same ids makes no second one', async () => {
    await using harness = await openAdminHarness();
    const ids = { workspaceId: UNKNOWN_ID, memberId: UNKNOWN_ID };
    const ask = () => harness.caller.workspaces.create({ name: 'Agency', ownerEmail: 'ada@example.test', ...ids });
    expect(await ask()).toEqual(ids);
    expect(await ask()).toEqual(ids);
    await expect(
      harness.caller.workspaces.create({ name: 'Other', ownerEmail: 'bob@example.test', ...ids }),
    ).rejects.toMatchObject({ code: 'BAD_REQUEST', message: 'There is a Workspace with this id already.' });
  });

  test('the Workspace of the canary is in no list, and nobody can make one by its id', async () => {
    await using harness = await openAdminHarness();
    const { workspaceId, memberId } = CANARY;
    const owner = { memberId, name: 'Canary', email: 'canary@crier.invalid', emailVerified: true };
    const send = createOperatorCommands({ ...harness.options, door: 'app' });
    const made = await send(workspaceId, { type: 'CreateWorkspace', name: 'Canary', plan: 'agency', owner });
    expect(made).toMatchObject({ ok: true });
    expect(await harness.caller.workspaces.list()).toEqual({ items: [], nextCursor: null });
    expect(await harness.caller.workspaces.get({ workspaceId })).toMatchObject({ name: 'Canary' });
    await expect(
      harness.caller.workspaces.create({ workspaceId, name: 'Agency', ownerEmail: 'ada@example.test' }),
    ).rejects.toThrow('is that of the canary');
  });

  test('Plan, credits and Members change, each seen at once', async () => {
    await using harness = await openAdminHarness();
    const { workspaceId } = await openWorkspace(harness.caller, 'free');
    await harness.caller.workspaces.setPlan({ workspaceId, plan: 'agency' });
    await harness.caller.workspaces.setPlan({ workspaceId, plan: 'pro', effectiveAt: '2026-12-01T01:00:00+01:00' });
    await harness.caller.workspaces.addCredits({ workspaceId, credits: 50 });
    const { memberId } = await harness.caller.members.add({ workspaceId, email: 'bob@example.test', name: 'Bob' });
    expect(await harness.caller.workspaces.get({ workspaceId })).toMatchObject({
      plan: 'agency',
      comingPlan: { plan: 'pro', effectiveAt: '2026-12-01T00:00:00.000Z' },
      xCredits: { available: 50 },
      members: [{}, { memberId, emailVerified: false, removed: false }],
    });
    await harness.caller.members.verifyEmail({ workspaceId, memberId });
    await harness.caller.members.remove({ workspaceId, memberId });
    expect((await harness.caller.workspaces.get({ workspaceId })).members[1]).toMatchObject({
      emailVerified: true,
      removed: true,
    });
  });

  test('a refusal names its code and changes nothing', async () => {
    await using harness = await openAdminHarness();
    const { workspaceId } = await openWorkspace(harness.caller);
    await expect(harness.caller.workspaces.addCredits({ workspaceId, credits: -1 })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      cause: { refusal: { code: 'invalid_request' } },
    });
    await expect(harness.caller.members.remove({ workspaceId, memberId: UNKNOWN_ID })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      cause: { refusal: { code: 'not_found' } },
    });
    await expect(harness.caller.workspaces.get({ workspaceId: UNKNOWN_ID })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(harness.caller.workspaces.setPlan({ workspaceId: UNKNOWN_ID, plan: 'pro' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect((await harness.caller.workspaces.get({ workspaceId })).xCredits.available).toBe(0);
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
    await using harness = await openAdminHarness();
    await expect(harness.caller.workspaces.create(input as never)).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining(message),
    });
  });
});

describe('what is not known or not possible', () => {
  test('an unknown outcome is reported as unknown', async () => {
    await using harness = await openAdminHarness(() => ({
      request: async ({ requestId }) => ({
        requestId,
        result: { ok: false, code: 'outcome_unknown', message: 'The outcome is not known yet.' },
      }),
    }));
    await expect(openWorkspace(harness.caller)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      cause: { refusal: { code: 'outcome_unknown' } },
    });
  });

  test('when the log is away the error says that nothing was done', async () => {
    await using harness = await openAdminHarness(() => ({
      request: () => Promise.reject(new PortError('unavailable', 'no broker answers')),
    }));
    await expect(openWorkspace(harness.caller)).rejects.toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: 'Nothing was done: no broker answers',
    });
  });

  test('of an unexpected error the caller learns only that it happened', async () => {
    await using harness = await openAdminHarness(() => ({
      request: () => Promise.reject(new Error('secret of the house')),
    }));
    await expect(openWorkspace(harness.caller)).rejects.toMatchObject({
      code: 'INTERNAL_SERVER_ERROR',
      message: expect.not.stringContaining('secret'),
    });
  });

  test('every command of an operator lives for a minute, and carries its reply address and no credential', async () => {
    const sent: unknown[] = [];
    await using harness = await openAdminHarness((options) => ({
      request: (command) => (sent.push(command), options.request(command)),
    }));
    await openWorkspace(harness.caller);
    expect(sent).toMatchObject([
      {
        type: 'CreateWorkspace',
        issuedAt: START,
        notAfter: START + 60_000,
        replyTo: 'http://127.0.0.1:1',
        credential: null,
      },
    ]);
  });
});

describe('keys', () => {
  test('a key is shown once; only its digest is sent and kept', async () => {
    await using harness = await openAdminHarness();
    const { workspaceId, memberId } = await openWorkspace(harness.caller);
    const { keyId, apiKey } = await harness.caller.keys.create({
      workspaceId,
      memberId,
      name: 'CI',
      permissions: ['posts:publish'],
    });
    expect(apiKey).toMatch(/^crier_k_[\w-]{49}$/);
    expect(await findCredential(harness.store, hash('sha256', apiKey, 'hex'))).toMatchObject({
      workspaceId,
      keyId,
      memberId,
      permissions: ['posts:schedule', 'posts:publish'],
      revoked: false,
    });
    const sent = TOPICS.flatMap(({ name, partitions }) =>
      Array.from({ length: partitions }, (_, partition) =>
        harness.log.control.records({ topic: name, partition }),
      ).flat(),
    );
    expect(sent.length).toBeGreaterThan(0);
    for (const { value } of sent) expect(Buffer.from(value).toString('latin1')).not.toContain(apiKey.slice(6));
    expect(JSON.stringify(await harness.caller.workspaces.get({ workspaceId }))).not.toMatch(/tokenHash|crier_/);
  });

  test('a revoked key, and the keys of a removed Member, are marked in the table that ingress reads', async () => {
    await using harness = await openAdminHarness();
    const { workspaceId, memberId } = await openWorkspace(harness.caller);
    const first = await harness.caller.keys.create({ workspaceId, memberId, name: 'one' });
    const second = await harness.caller.keys.create({ workspaceId, memberId, name: 'two' });
    await harness.caller.keys.revoke({ workspaceId, keyId: first.keyId });
    expect(await findCredential(harness.store, hash('sha256', first.apiKey, 'hex'))).toMatchObject({ revoked: true });
    expect(await findCredential(harness.store, hash('sha256', second.apiKey, 'hex'))).toMatchObject({ revoked: false });
    await harness.caller.members.remove({ workspaceId, memberId });
    expect(await findCredential(harness.store, hash('sha256', second.apiKey, 'hex'))).toMatchObject({ revoked: true });
  });
});
