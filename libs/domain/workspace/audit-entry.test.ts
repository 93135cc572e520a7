import { describe, expect, test } from 'vitest';
import { completedUpload } from '#testing/completed-upload.ts';
import { aWorkspace, DAY, HOUR, type Asking, type Scenario } from '#testing/scenario.ts';
import { variantIdOf } from '../post/ids.ts';
import { AUDIT_ACTIONS, type AuditEntry } from './audit.ts';
import type { Command } from './commands.ts';

/** What the command adds to the audit. */
function entries(workspace: Scenario, command: Asking | Command): readonly AuditEntry[] {
  const before = workspace.audit.length;
  workspace.tell(command);
  return workspace.audit.slice(before);
}

function entry(workspace: Scenario, command: Asking | Command): AuditEntry {
  const [first, ...others] = entries(workspace, command);
  expect(others).toEqual([]);
  expect(first).toBeDefined();
  return first!;
}

const owner = (workspace: Scenario): string => Object.keys(workspace.workspace.members)[0]!;
const later = (workspace: Scenario) => ({ scheduledAt: workspace.now + DAY });
const connecting = (channelId: string, accountId = 'a'): Asking => ({
  type: 'ConnectChannel',
  channelId,
  network: 'threads',
  name: 'Private Person',
  avatarUrl: null,
  accountId,
  kind: '',
});
const keyMaking = (workspace: Scenario, keyId: string): Asking => ({
  type: 'CreateKey',
  keyId,
  memberId: owner(workspace),
  name: 'a key',
  permissions: [],
  tokenHash: `secret-hash-${keyId}`,
});
const registering = (endpointId: string, keyId: string): Asking => ({
  type: 'RegisterEndpoint',
  credential: { kind: 'key', keyId },
  endpointId,
  url: 'https://hooks.example.test/path-secret?token=query-secret',
  events: ['variant.failed'],
  sealedSecret: 'sealed-secret',
});

describe('a command that was carried out has one entry, and its repeats have none', () => {
  /** Commands that are done when they come again, each with what it was about. */
  const FACTS: Readonly<Record<string, (workspace: Scenario) => readonly [Asking | Command, Partial<AuditEntry>]>> = {
    'workspace.renamed': (workspace) => [
      { type: 'RenameWorkspace', name: 'New' },
      { subject: { kind: 'workspace', id: workspace.id, name: 'New' }, detail: { formerName: 'A Workspace' } },
    ],
    'workspace.zone_changed': (workspace) => {
      workspace.must({ type: 'SetZone', timeZone: 'Asia/Tokyo' });
      const detail = { timeZone: 'Europe/Berlin', formerTimeZone: 'Asia/Tokyo' };
      return [
        { type: 'SetZone', timeZone: 'Europe/Berlin' },
        { subject: { kind: 'workspace', id: workspace.id, name: 'A Workspace' }, detail },
      ];
    },
    'post.created': (workspace) => {
      workspace.channel('threads');
      const command = workspace.creating({ ...later(workspace), text: 'One\n two' });
      const subject = { kind: 'post', id: command.postId, name: 'One two' } as const;
      return [command, { subject, detail: { scheduledAt: command.scheduledAt, variants: 1 } }];
    },
    'post.replaced': (workspace) => {
      workspace.channel('threads');
      const replaces = workspace.post(later(workspace));
      const command = { ...workspace.creating({ ...later(workspace), text: 'Two' }), replaces };
      const subject = { kind: 'post', id: command.postId, name: 'Two' } as const;
      return [command, { subject, detail: { scheduledAt: command.scheduledAt, variants: 1, replaces } }];
    },
    'post.cancelled': (workspace) => {
      workspace.channel('threads');
      const postId = workspace.post({ ...later(workspace), text: 'Hello' });
      return [{ type: 'CancelPost', postId }, { subject: { kind: 'post', id: postId, name: 'Hello' } }];
    },
    'post.addresses_voided': (workspace) => {
      workspace.channel('threads');
      const media = [{ assetId: completedUpload(workspace) }];
      const postId = workspace.post({ text: 'Hello', media });
      workspace.tell({ type: 'MediaPrepared', workspaceId: workspace.id, postId, variants: [1] });
      workspace.succeed(postId);
      return [{ type: 'VoidFileAddresses', postId }, { subject: { kind: 'post', id: postId, name: 'Hello' } }];
    },
    'variant.retried': (workspace) => {
      workspace.channel('threads');
      const postId = workspace.post();
      workspace.fail(postId);
      const variantId = variantIdOf(postId, 1);
      const subject = { kind: 'post', id: postId, name: 'Hello' } as const;
      return [
        { type: 'RetryVariant', variantId },
        { subject, detail: { variantId } },
      ];
    },
    'channel.disconnected': (workspace) => {
      const channelId = workspace.channel('threads');
      return [
        { type: 'DisconnectChannel', channelId, memberId: null },
        { subject: { kind: 'channel', id: channelId, name: null } },
      ];
    },
    'channel.defaults_changed': (workspace) => {
      const channelId = workspace.channel('tiktok');
      return [
        { type: 'SetChannelDefaults', channelId, defaults: { privacy: 'friends' } },
        { subject: { kind: 'channel', id: channelId, name: null } },
      ];
    },
    'plan.changed': (workspace) => [
      { type: 'SetPlan', plan: 'agency', effectiveAt: null },
      {
        subject: { kind: 'workspace', id: workspace.id, name: 'A Workspace' },
        detail: { plan: 'agency', formerPlan: 'pro' },
      },
    ],
    'plan.change_scheduled': (workspace) => [
      { type: 'SetPlan', plan: 'free', effectiveAt: workspace.now + DAY },
      { detail: { plan: 'free', formerPlan: 'pro', effectiveAt: workspace.now + DAY } },
    ],
    'plan.change_withdrawn': (workspace) => {
      workspace.must({ type: 'SetPlan', plan: 'free', effectiveAt: workspace.now + DAY });
      return [{ type: 'SetPlan', plan: 'pro', effectiveAt: null }, { detail: { plan: 'pro' } }];
    },
    'credits.added': (workspace) => [
      { type: 'AddCredits', credits: 5, purchaseId: 'paid once' },
      { subject: { kind: 'workspace', id: workspace.id, name: 'A Workspace' }, detail: { credits: 5 } },
    ],
    'member.removed': (workspace) => {
      const memberId = workspace.member();
      return [{ type: 'RemoveMember', memberId }, { subject: { kind: 'member', id: memberId, name: 'Bob' } }];
    },
    'member.role_changed': (workspace) => {
      const memberId = workspace.member();
      return [
        { type: 'ChangeMemberRole', memberId, role: 'viewer' },
        { detail: { role: 'viewer', formerRole: 'editor' } },
      ];
    },
    'member.email_verified': (workspace) => {
      const memberId = workspace.uuid();
      workspace.must({ type: 'AddMember', memberId, name: 'Eve', email: 'eve@example.test' });
      return [{ type: 'VerifyEmail', memberId }, { subject: { kind: 'member', id: memberId, name: 'Eve' } }];
    },
    'member.invited': (workspace) => {
      const invitationId = workspace.uuid();
      const asked = { invitationId, email: 'eve@example.test', name: null, role: 'viewer', invitedBy: null } as const;
      return [
        { type: 'InviteMember', ...asked, expiresAt: workspace.now + DAY },
        { subject: { kind: 'invitation', id: invitationId, name: 'eve@example.test' }, detail: { role: 'viewer' } },
      ];
    },
    'invitation.revoked': (workspace) => {
      const invitationId = workspace.uuid();
      const asked = { invitationId, email: 'eve@example.test', name: null, role: 'viewer', invitedBy: null } as const;
      workspace.must({ type: 'InviteMember', ...asked, expiresAt: workspace.now + DAY });
      const subject = { kind: 'invitation', id: invitationId, name: 'eve@example.test' } as const;
      return [{ type: 'RevokeInvitation', invitationId }, { subject }];
    },
    'member.joined': (workspace) => {
      const [invitationId, memberId] = [workspace.uuid(), workspace.uuid()];
      const asked = { invitationId, email: 'eve@example.test', name: 'Eve', role: 'editor', invitedBy: null } as const;
      workspace.must({ type: 'InviteMember', ...asked, expiresAt: workspace.now + DAY });
      return [
        { type: 'AcceptInvitation', invitationId, memberId, email: 'eve@example.test', name: 'Eve' },
        { actor: { kind: 'member', id: memberId, name: 'Eve', memberName: 'Eve' }, detail: { role: 'editor' } },
      ];
    },
    'app.approved': (workspace) => {
      const asking = workspace.approving({ permissions: ['posts:schedule'] });
      const subject = { kind: 'app', id: asking.approvalId, name: 'an app' } as const;
      return [asking, { subject, detail: { permissions: ['posts:schedule'], memberId: owner(workspace) } }];
    },
    'app.revoked': (workspace) => {
      const approvalId = workspace.approval();
      return [{ type: 'RevokeApproval', approvalId }, { subject: { kind: 'app', id: approvalId, name: 'an app' } }];
    },
    'key.revoked': (workspace) => {
      const keyId = workspace.key();
      return [{ type: 'RevokeKey', keyId }, { subject: { kind: 'key', id: keyId, name: 'a key' } }];
    },
  };

  test.each(Object.entries(FACTS))('%s', (action, aboutOf) => {
    const workspace = aWorkspace();
    const [command, about] = aboutOf(workspace);
    const asked = 'workspaceId' in command ? command : workspace.ask(command);
    const made = entry(workspace, asked);
    expect(made).toMatchObject({ action, at: workspace.now, origin: null, ...about });
    expect(made.id).toBe((asked as { readonly requestId: string }).requestId);
    expect(entries(workspace, asked)).toEqual([]);
  });

  test('connecting: the first time, and again', () => {
    const workspace = aWorkspace();
    const channelId = workspace.uuid();
    expect(entry(workspace, connecting(channelId)).action).toBe('channel.connected');
    expect(entry(workspace, connecting(channelId))).toMatchObject({
      action: 'channel.reconnected',
      subject: { kind: 'channel', id: channelId },
      detail: { network: 'threads' },
    });
  });

  test('endpoints: registered, rotated, tested, replayed and deleted', () => {
    const workspace = aWorkspace();
    const [keyId, endpointId] = [workspace.key(), workspace.uuid()];
    const credential = { kind: 'key', keyId } as const;
    const about = { kind: 'endpoint', id: endpointId, name: 'hooks.example.test' };
    const event = { eventId: 'e', eventType: 'variant.failed', createdAt: workspace.now, body: '{}' } as const;
    const done = [
      registering(endpointId, keyId),
      { type: 'RotateEndpointSecret', credential, endpointId, sealedSecret: 'sealed-secret' },
      { type: 'SendTestEvent', credential, endpointId, ...event },
      { type: 'ReplayDelivery', credential, endpointId, deliveryId: 'd', round: 'r', askedAt: workspace.now },
      { type: 'DeleteEndpoint', credential, endpointId },
    ].map((command) => entry(workspace, command as Asking));
    expect(done.map(({ action }) => action)).toEqual([
      'endpoint.registered',
      'endpoint.secret_rotated',
      'endpoint.tested',
      'endpoint.replayed',
      'endpoint.deleted',
    ]);
    for (const { subject } of done) expect(subject).toEqual(about);
  });

  test('publishing: held and released by an owner, each time with why', () => {
    const workspace = aWorkspace();
    const subject = { kind: 'workspace', id: workspace.id, name: 'A Workspace' };
    for (let time = 0; time < 2; time++)
      expect(entry(workspace, { type: 'HoldPublishing', reason: `reason ${time}` })).toMatchObject({
        action: 'publishing.held',
        subject,
        detail: { reason: `reason ${time}` },
      });
    expect(entry(workspace, { type: 'ReleasePublishing' })).toMatchObject({ action: 'publishing.released', subject });
  });

  test('a Post that is created again with its key, its text or as a dry run leaves nothing', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const creating = workspace.creating({ ...later(workspace), idempotencyKey: 'once' });
    expect(entries(workspace, { ...creating, dryRun: true })).toEqual([]);
    expect(entries(workspace, creating)).toHaveLength(1);
    const again = { ...creating, requestId: workspace.uuid(), postId: workspace.creating().postId };
    expect(entries(workspace, again)).toEqual([]);
    expect(entries(workspace, { ...again, requestId: workspace.uuid(), idempotencyKey: null })).toEqual([]);
  });

  test('what is refused leaves nothing, nor does an upload', () => {
    const workspace = aWorkspace();
    const [keyId, assetId] = [workspace.key(), workspace.uuid()];
    const credential = { kind: 'key', keyId } as const;
    expect(entries(workspace, { type: 'RenameWorkspace', name: 'Mine', credential })).toEqual([]);
    expect(entries(workspace, { type: 'AddCredits', credits: -1_000_000 })).toEqual([]);
    expect(entries(workspace, { type: 'CancelPost', postId: workspace.uuid() })).toEqual([]);
    const file = { filename: 'a', contentType: 'image/png', bytes: 5 } as const;
    expect(entries(workspace, { type: 'ReserveUpload', assetId, ...file })).toEqual([]);
    expect(entries(workspace, { type: 'RemoveUpload', assetId })).toEqual([]);
  });

  test('a Member with hundreds of keys, who is removed in several steps, is removed once', () => {
    const workspace = aWorkspace();
    const memberId = workspace.member();
    for (let count = 0; count < 250; count++)
      workspace.must({ ...keyMaking(workspace, workspace.uuid()), memberId } as Asking);
    expect(entry(workspace, { type: 'RemoveMember', memberId }).action).toBe('member.removed');
    expect(Object.values(workspace.workspace.keys).every(({ revoked }) => revoked)).toBe(true);
  });
});

describe('who did it, and from where', () => {
  test('a Member, a key and an app are named as they are called in that turn, with the Member behind them', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const memberId = owner(workspace);
    const [keyId, approvalId] = [workspace.key(), workspace.approval()];
    const asked = (credential: unknown) => ({ ...workspace.creating(later(workspace)), credential }) as Command;
    const actorOf = (credential: unknown, text: string) =>
      entry(workspace, { ...asked(credential), text, digest: text } as Command).actor;
    expect(actorOf({ kind: 'member', memberId }, '1')).toEqual({
      kind: 'member',
      id: memberId,
      name: 'Ada',
      memberName: 'Ada',
    });
    expect(actorOf({ kind: 'key', keyId }, '2')).toEqual({ kind: 'key', id: keyId, name: 'a key', memberName: 'Ada' });
    expect(actorOf({ kind: 'app', approvalId }, '3')).toEqual({
      kind: 'app',
      id: approvalId,
      name: 'an app',
      memberName: 'Ada',
    });
    expect(actorOf(null, '4')).toEqual({ kind: 'operator', id: null, name: null, memberName: null });
  });

  test('who leaves is told from who is removed', () => {
    const workspace = aWorkspace();
    const memberId = workspace.member();
    const credential = { kind: 'member', memberId } as const;
    expect(entry(workspace, { type: 'RemoveMember', memberId, credential })).toMatchObject({
      action: 'member.left',
      actor: { kind: 'member', id: memberId, name: 'Bob' },
    });
  });

  test('what comes by signing in is of the Member, and what an operator does is of the operator', () => {
    const doors = (['app', 'admin'] as const).map((door) => {
      const workspace = aWorkspace({ emailVerified: false });
      const origin = { door, address: door === 'app' ? '192.0.2.7' : null };
      const verified = entry(workspace, { type: 'VerifyEmail', memberId: owner(workspace), origin });
      const approved = entry(workspace, { ...workspace.approving(), origin });
      const revoked = entry(workspace, { type: 'RevokeApproval', approvalId: approved.subject.id, origin });
      expect(verified.origin).toEqual(origin);
      return [verified, approved, revoked].map(({ actor }) => actor.kind);
    });
    expect(doors).toEqual([
      ['member', 'member', 'crier'],
      ['operator', 'operator', 'operator'],
    ]);
  });
});

describe('reports that change what people rely on', () => {
  test('a Channel that has to be reconnected: once', () => {
    const workspace = aWorkspace();
    const channelId = workspace.channel('threads');
    const mark = (state: 'connected' | 'needs_reconnect', seenAt: number) =>
      entries(workspace, { type: 'MarkChannel', workspaceId: workspace.id, channelId, state, seenAt });
    const { now } = workspace;
    expect(mark('connected', now + 1)).toEqual([]);
    expect(mark('needs_reconnect', now + 2)).toMatchObject([
      {
        action: 'channel.needs_reconnect',
        actor: { kind: 'network', id: 'threads' },
        origin: null,
        subject: { kind: 'channel', id: channelId },
      },
    ]);
    expect(mark('needs_reconnect', now + 2)).toEqual([]);
    expect(mark('needs_reconnect', now + 3)).toEqual([]);
  });

  test('an account that was erased: no entry of its Channel names it, before or after', () => {
    const workspace = aWorkspace();
    const channelId = workspace.uuid();
    workspace.must(connecting(channelId));
    workspace.must({ type: 'SetChannelDefaults', channelId, defaults: { firstComment: 'Hi' } as never });
    const erasing: Command = {
      type: 'EraseAccount',
      workspaceId: workspace.id,
      channelId,
      requestedAt: workspace.now + HOUR,
    };
    expect(entry(workspace, erasing).action).toBe('channel.erased');
    expect(entries(workspace, erasing)).toEqual([]);
    expect(workspace.audit.filter(({ subject }) => subject.id === channelId).length).toBeGreaterThan(1);
    expect(JSON.stringify(workspace.audit)).not.toContain('Private Person');
  });

  test('a Downgrade that comes due names the Channels that it disconnects', () => {
    const workspace = aWorkspace({ plan: 'pro' });
    const channels = Array.from({ length: 8 }, () => workspace.channel('threads'));
    workspace.must({ type: 'SetPlan', plan: 'free', effectiveAt: workspace.now + DAY });
    const before = workspace.audit.length;
    workspace.advance(DAY);
    const gone = channels.filter((id) => workspace.workspace.channels[id]!.state === 'not_connected');
    expect(gone.length).toBeGreaterThan(0);
    expect(workspace.audit.slice(before)).toMatchObject([
      {
        action: 'plan.changed',
        actor: { kind: 'crier' },
        detail: { plan: 'free', formerPlan: 'pro', disconnected: gone },
      },
    ]);
  });

  test('publishing is not audited: it is shown with the Post', () => {
    const workspace = aWorkspace();
    workspace.channel('threads');
    const postId = workspace.post();
    const before = workspace.audit.length;
    workspace.succeed(postId);
    expect(workspace.audit).toHaveLength(before);
  });
});

describe('an entry is small and holds no secret', () => {
  test('long texts and names are cut, and never in the middle of a character', () => {
    const workspace = aWorkspace();
    const channelId = workspace.channel('threads');
    const text = `${'😀'.repeat(60)} the end`;
    const post = entry(workspace, workspace.creating({ ...later(workspace), text, channelIds: [channelId] }));
    expect(post.subject.name).toMatch(/^(😀)+…$/u);
    expect(post.subject.name!.length).toBeLessThanOrEqual(80);
    const origin = { door: 'api', address: 'f'.repeat(10_000) } as const;
    const renamed = entry(workspace, { type: 'RenameWorkspace', name: 'x'.repeat(100_000), origin });
    const back = entry(workspace, { type: 'RenameWorkspace', name: 'short', origin });
    for (const each of [post, renamed, back]) expect(JSON.stringify(each).length).toBeLessThan(1_000);
  });

  test('keys, secrets of endpoints and what their address holds beside the host stay out', () => {
    const workspace = aWorkspace();
    const [keyId, endpointId] = [workspace.uuid(), workspace.uuid()];
    const made = [
      entry(workspace, keyMaking(workspace, keyId)),
      entry(workspace, { ...registering(endpointId, workspace.key(['webhooks:manage'])) }),
    ];
    expect(made.map(({ action }) => action)).toEqual(['key.created', 'endpoint.registered']);
    expect(JSON.stringify(made)).not.toMatch(/secret/);
  });

  test('every action is one of the list', () => {
    expect(new Set(AUDIT_ACTIONS).size).toBe(AUDIT_ACTIONS.length);
  });
});
