import { describe, expect, it } from 'vitest';
import { aWorkspace, type Scenario } from '#testing/scenario.ts';
import type { Effect } from '../effects.ts';
import { completeState, type StoredState } from '../stored-state.ts';

const written = (effects: readonly Effect[]) =>
  effects.flatMap((effect) => (effect.kind === 'memberships' ? effect.memberIds : []));

/** As a release stored it that knew no roles, apps, invitations and memberships. */
function olden(workspace: Scenario): void {
  const { approvals: _, invitations: __, membershipsWritten: ___, members, ...state } = workspace.workspace;
  const withoutRoles = Object.entries(members).map(([id, { role: ____, ...member }]) => [id, member] as const);
  workspace.state = completeState({ ...state, members: Object.fromEntries(withoutRoles) } satisfies StoredState);
}

describe('a Workspace of a release without memberships', () => {
  it('has its first Member as the owner, and the others as editors', () => {
    const workspace = aWorkspace();
    workspace.member('viewer');
    workspace.member('owner');
    olden(workspace);
    expect(Object.values(workspace.workspace.members).map(({ role }) => role)).toEqual(['owner', 'editor', 'editor']);
  });

  it('has them written by its first turn, whatever that is about, and by no other', () => {
    const workspace = aWorkspace();
    workspace.member();
    olden(workspace);
    expect(written(workspace.tell({ type: 'PlanDue', workspaceId: workspace.id }).effects)).toEqual(
      Object.keys(workspace.workspace.members),
    );
    expect(workspace.tell({ type: 'PlanDue', workspaceId: workspace.id }).effects).toEqual([]);
  });

  it('has them written by a turn that refuses what is asked, too', () => {
    const workspace = aWorkspace();
    olden(workspace);
    const { result, effects } = workspace.tell({ type: 'CancelPost', postId: workspace.uuid() });
    expect([result?.ok, written(effects)]).toEqual([false, Object.keys(workspace.workspace.members)]);
  });

  it('that has many Members has a bounded number written with each command', () => {
    const workspace = aWorkspace({ plan: 'agency' });
    for (let count = 0; count < 150; count++) workspace.member();
    olden(workspace);
    const steps = [1, 2, 3].map(() => written(workspace.tell({ type: 'PlanDue', workspaceId: workspace.id }).effects));
    expect(steps.map(({ length }) => length)).toEqual([100, 51, 0]);
    expect(steps.flat()).toEqual(Object.keys(workspace.workspace.members));
  });

  it('has the Member written whom such a release adds in the middle of an upgrade', () => {
    const workspace = aWorkspace();
    const member = { id: 'bob', name: 'Bob', email: 'bob@example.test', emailVerified: false, removed: false };
    const { members, ...state } = workspace.workspace;
    workspace.state = completeState({ ...state, members: { ...members, bob: member } });
    expect(workspace.workspace.members['bob']).toMatchObject({ role: 'editor' });
    expect(written(workspace.tell({ type: 'PlanDue', workspaceId: workspace.id }).effects)).toEqual(['bob']);
  });
});

describe('the membership of a Member', () => {
  it('is written when the Member comes, and again with every change', () => {
    const workspace = aWorkspace();
    const memberId = workspace.uuid();
    for (const asking of [
      { type: 'AddMember', memberId, name: 'Bob', email: 'bob@example.test' },
      { type: 'VerifyEmail', memberId },
      { type: 'ChangeMemberRole', memberId, role: 'viewer' },
      { type: 'RemoveMember', memberId },
    ] as const) {
      expect(written(workspace.tell(asking).effects)).toEqual([memberId]);
      expect(written(workspace.tell(asking).effects)).toEqual([]);
    }
  });
});
