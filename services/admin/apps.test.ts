import { describe, expect, test } from 'vitest';
import type { ApproveApp } from '#domain/workspace/commands.ts';
import { createOperatorCommands } from '#commands/operator-command.ts';
import { createCredentialUses, readLastUse } from '#tables/repositories/credential-uses.ts';
import { findApproval } from '#tables/repositories/approvals.ts';
import { openAdminHarness, openWorkspace, until, type AdminHarness } from './admin-harness.fixture.ts';

const UNKNOWN_ID = '01930000-0000-7000-8000-000000000001';

/** A Member's consent, as the authorization server sends it. */
async function approved(
  { options }: AdminHarness,
  workspaceId: string,
  fields: Pick<ApproveApp, 'memberId'> & Partial<ApproveApp>,
): Promise<string> {
  const approvalId = options.ids.uuid7(options.clock.now());
  const result = await createOperatorCommands({ ...options, door: 'app' })(workspaceId, {
    type: 'ApproveApp',
    approvalId,
    clientId: 'https://app.example.test/client',
    name: 'An app',
    registered: 'document',
    redirectHost: 'app.example.test',
    permissions: ['posts:publish'],
    forget: [],
    ...fields,
  });
  expect(result).toEqual({ ok: true, kind: 'done' });
  return approvalId;
}

describe('apps', () => {
  test('are listed with who approved them, what they may do and when they were last used', async () => {
    await using harness = await openAdminHarness();
    const { workspaceId, memberId } = await openWorkspace(harness.caller);
    const [first, second] = [
      await approved(harness, workspaceId, { memberId }),
      await approved(harness, workspaceId, { memberId, registered: 'itself', name: 'Another' }),
    ];
    const uses = createCredentialUses({ ...harness.options, failed: (_, error) => expect.fail(String(error)) });
    harness.clock.moveWall(90_000);
    uses.noteUse(second);
    await until(async () => (await readLastUse(harness.store, second)) !== null);
    expect(await harness.caller.apps.list({ workspaceId })).toEqual({
      apps: [
        {
          approvalId: first,
          clientId: 'https://app.example.test/client',
          name: 'An app',
          registered: 'document',
          redirectHost: 'app.example.test',
          memberId,
          by: 'Ada',
          permissions: ['posts:schedule', 'posts:publish'],
          createdAt: '2026-11-20T12:00:00.000Z',
          lastUsedAt: null,
        },
        expect.objectContaining({
          approvalId: second,
          name: 'Another',
          registered: 'itself',
          lastUsedAt: '2026-11-20T12:01:00.000Z',
        }),
      ],
    });
    expect(await harness.caller.workspaces.get({ workspaceId })).toMatchObject({ apps: 2 });
  });

  test('are listed no more once they are revoked, which may be repeated', async () => {
    await using harness = await openAdminHarness();
    const { workspaceId, memberId } = await openWorkspace(harness.caller);
    const approvalId = await approved(harness, workspaceId, { memberId });
    for (let time = 0; time < 2; time++)
      expect(await harness.caller.apps.revoke({ workspaceId, approvalId })).toEqual({ approvalId });
    expect(await harness.caller.apps.list({ workspaceId })).toEqual({ apps: [] });
    expect(await findApproval(harness.store, approvalId)).toMatchObject({ revoked: true });
    await expect(harness.caller.apps.revoke({ workspaceId, approvalId: UNKNOWN_ID })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await expect(harness.caller.apps.list({ workspaceId: UNKNOWN_ID })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('Members', () => {
  test('are added with a role, which changes, and takes their apps with it', async () => {
    await using harness = await openAdminHarness();
    const { workspaceId } = await openWorkspace(harness.caller);
    const member = { workspaceId, email: 'bob@example.test', name: 'Bob' };
    const { memberId } = await harness.caller.members.add({ ...member, role: 'owner' });
    const rolesNow = async () => (await harness.caller.workspaces.get({ workspaceId })).members.map(({ role }) => role);
    expect(await rolesNow()).toEqual(['owner', 'owner']);
    await harness.caller.members.verifyEmail({ workspaceId, memberId });
    await approved(harness, workspaceId, { memberId });
    await harness.caller.members.changeRole({ workspaceId, memberId, role: 'viewer' });
    expect(await rolesNow()).toEqual(['owner', 'viewer']);
    expect(await harness.caller.apps.list({ workspaceId })).toEqual({ apps: [] });
  });

  test('the last owner stays owner', async () => {
    await using harness = await openAdminHarness();
    const { workspaceId, memberId } = await openWorkspace(harness.caller);
    await expect(harness.caller.members.changeRole({ workspaceId, memberId, role: 'viewer' })).rejects.toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringContaining('Ada is the last owner'),
    });
  });

  test('are invited for seven days, and the invitation is seen', async () => {
    await using harness = await openAdminHarness();
    const { workspaceId } = await openWorkspace(harness.caller);
    const { invitationId } = await harness.caller.members.invite({ workspaceId, email: 'bob@example.test' });
    expect((await harness.caller.workspaces.get({ workspaceId })).invitations).toEqual([
      {
        invitationId,
        email: 'bob@example.test',
        name: null,
        role: 'editor',
        invitedBy: null,
        createdAt: '2026-11-20T12:00:00.000Z',
        expiresAt: '2026-11-27T12:00:00.000Z',
      },
    ]);
    await expect(
      harness.caller.members.invite({ workspaceId, email: 'ADA@example.test', role: 'viewer' }),
    ).rejects.toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('is a Member') });
  });
});
