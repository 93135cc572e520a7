import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryMessages } from '#testing/arbitrary-messages.ts';
import { aWorkspace, DAY, type Asking, type Scenario } from '#testing/scenario.ts';
import { addressOf } from '../account.ts';
import { isActive } from '../webhook/endpoint.ts';
import { isRequested, type Command } from './commands.ts';
import { type Credential } from './request-envelope.ts';
import { mayApprove } from './decision-context.ts';
import { MEMBER_ROLES, PERMISSIONS } from './state.ts';

/** Small numbers that are read against what there is. */
const at = fc.nat(5);
const role = fc.constantFrom(...MEMBER_ROLES);
const happening = fc.oneof(
  fc.record({ what: fc.constant('add' as const), at, role }),
  fc.record({ what: fc.constant('verify' as const), at }),
  fc.record({ what: fc.constant('role' as const), at, role }),
  fc.record({ what: fc.constant('remove' as const), at }),
  fc.record({ what: fc.constant('invite' as const), at, role }),
  fc.record({ what: fc.constant('accept' as const), at }),
  fc.record({ what: fc.constant('approve' as const), at, forget: fc.array(at, { maxLength: 2 }) }),
  fc.record({ what: fc.constant('revoke' as const), at }),
  fc.record({ what: fc.constant('key' as const), at }),
  fc.record({ what: fc.constant('endpoint' as const), at, byApp: fc.boolean() }),
  fc.record({ what: fc.constant('wait' as const), at }),
);
type Happening = typeof happening extends fc.Arbitrary<infer T> ? T : never;

const emailAt = (index: number) => `${index % 2 === 0 ? 'Person' : 'person'}${index % 4}@example.test`;

/** Undefined: there is nothing yet for it to be about. */
function askingOf(workspace: Scenario, happened: Happening): Asking | undefined {
  const { members, approvals, invitations, keys } = workspace.workspace;
  const pick = (of: Readonly<Record<string, unknown>>): string | undefined =>
    Object.keys(of).at(happened.at % (Object.keys(of).length || 1));
  const memberId = pick(members)!;
  switch (happened.what) {
    case 'add': {
      const email = emailAt(happened.at);
      return { type: 'AddMember', memberId: workspace.uuid(), name: email, email, role: happened.role };
    }
    case 'verify':
      return { type: 'VerifyEmail', memberId };
    case 'role':
      return { type: 'ChangeMemberRole', memberId, role: happened.role };
    case 'remove':
      return { type: 'RemoveMember', memberId };
    case 'invite': {
      const invitation = { invitationId: workspace.uuid(), email: emailAt(happened.at), role: happened.role };
      const expiresAt = workspace.now + 2 * DAY;
      return { type: 'InviteMember', ...invitation, name: null, invitedBy: null, expiresAt };
    }
    case 'accept': {
      const invitationId = pick(invitations);
      if (invitationId === undefined) return undefined;
      const { email } = invitations[invitationId]!;
      return { type: 'AcceptInvitation', invitationId, memberId: workspace.uuid(), email, name: email };
    }
    case 'approve': {
      const ids = Object.keys(approvals);
      return workspace.approving({ memberId, forget: happened.forget.flatMap((index) => ids[index] ?? []) });
    }
    case 'revoke': {
      const approvalId = pick(approvals);
      return approvalId === undefined ? undefined : { type: 'RevokeApproval', approvalId };
    }
    case 'key': {
      const keyId = workspace.uuid();
      return { type: 'CreateKey', keyId, memberId, name: '', permissions: PERMISSIONS, tokenHash: `hash ${keyId}` };
    }
    case 'endpoint': {
      const id = pick(happened.byApp ? approvals : keys);
      if (id === undefined) return undefined;
      const credential: Credential = happened.byApp ? { kind: 'app', approvalId: id } : { kind: 'key', keyId: id };
      const endpoint = { endpointId: workspace.uuid(), url: 'https://hooks.example.test', sealedSecret: '' };
      return { type: 'RegisterEndpoint', ...endpoint, events: ['variant.failed'], credential };
    }
    case 'wait':
      workspace.now += happened.at * DAY;
      return undefined;
  }
}

/** What the rows say, each as the last effect about it left it. */
function rowsOf(workspace: Scenario): { readonly live: readonly string[]; readonly written: ReadonlySet<string> } {
  const approvals = new Map<string, boolean>();
  const written = new Set<string>();
  for (const effect of workspace.effects) {
    if (effect.kind === 'approval') approvals.set(effect.approval.id, !effect.approval.revoked);
    if (effect.kind === 'memberships') effect.memberIds.forEach((id) => written.add(id));
  }
  return { live: [...approvals].flatMap(([id, isLive]) => (isLive ? [id] : [])), written };
}

function check(workspace: Scenario): void {
  const { members, approvals, keys, endpoints, invitations, membershipsWritten } = workspace.workspace;
  const live = Object.values(approvals).filter(({ revoked }) => !revoked);
  for (const { memberId } of live) expect(mayApprove(members[memberId]!)).toBe(true);
  for (const { memberId, revoked } of Object.values(keys)) expect(revoked || !members[memberId]!.removed).toBe(true);
  for (const endpoint of Object.values(endpoints)) {
    if (!isActive(endpoint)) continue;
    const { approvalId, keyId } = endpoint;
    expect(approvalId === undefined ? keys[keyId!]!.revoked : (approvals[approvalId]?.revoked ?? true)).toBe(false);
  }
  const present = Object.values(members).filter(({ removed }) => !removed);
  const addresses = [...present, ...Object.values(invitations)].map(addressOf);
  expect(new Set(addresses).size, 'an address is of one Member or one invitation').toBe(addresses.length);
  const rows = rowsOf(workspace);
  expect(rows.live).toEqual(live.map(({ id }) => id));
  expect([...rows.written]).toHaveLength(Object.keys(members).length);
  expect(membershipsWritten).toBe(Object.keys(members).length);
}

describe('whatever happens to the people of a Workspace', () => {
  it('who left or became a viewer has no app, what ended has no endpoint, and the rows say what the state says', () => {
    const property = fc.property(fc.array(happening, { minLength: 20, maxLength: 60 }), (happened) => {
      const workspace = aWorkspace({ plan: 'agency' });
      for (const each of happened) {
        const asking = askingOf(workspace, each);
        if (asking === undefined) continue;
        const before = workspace.state;
        const { result } = workspace.tell(asking);
        if (!result!.ok) expect(workspace.state).toBe(before);
        check(workspace);
      }
    });
    fc.assert(property, { numRuns: 200 });
  });
});

describe('an app whose approval ended', () => {
  const requested = Object.entries(arbitraryMessages).flatMap(([type, messages]) => {
    const [sample] = fc.sample<object>(messages, { numRuns: 1, seed: 1 });
    return isRequested(sample as Command) ? [[type, messages] as const] : [];
  });

  it.each(requested)('is refused with %s, and changes nothing', (_, messages) => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const approvalId = workspace.approval();
    workspace.must({ type: 'RevokeApproval', approvalId });
    const asked = { workspaceId: workspace.id, credential: { kind: 'app', approvalId } };
    const property = fc.property(messages as fc.Arbitrary<object>, (message) => {
      const before = workspace.state;
      const { result, effects, posts } = workspace.tell({ ...message, ...asked } as Command);
      expect(result).toMatchObject({ ok: false });
      expect([workspace.state, effects, posts]).toEqual([before, [], []]);
    });
    fc.assert(property, { numRuns: 10 });
  });
});
