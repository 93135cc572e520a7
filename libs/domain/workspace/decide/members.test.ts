import { describe, expect, it } from 'vitest';
import { aWorkspace, RULES, type Scenario } from '#testing/scenario.ts';
import { decide } from '../decide.ts';
import type { Permission } from '../state.ts';

function adding(
  workspace: Scenario,
  email: string,
): { type: 'AddMember'; memberId: string; name: string; email: string } {
  return { type: 'AddMember', memberId: workspace.uuid(), name: email, email };
}

const owner = (workspace: Scenario) => Object.keys(workspace.workspace.members)[0]!;

describe('Members', () => {
  it('start without a verified e-mail, and one beyond the Plan is refused', () => {
    const workspace = aWorkspace({ plan: 'free' });
    const bob = adding(workspace, 'bob@example.test');
    workspace.must(bob);
    expect(workspace.workspace.members[bob.memberId]).toMatchObject({ emailVerified: false, removed: false });
    const third = adding(workspace, 'eve@example.test');
    expect(workspace.tell(third).result).toMatchObject({
      ok: false,
      code: 'plan_limit',
      upgrade: { plan: 'pro', limit: 'members', label: 'Pro: 10 Members' },
    });
    workspace.must({ type: 'RemoveMember', memberId: bob.memberId });
    workspace.must(third);
  });

  it('on a Plan without a limit are any number', () => {
    const workspace = aWorkspace({ plan: 'agency' });
    for (let count = 0; count < 30; count++) workspace.must(adding(workspace, `${count}@example.test`));
    expect(Object.keys(workspace.workspace.members)).toHaveLength(31);
  });

  it('are one for each e-mail', () => {
    const workspace = aWorkspace();
    expect(workspace.tell(adding(workspace, 'ADA@example.test')).result).toMatchObject({
      ok: false,
      code: 'invalid_request',
    });
  });

  it('who are removed with more keys than a step ends change nothing with those whose turn is yet to come', () => {
    const workspace = aWorkspace();
    const memberId = workspace.member();
    const keyIds = Array.from({ length: 101 }, () => workspace.uuid());
    for (const keyId of keyIds)
      workspace.must({ type: 'CreateKey', keyId, memberId, name: 'a key', permissions: [], tokenHash: keyId });
    const view = { posts: new Map(), assets: new Map(), digests: new Map(), idempotencyKeys: new Map() };
    const first = decide(workspace.ask({ type: 'RemoveMember', memberId }), {
      ...{ state: workspace.state, now: workspace.now, rules: RULES, holds: [], restoration: null },
      view: { ...view, tokenOwners: new Map(), dueWeek: null },
    });
    expect(first.rest).not.toBeNull();
    workspace.state = first.state;
    const standing = keyIds.filter((keyId) => !workspace.workspace.keys[keyId]!.revoked);
    expect(standing).toHaveLength(1);
    const asked = { type: 'CancelPost', postId: workspace.uuid() } as const;
    expect(workspace.tell({ ...asked, credential: { kind: 'key', keyId: standing[0]! } }).result).toMatchObject({
      ok: false,
      code: 'unauthorized',
    });
  });

  it('take their keys with them when they are removed, and no others', () => {
    const workspace = aWorkspace();
    const bob = adding(workspace, 'bob@example.test');
    workspace.must(bob);
    const kept = workspace.key();
    const keyId = workspace.uuid();
    workspace.must({
      type: 'CreateKey',
      keyId,
      memberId: bob.memberId,
      name: "Bob's",
      permissions: [],
      tokenHash: 'h',
    });
    const { effects } = workspace.tell({ type: 'RemoveMember', memberId: bob.memberId });
    expect(effects).toEqual([
      { kind: 'memberships', memberIds: [bob.memberId] },
      { kind: 'credential', key: workspace.workspace.keys[keyId], memberName: bob.name, memberRemoved: true },
    ]);
    expect(workspace.workspace.keys).toMatchObject({ [keyId]: { revoked: true }, [kept]: { revoked: false } });
    expect(workspace.tell({ type: 'RemoveMember', memberId: bob.memberId }).effects).toEqual([]);
    expect(workspace.tell({ type: 'VerifyEmail', memberId: bob.memberId }).result).toMatchObject({
      ok: false,
      code: 'not_found',
    });
  });
});

describe('roles', () => {
  it('are owner for who makes the Workspace, and editor for who is added without one', () => {
    const workspace = aWorkspace();
    const [bob, eve] = [adding(workspace, 'bob@example.test'), adding(workspace, 'eve@example.test')];
    workspace.must(bob);
    workspace.must({ ...eve, role: 'viewer' });
    expect(Object.values(workspace.workspace.members).map(({ role }) => role)).toEqual(['owner', 'editor', 'viewer']);
  });

  it('leave a Workspace its last owner', () => {
    const workspace = aWorkspace();
    const ada = owner(workspace);
    const memberId = workspace.member('owner');
    workspace.must({ type: 'ChangeMemberRole', memberId: ada, role: 'editor' });
    expect(workspace.tell({ type: 'ChangeMemberRole', memberId, role: 'viewer' }).result).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('last owner'),
    });
    workspace.must({ type: 'ChangeMemberRole', memberId, role: 'owner' });
    workspace.must({ type: 'ChangeMemberRole', memberId: ada, role: 'owner' });
    workspace.must({ type: 'RemoveMember', memberId: ada });
    expect(workspace.tell({ type: 'ChangeMemberRole', memberId, role: 'editor' }).result).toMatchObject({ ok: false });
    expect(workspace.tell({ type: 'ChangeMemberRole', memberId: ada, role: 'owner' }).result).toMatchObject({
      code: 'not_found',
    });
  });

  it('of a viewer make keys change nothing, and make none', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const ada = owner(workspace);
    const credential = { kind: 'key', keyId: workspace.key() } as const;
    workspace.member('owner');
    workspace.must({ type: 'ChangeMemberRole', memberId: ada, role: 'viewer' });
    const making = { type: 'CreateKey', keyId: workspace.uuid(), memberId: ada, name: '', permissions: [] } as const;
    for (const asking of [
      { ...workspace.creating(), credential },
      { ...making, tokenHash: 'h' },
    ])
      expect(workspace.tell(asking).result).toMatchObject({ ok: false, code: 'forbidden' });
    workspace.must({ type: 'ChangeMemberRole', memberId: ada, role: 'editor' });
    workspace.must({ ...workspace.creating(), credential });
  });
});

describe('keys', () => {
  it.each<[readonly Permission[], readonly Permission[]]>([
    [[], ['posts:schedule']],
    [
      ['webhooks:manage', 'posts:publish', 'posts:publish'],
      ['posts:schedule', 'posts:publish', 'webhooks:manage'],
    ],
  ])('made with %j have %j', (asked, permissions) => {
    const workspace = aWorkspace();
    const keyId = workspace.key(asked);
    expect(workspace.workspace.keys[keyId]).toMatchObject({ permissions, revoked: false });
  });

  it('are made for Members only, and are revoked once', () => {
    const workspace = aWorkspace();
    const making = {
      type: 'CreateKey',
      keyId: workspace.uuid(),
      memberId: workspace.uuid(),
      name: '',
      permissions: [],
      tokenHash: 'h',
    } as const;
    expect(workspace.tell(making).result).toMatchObject({ ok: false, code: 'not_found' });
    const keyId = workspace.key();
    expect(workspace.tell({ type: 'RevokeKey', keyId }).effects).toMatchObject([
      { kind: 'credential', key: { id: keyId, revoked: true }, memberRemoved: false },
    ]);
    expect(workspace.tell({ type: 'RevokeKey', keyId }).effects).toEqual([]);
    expect(workspace.tell({ type: 'RevokeKey', keyId: workspace.uuid() }).result).toMatchObject({
      ok: false,
      code: 'not_found',
    });
  });

  it('cannot make keys, Members or Plans', () => {
    const workspace = aWorkspace();
    const credential = { kind: 'key', keyId: workspace.key() } as const;
    for (const asking of [
      adding(workspace, 'bob@example.test'),
      { type: 'RemoveMember', memberId: owner(workspace) } as const,
      { type: 'SetPlan', plan: 'agency', effectiveAt: null } as const,
      { type: 'AddCredits', credits: 1 } as const,
      { type: 'RevokeKey', keyId: credential.keyId } as const,
    ]) {
      expect(workspace.tell({ ...asking, credential }).result).toMatchObject({ ok: false, code: 'forbidden' });
    }
  });
});

describe('a Workspace', () => {
  it('asked for again as it was is there already; asked for otherwise is refused', () => {
    const workspace = aWorkspace();
    const { members, name, plan } = workspace.workspace;
    const { id: memberId, ...member } = Object.values(members)[0]!;
    const again = { type: 'CreateWorkspace', name, plan, owner: { memberId, ...member } } as const;
    const state = workspace.state;
    expect(workspace.must(again)).toEqual({ ok: true, kind: 'done' });
    expect(workspace.tell({ ...again, name: 'Another' }).result).toMatchObject({ ok: false, code: 'invalid_request' });
    expect(workspace.state).toBe(state);
  });

  it('that does not exist refuses what is asked and ignores what is reported', () => {
    const workspace = aWorkspace();
    workspace.state = null;
    expect(workspace.tell({ type: 'AddCredits', credits: 1 }).result).toMatchObject({ ok: false, code: 'not_found' });
    expect(workspace.tell({ type: 'PlanDue', workspaceId: workspace.id })).toEqual({
      result: null,
      effects: [],
      posts: [],
    });
  });
});
