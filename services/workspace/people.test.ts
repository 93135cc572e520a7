import { HeadEncoder } from '#tables/rows/head-encoder.ts';
import { describe, expect, test } from 'vitest';
import { accountIdOf } from '#domain/account.ts';
import type { Command, RemoveMember } from '#domain/workspace/commands.ts';
import type { ApiKey, Approval, WorkspaceState } from '#domain/workspace/state.ts';
import { findApproval } from '#tables/repositories/approvals.ts';
import { findCredential } from '#tables/repositories/credentials.ts';
import { listMemberships } from '#tables/repositories/memberships.ts';
import { WORKSPACES } from '#tables/declarations/tables.ts';
import { HEAD, NOTHING_PENDING } from '#tables/repositories/workspaces.ts';
import { BODY_FORMAT } from '#tables/rows/body.ts';
import { aWorkspace, type Asking, type Scenario } from '#testing/scenario.ts';
import { openWorkspaceHarness, type WorkspaceHarness } from './workspace-harness.fixture.ts';

const ATOMS = ['partition', 'store', 'sqlite'] as const;
const MAX_STEPS = 100;

/** A scenario and, as commands for an actor, all that it is told. */
function recorded(): { readonly scenario: Scenario; readonly commands: Command[] } {
  const commands: Command[] = [];
  return { scenario: aWorkspace({ plan: 'agency', onCommand: (command) => void commands.push(command) }), commands };
}

/** A harness over a store that holds a Workspace of this state. */
async function holding(atom: (typeof ATOMS)[number], state: WorkspaceState): Promise<WorkspaceHarness> {
  const harness = openWorkspaceHarness(atom);
  const next = {
    version: 1,
    token: 't',
    body: new HeadEncoder().encodeHead(state, NOTHING_PENDING),
    format: BODY_FORMAT,
  };
  const write = { partition: [state.id], clustering: HEAD, expected: null, next };
  expect((await harness.store.compareAndSet(WORKSPACES, write)).applied).toBe(true);
  return harness;
}

const memberships = (harness: WorkspaceHarness, email: string) => listMemberships(harness.store, accountIdOf(email));

describe.each(ATOMS)('rows that follow a Workspace, on a store of kind %s', (atom) => {
  test('an account finds the Workspace as the Member that it is, in whatever way the address is written', async () => {
    const { scenario, commands } = recorded();
    const harness = openWorkspaceHarness(atom);
    const actor = harness.actor(scenario.id);
    const [first, second] = [scenario.uuid(), scenario.uuid()];
    const told = async (asking?: Asking) => {
      if (asking !== undefined) scenario.must(asking);
      await harness.handle(actor, commands.splice(0));
      return (await memberships(harness, ' BOB@example.test')).map(({ memberId, role, emailVerified, removed }) => ({
        ...{ memberId, role, emailVerified, removed },
      }));
    };
    const bob = { type: 'AddMember', memberId: first, name: 'Bob', email: 'Bob@example.test' } as const;
    const member = { memberId: first, role: 'editor', emailVerified: false, removed: false };
    expect(await told(bob)).toEqual([member]);
    expect(await told({ type: 'VerifyEmail', memberId: first })).toEqual([{ ...member, emailVerified: true }]);
    expect(await told({ type: 'RemoveMember', memberId: first })).toMatchObject([{ memberId: first, removed: true }]);
    expect(await told({ ...bob, memberId: second, role: 'viewer' })).toEqual([
      { ...member, memberId: second, role: 'viewer' },
    ]);
    expect(await memberships(harness, 'ada@example.test')).toMatchObject([
      { workspaceId: scenario.id, workspaceName: 'A Workspace', name: 'Ada', role: 'owner', emailVerified: true },
    ]);
    expect(await memberships(harness, 'eve@example.test')).toEqual([]);
  });

  test('an approval says for whom an app acts, and once it ended only that', async () => {
    const { scenario, commands } = recorded();
    const harness = openWorkspaceHarness(atom);
    const memberId = scenario.member();
    const approvalId = scenario.approval({ memberId, permissions: ['posts:publish'] });
    const actor = harness.actor(scenario.id);
    await harness.handle(actor, commands.splice(0));
    const ids = {
      ...{ workspaceId: scenario.id, approvalId, memberId },
      accountId: accountIdOf(scenario.workspace.members[memberId]!.email),
    };
    expect(await findApproval(harness.store, approvalId)).toEqual({
      ...ids,
      ...{ clientId: 'client', name: 'an app', memberName: 'Bob' },
      permissions: ['posts:schedule', 'posts:publish'],
      revoked: false,
    });
    scenario.must({ type: 'RemoveMember', memberId });
    await harness.handle(actor, commands.splice(0));
    const blank = { clientId: '', name: '', memberName: '', permissions: [] };
    expect(await findApproval(harness.store, approvalId)).toEqual({ ...ids, ...blank, revoked: true });
    expect(await findApproval(harness.store, scenario.uuid())).toBeNull();
  });

  test('the first turn over what an older release stored writes the memberships', async () => {
    const { scenario, commands } = recorded();
    scenario.member();
    commands.splice(0);
    const { approvals: _, invitations: __, membershipsWritten: ___, members, ...state } = scenario.workspace;
    const old = Object.entries(members).map(([id, { role: ____, ...member }]) => [id, member] as const);
    const stored = { ...state, members: Object.fromEntries(old) } as unknown as WorkspaceState;
    const harness = await holding(atom, stored);
    const actor = harness.actor(scenario.id);
    await harness.handle(actor, [{ type: 'PlanDue', workspaceId: scenario.id }]);
    for (const { email, role } of Object.values(scenario.workspace.members))
      expect(await memberships(harness, email)).toMatchObject([{ workspaceId: scenario.id, email, role }]);
    const { version } = await harness.head(scenario.id);
    await harness.handle(actor, [{ type: 'PlanDue', workspaceId: scenario.id }]);
    await harness.rest();
    const settled = await harness.head(scenario.id);
    expect(settled.state).toMatchObject({ membershipsWritten: 2 });
    expect(settled.version - version, 'a turn for nothing').toBeLessThanOrEqual(1);
  });

  test('a Member with a thousand keys and a thousand apps can be removed, however large the Workspace is', async () => {
    const { scenario } = recorded();
    const memberId = scenario.member();
    const [key, approval] = [scenario.key(), scenario.approval({ memberId })].map((id, index) =>
      index === 0 ? scenario.workspace.keys[id]! : scenario.workspace.approvals[id]!,
    ) as [ApiKey, Approval];
    const many = <T>(like: T, name: string) =>
      Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`${name}${n}`, { ...like, id: `${name}${n}` }]));
    const keys = Object.entries(many({ ...key, memberId, name: 'k'.repeat(100) }, 'key'));
    const harness = await holding(atom, {
      ...scenario.workspace,
      keys: Object.fromEntries(keys.map(([id, each]) => [id, { ...each, tokenHash: `hash of ${id}` }])),
      approvals: many({ ...approval, name: 'a'.repeat(100) }, 'app'),
    });
    expect(JSON.stringify((await harness.head(scenario.id)).state).length).toBeGreaterThan(600_000);
    const removing = scenario.ask({ type: 'RemoveMember', memberId }) as RemoveMember;
    await harness.handle(harness.actor(scenario.id), [removing]);
    expect(harness.answers).toEqual([{ requestId: removing.requestId, result: { ok: true, kind: 'done' } }]);
    for (const n of [0, 500, 999]) {
      expect(await findApproval(harness.store, `app${n}`)).toMatchObject({ revoked: true });
      expect(await findCredential(harness.store, `hash of key${n}`)).toMatchObject({ revoked: true });
    }
  });
});

test('a removal that a crash cut off goes on however late: no key of the Member stays good', async () => {
  const { scenario, commands } = recorded();
  const memberId = scenario.member();
  const keyIds = Array.from({ length: 250 }, () => {
    const keyId = scenario.uuid();
    const tokenHash = `hash-${keyId}`;
    scenario.must({ type: 'CreateKey', keyId, memberId, name: 'k', permissions: [], tokenHash });
    return keyId;
  });
  const harness = openWorkspaceHarness();
  await harness.handle(harness.actor(scenario.id), commands);
  await harness.rest();
  const removing = { ...(scenario.ask({ type: 'RemoveMember', memberId }) as RemoveMember) };
  const isRemoved = async () => (await harness.head(scenario.id)).state.members[memberId]!.removed;
  const { promise: cutOff, resolve } = Promise.withResolvers<void>();
  const dying = harness.actor(scenario.id, async (step) => {
    if (!step.startsWith('before compareAndSet') || !(await isRemoved())) return;
    resolve();
    await new Promise(() => {});
  });
  void harness.handle(dying, [removing]);
  await cutOff;
  await harness.clock.advance(5 * 60_000);
  await harness.handle(harness.actor(scenario.id), [removing]);
  expect(harness.answers.at(-1)).toEqual({ requestId: removing.requestId, result: { ok: true, kind: 'done' } });
  for (const keyId of keyIds)
    expect(await findCredential(harness.store, `hash-${keyId}`)).toMatchObject({ revoked: true });
});

/** A Workspace, an app that is approved, and its end, one batch each. */
function anAppsLife() {
  const { scenario, commands } = recorded();
  const founding = commands.splice(0);
  const approvalId = scenario.approval();
  const approving = commands.splice(0);
  scenario.must({ type: 'RevokeApproval', approvalId });
  return { id: scenario.id, approvalId, batches: [founding, approving, commands] };
}

test.each(['partition', 'store'] as const)(
  'whatever the instant of a crash, no app may do what its Workspace does not know of, and in the end none may: %s',
  async (atom) => {
    for (let stopAt = 1; stopAt < MAX_STEPS; stopAt++) {
      const { id, approvalId, batches } = anAppsLife();
      const harness = openWorkspaceHarness(atom);
      let steps = 0;
      const { promise: stopped, resolve } = Promise.withResolvers<string>();
      const live = async (interrupt?: (step: string) => Promise<void>) => {
        const actor = harness.actor(id, interrupt);
        for (const batch of batches) await harness.handle(actor, batch);
      };
      const ended = live(async (step) => {
        if (++steps !== stopAt) return;
        resolve(step);
        await new Promise(() => {});
      });
      const at = await Promise.race([stopped, ended]);
      const row = await findApproval(harness.store, approvalId);
      if (row !== null) expect((await harness.head(id)).state.approvals, `killed ${at}`).toHaveProperty(approvalId);
      await live();
      expect(await findApproval(harness.store, approvalId), `killed ${at}`).toMatchObject({ revoked: true });
      if (at === undefined) return;
    }
    throw new Error('it never ended');
  },
);
