import { expect, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import { openAdminHarness } from './admin-harness.fixture.ts';
import type { AdminOptions, InvitationToMail } from './dependencies.ts';

const harnessWith = (mailInvitation: AdminOptions['mailInvitation']) => openAdminHarness(() => ({ mailInvitation }));
const ASKED = { email: 'Bob@Example.test', name: 'Bob', role: 'viewer' } as const;

test('an invitation is mailed with what its words need, to the address as accounts have it', async () => {
  const mailed: InvitationToMail[] = [];
  await using harness = await harnessWith(async (invitation) => void mailed.push(invitation));
  const { workspaceId } = await harness.caller.workspaces.create({ name: 'Tea', ownerEmail: 'ada@example.test' });
  const { invitationId } = await harness.caller.members.invite({ workspaceId, ...ASKED });
  const about = { workspaceId, workspaceName: 'Tea', invitationId, name: 'Bob', role: 'viewer', invitedBy: null };
  expect(mailed).toEqual([{ ...about, email: 'bob@example.test', expiresAt: expect.any(Number) }]);
});

test('where no mail can be sent nobody is invited, and the answer says what to set', async () => {
  await using harness = await harnessWith(null);
  const { workspaceId } = await harness.caller.workspaces.create({ name: 'Tea', ownerEmail: 'ada@example.test' });
  await expect(harness.caller.members.invite({ workspaceId, ...ASKED })).rejects.toMatchObject({
    code: 'PRECONDITION_FAILED',
    message: expect.stringContaining('CRIER_SMTP_URL'),
  });
  expect((await harness.caller.workspaces.get({ workspaceId })).invitations).toEqual([]);
});

test.each([
  ['unavailable', 'did not go out'],
  ['unknown', 'may not have gone out'],
] as const)('a mail that is %s is reported as what it is: the invitation stands', async (kind, words) => {
  await using harness = await harnessWith(() => Promise.reject(new PortError(kind, 'the mail server is away')));
  const { workspaceId } = await harness.caller.workspaces.create({ name: 'Tea', ownerEmail: 'ada@example.test' });
  await expect(harness.caller.members.invite({ workspaceId, ...ASKED })).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringMatching(new RegExp(`stands.*${words}.*Invite again`)),
  });
  expect((await harness.caller.workspaces.get({ workspaceId })).invitations).toHaveLength(1);
});
