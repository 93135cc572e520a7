import { describe, expect, it } from 'vitest';
import { aWorkspace, type Asking, type Scenario } from '#testing/scenario.ts';
import { variantIdOf } from '../../post/ids.ts';
import { PERMISSIONS, type Permission } from '../state.ts';

const app = (approvalId: string) => ({ credential: { kind: 'app', approvalId } }) as const;
const approvals = (workspace: Scenario) => workspace.workspace.approvals;

/** Registers an endpoint with the app's token and returns its id. */
function endpointOf(workspace: Scenario, approvalId: string): string {
  const endpointId = workspace.uuid();
  workspace.must({
    type: 'RegisterEndpoint',
    endpointId,
    url: 'https://hooks.example.test/in',
    events: ['variant.failed'],
    sealedSecret: 'sealed',
    ...app(approvalId),
  });
  return endpointId;
}

describe('approving an app', () => {
  it('is a record of the client, the Member and what it may do, whose row is written by the same turn', () => {
    const workspace = aWorkspace();
    const asking = workspace.approving({ permissions: ['posts:publish'], registered: 'document' });
    const { result, effects } = workspace.tell(asking);
    expect(result).toEqual({ ok: true, kind: 'done' });
    const { type: _, approvalId: id, forget: __, ...record } = asking;
    const approval = {
      ...record,
      id,
      permissions: ['posts:schedule', 'posts:publish'],
      createdAt: workspace.now,
      revoked: false,
    };
    expect(approvals(workspace)).toEqual({ [id]: approval });
    expect(effects).toEqual([{ kind: 'approval', approval, member: workspace.workspace.members[asking.memberId] }]);
  });

  it('again, under the same id, is done and changes nothing, unless it ended meanwhile', () => {
    const workspace = aWorkspace();
    const asking = workspace.approving();
    workspace.must(asking);
    const before = workspace.state;
    expect(workspace.must(asking)).toEqual({ ok: true, kind: 'done' });
    expect(workspace.state).toBe(before);
    workspace.must({ type: 'RevokeApproval', approvalId: asking.approvalId });
    expect(workspace.tell(asking).result).toMatchObject({ ok: false, code: 'invalid_request' });
    expect(approvals(workspace)[asking.approvalId]).toMatchObject({ revoked: true });
  });

  it("under an id that is another client's, or another Member's, is refused", () => {
    const workspace = aWorkspace();
    const approvalId = workspace.approval();
    for (const other of [{ clientId: 'another' }, { memberId: workspace.member() }]) {
      expect(workspace.tell(workspace.approving({ approvalId, ...other })).result).toMatchObject({
        ok: false,
        code: 'invalid_request',
      });
    }
  });

  it.each<[string, string, (workspace: Scenario) => string]>([
    ['somebody unknown', 'not_found', (workspace) => workspace.uuid()],
    [
      'a Member who left',
      'not_found',
      (workspace) => {
        const memberId = workspace.member();
        workspace.must({ type: 'RemoveMember', memberId });
        return memberId;
      },
    ],
    ['a viewer', 'forbidden', (workspace) => workspace.member('viewer')],
    [
      'a Member whose e-mail is not verified',
      'email_not_verified',
      (workspace) => {
        const memberId = workspace.uuid();
        workspace.must({ type: 'AddMember', memberId, name: 'Eve', email: 'eve@example.test' });
        return memberId;
      },
    ],
  ])('by %s is refused: %s', (_who, code, memberOf) => {
    const workspace = aWorkspace();
    const memberId = memberOf(workspace);
    const before = workspace.state;
    expect(workspace.tell(workspace.approving({ memberId })).result).toMatchObject({ ok: false, code });
    expect(workspace.state).toBe(before);
  });

  it.each(['owner', 'editor'] as const)('by an %s is done', (role) => {
    const workspace = aWorkspace();
    workspace.approval({ memberId: workspace.member(role) });
  });

  it('is refused beyond a thousand live ones, until some are revoked or forgotten', () => {
    const workspace = aWorkspace();
    const ids = Array.from({ length: 1_000 }, () => workspace.approval());
    expect(workspace.tell(workspace.approving()).result).toMatchObject({
      ok: false,
      code: 'limit_reached',
      message: expect.stringContaining('Revoke'),
    });
    workspace.must({ type: 'RevokeApproval', approvalId: ids[0]! });
    workspace.approval();
    expect(workspace.tell(workspace.approving({ forget: [workspace.uuid()] })).result).toMatchObject({ ok: false });
    workspace.approval({ forget: [ids[0]!, ids[1]!] });
    expect(Object.keys(approvals(workspace))).toHaveLength(1_000);
    expect(approvals(workspace)).not.toHaveProperty(ids[0]!);
  });
});

describe('forgetting approvals', () => {
  it('ends those that were live, and leaves the others', () => {
    const workspace = aWorkspace();
    const [live, revoked, other] = [workspace.approval(), workspace.approval(), workspace.approval()];
    workspace.must({ type: 'RevokeApproval', approvalId: revoked });
    const asking = workspace.approving({ forget: [live, revoked] });
    const { effects } = workspace.tell(asking);
    expect(Object.keys(approvals(workspace))).toEqual([other, asking.approvalId]);
    expect(effects).toMatchObject([
      { kind: 'approval', approval: { id: live, revoked: true } },
      { kind: 'approval', approval: { id: asking.approvalId, revoked: false } },
    ]);
    expect(workspace.tell({ ...workspace.creating(), ...app(live) }).result).toMatchObject({ code: 'unauthorized' });
  });

  it('keeps one whose endpoint still takes events', () => {
    const workspace = aWorkspace();
    const approvalId = workspace.approval();
    const endpointId = endpointOf(workspace, approvalId);
    workspace.approval({ forget: [approvalId] });
    expect(approvals(workspace)[approvalId]).toMatchObject({ revoked: false });
    expect(workspace.workspace.endpoints[endpointId]).toMatchObject({ stoppedAt: null });
  });

  it('never touches the approval that is being made', () => {
    const workspace = aWorkspace();
    const asking = workspace.approving();
    workspace.must({ ...asking, forget: [asking.approvalId] });
    workspace.must({ ...asking, forget: [asking.approvalId] });
    expect(approvals(workspace)[asking.approvalId]).toMatchObject({ revoked: false });
  });
});

const ENDINGS: Readonly<Record<string, (workspace: Scenario, memberId: string, approvalId: string) => Asking>> = {
  'it is revoked': (_, __, approvalId) => ({ type: 'RevokeApproval', approvalId }),
  'its Member leaves': (_, memberId) => ({ type: 'RemoveMember', memberId }),
  'its Member becomes a viewer': (_, memberId) => ({ type: 'ChangeMemberRole', memberId, role: 'viewer' }),
};

describe.each(Object.entries(ENDINGS))('an approval ends when %s', (_, ending) => {
  function ended() {
    const workspace = aWorkspace({ plan: 'agency' });
    const [memberId, other] = [workspace.member(), workspace.member()];
    const [approvalId, others] = [workspace.approval({ memberId }), workspace.approval({ memberId: other })];
    const [endpointId, othersEndpoint] = [endpointOf(workspace, approvalId), endpointOf(workspace, others)];
    workspace.now += 1;
    const asking = ending(workspace, memberId, approvalId);
    const told = workspace.tell(asking);
    return { workspace, asking, told, approvalId, others, endpointId, othersEndpoint };
  }

  it('with its row and its endpoints, and no others', () => {
    const { workspace, told, approvalId, others, endpointId, othersEndpoint } = ended();
    expect(told.result).toEqual({ ok: true, kind: 'done' });
    expect(approvals(workspace)).toMatchObject({ [approvalId]: { revoked: true }, [others]: { revoked: false } });
    expect(workspace.workspace.endpoints).toMatchObject({
      [endpointId]: { stoppedAt: workspace.now },
      [othersEndpoint]: { stoppedAt: null },
    });
    const rows = told.effects.filter(({ kind }) => kind === 'approval');
    expect(rows).toMatchObject([{ approval: { id: approvalId, revoked: true } }]);
    expect(told.effects).toContainEqual({ kind: 'endpoints-changed' });
  });

  it('once: again is done, and changes nothing', () => {
    const { workspace, asking } = ended();
    const before = workspace.state;
    const { result, effects } = workspace.tell(asking);
    expect([result, effects]).toEqual([{ ok: true, kind: 'done' }, []]);
    expect(workspace.state).toBe(before);
  });

  it('and whatever its app asks is refused, in words for an app', () => {
    const { workspace, approvalId } = ended();
    const channelId = workspace.channel('threads');
    const before = workspace.state;
    for (const asking of [
      workspace.creating({ channelIds: [channelId] }),
      { type: 'RevokeApproval', approvalId } as const,
      { type: 'CancelPost', postId: workspace.uuid() } as const,
    ]) {
      expect(workspace.tell({ ...asking, ...app(approvalId) }).result).toMatchObject({
        ok: false,
        code: 'unauthorized',
        message: expect.stringContaining("This app's access"),
      });
    }
    expect(workspace.state).toBe(before);
  });
});

it('an approval that never was can not be revoked', () => {
  const workspace = aWorkspace();
  expect(workspace.tell({ type: 'RevokeApproval', approvalId: workspace.uuid() }).result).toMatchObject({
    ok: false,
    code: 'not_found',
  });
});

describe("an app's Posts", () => {
  it('say which app made them, and for whom', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const approvalId = workspace.approval({ name: 'Claude', memberId: workspace.member('editor', 'Bob') });
    const postId = workspace.post(app(approvalId));
    expect(workspace.postOf(postId).via).toEqual({ kind: 'app', name: 'Claude', by: 'Bob' });
  });

  it.each<[string, readonly Permission[], Permission, (workspace: Scenario, postId: string) => Asking]>([
    ['publish now', ['webhooks:manage'], 'posts:publish', (workspace) => workspace.creating({ text: 'now' })],
    [
      'retry',
      ['webhooks:manage'],
      'posts:publish',
      (_, postId) => ({ type: 'RetryVariant', variantId: variantIdOf(postId, 1) }),
    ],
    [
      'manage webhooks',
      ['posts:publish'],
      'webhooks:manage',
      (workspace) => ({ type: 'DeleteEndpoint', endpointId: workspace.uuid() }),
    ],
  ])('it may not %s without the permission, and the refusal names it', (deed, permissions, lacks, askingOf) => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const postId = workspace.post({ scheduledAt: workspace.now + 3_600_000 });
    const approvalId = workspace.approval({ permissions });
    const before = workspace.state;
    expect(workspace.tell({ ...askingOf(workspace, postId), ...app(approvalId) }).result).toMatchObject({
      ok: false,
      code: 'forbidden',
      message: expect.stringMatching(new RegExp(`^This app may not .*${deed}.*${lacks}`)),
    });
    expect(workspace.state).toBe(before);
  });

  it('need a verified e-mail of the Member behind it, as with a key', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const [memberId] = Object.keys(workspace.workspace.members);
    const approvalId = workspace.approval();
    const member = { ...workspace.workspace.members[memberId!]!, emailVerified: false };
    workspace.state = { ...workspace.workspace, members: { [member.id]: member } };
    expect(workspace.tell({ ...workspace.creating(), ...app(approvalId) }).result).toMatchObject({
      code: 'email_not_verified',
    });
  });
});

it('an app makes no keys, Members, approvals or Plans', () => {
  const workspace = aWorkspace();
  const approvalId = workspace.approval({ permissions: PERMISSIONS });
  const memberId = Object.keys(workspace.workspace.members)[0]!;
  for (const asking of [
    { type: 'AddMember', memberId: workspace.uuid(), name: 'Eve', email: 'eve@example.test', role: 'owner' } as const,
    { type: 'ChangeMemberRole', memberId, role: 'viewer' } as const,
    { type: 'SetPlan', plan: 'agency', effectiveAt: null } as const,
    workspace.approving(),
    { type: 'RevokeApproval', approvalId } as const,
  ]) {
    expect(workspace.tell({ ...asking, ...app(approvalId) }).result).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining("an app's token"),
    });
  }
});
