import { describe, expect, it } from 'vitest';
import { aWorkspace, DAY, type Asking, type Scenario } from '#testing/scenario.ts';

type Inviting = Extract<Asking, { type: 'InviteMember' }>;

function inviting(workspace: Scenario, fields: Partial<Inviting> = {}): Inviting {
  return {
    type: 'InviteMember',
    invitationId: workspace.uuid(),
    email: 'bob@example.test',
    name: null,
    role: 'viewer',
    invitedBy: null,
    expiresAt: workspace.now + 7 * DAY,
    ...fields,
  };
}

function invited(workspace: Scenario, fields: Partial<Inviting> = {}): string {
  const asking = inviting(workspace, fields);
  workspace.must(asking);
  return asking.invitationId;
}

const accepting = (workspace: Scenario, invitationId: string, email = 'bob@example.test') =>
  ({ type: 'AcceptInvitation', invitationId, memberId: workspace.uuid(), email, name: 'Bob' }) as const;

const invitations = (workspace: Scenario) => Object.values(workspace.workspace.invitations);

describe('an invitation', () => {
  it('makes no Member, and the one who accepts it is a Member with a verified e-mail and its role', () => {
    const workspace = aWorkspace();
    const invitationId = invited(workspace, { role: 'editor' });
    expect(Object.keys(workspace.workspace.members)).toHaveLength(1);
    const asking = accepting(workspace, invitationId, ' BOB@example.test');
    const { result, effects } = workspace.tell(asking);
    expect(result).toEqual({ ok: true, kind: 'done' });
    expect(workspace.workspace.members[asking.memberId]).toEqual({
      id: asking.memberId,
      name: 'Bob',
      email: 'bob@example.test',
      emailVerified: true,
      removed: false,
      role: 'editor',
    });
    expect(effects).toEqual([{ kind: 'memberships', memberIds: [asking.memberId] }]);
    expect(invitations(workspace)).toEqual([]);
  });

  it('names the Member where it has a name', () => {
    const workspace = aWorkspace();
    const asking = accepting(workspace, invited(workspace, { name: 'Robert' }));
    workspace.must(asking);
    expect(workspace.workspace.members[asking.memberId]).toMatchObject({ name: 'Robert', role: 'viewer' });
  });

  it('accepted again as the same Member is done, and as another one, or after the Member left, refused', () => {
    const workspace = aWorkspace();
    const asking = accepting(workspace, invited(workspace));
    workspace.must(asking);
    const before = workspace.state;
    expect(workspace.must(asking)).toEqual({ ok: true, kind: 'done' });
    expect(workspace.state).toBe(before);
    expect(workspace.tell({ ...asking, memberId: workspace.uuid() }).result).toMatchObject({ code: 'not_found' });
    workspace.must({ type: 'RemoveMember', memberId: asking.memberId });
    expect(workspace.tell(asking).result).toMatchObject({ code: 'not_found' });
  });

  it.each<[string, (workspace: Scenario, memberId: string) => void]>([
    ['was removed', (workspace, memberId) => void workspace.must({ type: 'RemoveMember', memberId })],
    [
      'is no owner any more',
      (workspace, memberId) => void workspace.must({ type: 'ChangeMemberRole', memberId, role: 'editor' }),
    ],
  ])('of an owner who %s brings nobody in, and those of others stay open', (_why, happen) => {
    const workspace = aWorkspace({ plan: 'agency' });
    const memberId = workspace.member('owner', 'Olga');
    const others = invited(workspace, { email: 'eve@example.test' });
    const invitationId = invited(workspace, { role: 'owner', invitedBy: memberId });
    happen(workspace, memberId);
    expect(workspace.tell(accepting(workspace, invitationId)).result).toMatchObject({ ok: false, code: 'not_found' });
    expect(invitations(workspace).map(({ id }) => id)).toEqual([others]);
  });

  it.each<[string, string, (workspace: Scenario, invitationId: string) => void, string?]>([
    ['expired', 'not_found', (workspace) => void (workspace.now += 7 * DAY)],
    [
      'was revoked',
      'not_found',
      (workspace, invitationId) => void workspace.must({ type: 'RevokeInvitation', invitationId }),
    ],
    ['was replaced', 'not_found', (workspace) => void invited(workspace, { email: 'Bob@Example.test' })],
    [
      'is not needed, since its address was added',
      'not_found',
      (workspace) =>
        void workspace.must({ type: 'AddMember', memberId: workspace.uuid(), name: '', email: 'BOB@example.test' }),
    ],
    ['is for another address', 'forbidden', () => {}, 'eve@example.test'],
  ])('that %s is refused, in words', (_why, code, happen, email) => {
    const workspace = aWorkspace();
    const invitationId = invited(workspace);
    happen(workspace, invitationId);
    const before = workspace.state;
    const { result } = workspace.tell(accepting(workspace, invitationId, email));
    expect(result).toMatchObject({ ok: false, code, message: expect.stringContaining('invitation') });
    expect(workspace.state).toBe(before);
  });

  it('of an address replaces the one before, so that one link opens', () => {
    const workspace = aWorkspace();
    invited(workspace);
    const later = invited(workspace, { email: 'BOB@example.test' });
    expect(invitations(workspace).map(({ id }) => id)).toEqual([later]);
  });

  it('without a name keeps the one that the open invitation of its address has', () => {
    const workspace = aWorkspace();
    invited(workspace, { name: 'Robert' });
    const again = invited(workspace, { email: 'BOB@example.test', role: 'editor' });
    const asking = accepting(workspace, again);
    workspace.must(asking);
    expect(workspace.workspace.members[asking.memberId]).toMatchObject({ name: 'Robert', role: 'editor' });
  });

  it('with a name, or after the named one was revoked or expired, has no name of before', () => {
    const workspace = aWorkspace();
    invited(workspace, { name: 'Robert' });
    invited(workspace, { name: 'Bobby' });
    expect(invitations(workspace)).toMatchObject([{ name: 'Bobby' }]);
    workspace.must({ type: 'RevokeInvitation', invitationId: invitations(workspace)[0]!.id });
    invited(workspace);
    expect(invitations(workspace)).toMatchObject([{ name: null }]);
    invited(workspace, { name: 'Robert' });
    workspace.now += 7 * DAY;
    invited(workspace);
    expect(invitations(workspace)).toMatchObject([{ name: null }]);
  });

  it('asked for again under its id is done, and for another address refused', () => {
    const workspace = aWorkspace();
    const asking = inviting(workspace);
    workspace.must(asking);
    const before = workspace.state;
    workspace.must(asking);
    expect(workspace.state).toBe(before);
    expect(workspace.tell({ ...asking, email: 'eve@example.test' }).result).toMatchObject({ code: 'invalid_request' });
  });

  it('of a Member is refused', () => {
    const workspace = aWorkspace();
    expect(workspace.tell(inviting(workspace, { email: 'ADA@example.test' })).result).toMatchObject({
      code: 'invalid_request',
    });
  });

  it("takes a Member's place of the Plan only when it is accepted", () => {
    const workspace = aWorkspace({ plan: 'free' });
    const [first, second] = [invited(workspace), invited(workspace, { email: 'eve@example.test' })];
    workspace.must(accepting(workspace, first));
    const asking = accepting(workspace, second, 'eve@example.test');
    expect(workspace.tell(asking).result).toMatchObject({ code: 'plan_limit', upgrade: { plan: 'pro' } });
    workspace.must({ type: 'SetPlan', plan: 'pro', effectiveAt: null });
    workspace.must(asking);
  });

  it('beyond 200 open ones is refused, and expired ones are not counted', () => {
    const workspace = aWorkspace();
    for (let count = 0; count < 200; count++) invited(workspace, { email: `${count}@example.test` });
    expect(workspace.tell(inviting(workspace)).result).toMatchObject({ code: 'limit_reached' });
    workspace.now += 7 * DAY;
    invited(workspace);
    expect(invitations(workspace)).toHaveLength(1);
  });
});
