import { describe, expect, it, test } from 'vitest';
import { aWorkspace, type Asking, type Scenario } from '#testing/scenario.ts';

const PEOPLE = ['owner', 'editor', 'viewer', 'another editor'] as const;
type Person = (typeof PEOPLE)[number];

/** A Workspace with a Member of each role, a Channel, and what an editor brought in. */
function aTeam() {
  const workspace = aWorkspace({ plan: 'agency' });
  const owner = Object.keys(workspace.workspace.members)[0]!;
  const memberIds: Record<Person, string> = {
    owner,
    editor: workspace.member('editor', 'Ed'),
    viewer: workspace.member('viewer', 'Vi'),
    'another editor': workspace.member('editor', 'Edna'),
  };
  const keyId = workspace.uuid();
  const memberId = memberIds.editor;
  workspace.must({ type: 'CreateKey', keyId, memberId, name: 'Mine', permissions: [], tokenHash: 'h1' });
  const approvalId = workspace.approval({ memberId });
  const channelId = workspace.channel('x');
  const channel = workspace.workspace.channels[channelId]!;
  return { workspace, memberIds, keyId, approvalId, channel };
}

type Team = ReturnType<typeof aTeam>;

function tellAs({ workspace, memberIds }: Team, person: Person, asking: Asking) {
  const credential = { kind: 'member', memberId: memberIds[person] } as const;
  return workspace.tell({ ...asking, credential }).result;
}

/** Whether the role, and nothing else, keeps the person from it. */
function isKept(team: Team, person: Person, asking: Asking): boolean {
  const before = team.workspace.state;
  const result = tellAs(team, person, asking);
  if (result === null) throw new Error('no result');
  const kept = !result.ok && result.code === 'forbidden';
  if (kept) expect(team.workspace.state, 'a refusal changes nothing').toEqual(before);
  return kept;
}

const upload = (workspace: Scenario): Asking => ({
  type: 'ReserveUpload',
  assetId: workspace.uuid(),
  filename: 'a.png',
  contentType: 'image/png',
  bytes: 10,
});

const OWNERS: readonly Person[] = ['owner'];
const EDITORS: readonly Person[] = ['owner', 'editor', 'another editor'];
const ITS_EDITOR: readonly Person[] = ['owner', 'editor'];
const NOBODY: readonly Person[] = [];

const CASES: readonly (readonly [string, readonly Person[], (team: Team) => Asking])[] = [
  ['rename the Workspace', OWNERS, () => ({ type: 'RenameWorkspace', name: 'New' })],
  ['set the zone', OWNERS, () => ({ type: 'SetZone', timeZone: 'Asia/Tokyo' })],
  ['hold publishing', OWNERS, () => ({ type: 'HoldPublishing', reason: 'why' })],
  ['release publishing', OWNERS, () => ({ type: 'ReleasePublishing' })],
  ['create a Post', EDITORS, ({ workspace }) => workspace.creating({})],
  [
    'make addresses of files void',
    EDITORS,
    ({ workspace }) => ({ type: 'VoidFileAddresses', postId: workspace.uuid() }),
  ],
  ['cancel a Post', EDITORS, ({ workspace }) => ({ type: 'CancelPost', postId: workspace.uuid() })],
  ['retry a Variant', EDITORS, ({ workspace }) => ({ type: 'RetryVariant', variantId: workspace.uuid() })],
  ['upload a file', EDITORS, ({ workspace }) => upload(workspace)],
  ['connect a new Channel', OWNERS, ({ workspace, channel }) => connecting(channel, workspace.uuid())],
  ['connect a Channel again', EDITORS, ({ channel }) => connecting(channel, channel.id)],
  [
    'connect a Channel that an owner disconnected',
    OWNERS,
    ({ workspace, channel }) => {
      workspace.must({ type: 'DisconnectChannel', channelId: channel.id, memberId: null });
      return connecting(channel, channel.id);
    },
  ],
  ['set defaults', EDITORS, ({ channel }) => ({ type: 'SetChannelDefaults', channelId: channel.id, defaults: {} })],
  [
    'disconnect a Channel',
    OWNERS,
    ({ channel }) => ({ type: 'DisconnectChannel', channelId: channel.id, memberId: null }),
  ],
  ['change the Plan', OWNERS, () => ({ type: 'SetPlan', plan: 'agency', effectiveAt: null })],
  ['add credits', OWNERS, () => ({ type: 'AddCredits', credits: 1 })],
  ['invite', OWNERS, ({ workspace, memberIds }) => inviting(workspace, memberIds.owner)],
  ['revoke an invitation', OWNERS, ({ workspace }) => ({ type: 'RevokeInvitation', invitationId: workspace.uuid() })],
  [
    'change a role',
    OWNERS,
    ({ memberIds }) => ({ type: 'ChangeMemberRole', memberId: memberIds.editor, role: 'editor' }),
  ],
  ['remove another Member', ITS_EDITOR, ({ memberIds }) => ({ type: 'RemoveMember', memberId: memberIds.editor })],
  ['make a key for the editor', ITS_EDITOR, (team) => ({ ...aKey(team), memberId: team.memberIds.editor })],
  ["revoke the editor's key", ITS_EDITOR, ({ keyId }) => ({ type: 'RevokeKey', keyId })],
  ["revoke the editor's app", ITS_EDITOR, ({ approvalId }) => ({ type: 'RevokeApproval', approvalId })],
  [
    'register an endpoint',
    EDITORS,
    ({ workspace }) => ({
      type: 'RegisterEndpoint',
      endpointId: workspace.uuid(),
      url: 'https://example.test',
      events: ['variant.failed'],
      sealedSecret: 's',
    }),
  ],
  ['delete an endpoint', EDITORS, ({ workspace }) => ({ type: 'DeleteEndpoint', endpointId: workspace.uuid() })],
  [
    'rotate a secret',
    EDITORS,
    ({ workspace }) => ({ type: 'RotateEndpointSecret', endpointId: workspace.uuid(), sealedSecret: 's' }),
  ],
  [
    'have secrets sealed anew',
    NOBODY,
    ({ workspace }) => ({ type: 'ResealEndpoint', endpointId: workspace.uuid(), secrets: [] }),
  ],
  ['add a Member without an invitation', NOBODY, ({ workspace }) => adding(workspace)],
  ['verify an e-mail', NOBODY, ({ memberIds }) => ({ type: 'VerifyEmail', memberId: memberIds.viewer })],
  [
    'accept an invitation',
    NOBODY,
    ({ workspace }) => ({
      type: 'AcceptInvitation',
      invitationId: workspace.uuid(),
      memberId: workspace.uuid(),
      email: 'a@b.test',
      name: 'A',
    }),
  ],
];

function connecting({ accountId }: Team['channel'], channelId: string): Asking {
  return { type: 'ConnectChannel', channelId, network: 'x', name: 'X', avatarUrl: null, accountId, kind: 'account' };
}

function inviting(workspace: Scenario, invitedBy: string): Asking {
  const expiresAt = workspace.now + 1_000;
  return {
    type: 'InviteMember',
    invitationId: workspace.uuid(),
    email: 'new@example.test',
    name: null,
    role: 'editor',
    invitedBy,
    expiresAt,
  };
}

function adding(workspace: Scenario): Asking {
  return { type: 'AddMember', memberId: workspace.uuid(), name: 'Z', email: 'z@example.test' };
}

function aKey({ workspace }: Team) {
  return {
    type: 'CreateKey',
    keyId: workspace.uuid(),
    name: 'K',
    permissions: [],
    tokenHash: workspace.uuid(),
  } as const;
}

describe.each(CASES)('a Member who is signed in and wants to %s', (_, may, askingIn) => {
  it.each(PEOPLE)('as %s', (person) => {
    const team = aTeam();
    expect(isKept(team, person, askingIn(team))).toBe(!may.includes(person));
  });
});

test('the last owner can neither leave nor become less', () => {
  const team = aTeam();
  const memberId = team.memberIds.owner;
  for (const asking of [
    { type: 'RemoveMember', memberId },
    { type: 'ChangeMemberRole', memberId, role: 'editor' },
  ] as const)
    expect(tellAs(team, 'owner', asking)).toMatchObject({ ok: false, code: 'invalid_request' });
});

test('who was removed may nothing, whatever their session says', () => {
  const team = aTeam();
  team.workspace.must({ type: 'RemoveMember', memberId: team.memberIds.editor });
  expect(tellAs(team, 'editor', team.workspace.creating({}))).toMatchObject({ ok: false, code: 'unauthorized' });
});

describe('who gives up a right of their own, in several steps,', () => {
  const MANY = 250;

  test('leaves, and takes every key along', () => {
    const team = aTeam();
    const { workspace } = team;
    const memberId = team.memberIds.editor;
    for (let count = 0; count < MANY; count++) workspace.must({ ...aKey(team), memberId, keyId: workspace.uuid() });
    expect(tellAs(team, 'editor', { type: 'RemoveMember', memberId })).toMatchObject({ ok: true });
    expect(Object.values(workspace.workspace.keys).filter((key) => key.memberId === memberId && !key.revoked)).toEqual(
      [],
    );
    expect(tellAs(team, 'editor', { type: 'RemoveMember', memberId }), 'again, after a crash').toMatchObject({
      ok: true,
    });
  });

  test('becomes a viewer, and ends every app', () => {
    const team = aTeam();
    const { workspace } = team;
    const memberId = team.memberIds.owner;
    workspace.member('owner', 'Zoe');
    for (let count = 0; count < MANY; count++) workspace.approval({ memberId });
    const asking = { type: 'ChangeMemberRole', memberId, role: 'viewer' } as const;
    expect(tellAs(team, 'owner', asking)).toMatchObject({ ok: true });
    const live = Object.values(workspace.workspace.approvals).filter(
      (each) => each.memberId === memberId && !each.revoked,
    );
    expect(live).toEqual([]);
    expect(tellAs(team, 'owner', asking), 'again, after a crash').toMatchObject({ ok: true });
    expect(tellAs(team, 'owner', { ...asking, role: 'owner' })).toMatchObject({ ok: false, code: 'forbidden' });
  });
});

test('a Post made by hand has no via, and may be due at any time ahead', () => {
  const team = aTeam();
  const { workspace } = team;
  const result = tellAs(team, 'editor', workspace.creating({ scheduledAt: workspace.now + 1_000 }));
  expect(result).toMatchObject({ ok: true, kind: 'post' });
  expect([...workspace.posts.values()].at(-1)?.via).toBeNull();
});

test('another name and another zone reach the rows by which every account finds the Workspace', () => {
  const { workspace, memberIds } = aTeam();
  const written = [{ kind: 'memberships', memberIds: Object.values(memberIds) }];
  expect(workspace.tell({ type: 'RenameWorkspace', name: 'New' }).effects).toEqual(written);
  expect(workspace.tell({ type: 'SetZone', timeZone: 'Asia/Tokyo' }).effects).toEqual(written);
  expect(workspace.tell({ type: 'SetZone', timeZone: 'Asia/Tokyo' }).effects).toEqual([]);
  expect(workspace.workspace).toMatchObject({ name: 'New', timeZone: 'Asia/Tokyo' });
});
