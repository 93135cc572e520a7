import type { AuditAction } from '#domain/workspace/audit.ts';

/** What was done, before the name of what it was done to. */
export const ACTION_WORDS: Readonly<Record<AuditAction, string>> = {
  'workspace.created': 'made the Workspace',
  'workspace.renamed': 'renamed the Workspace to',
  'workspace.zone_changed': 'set the time zone of',
  'publishing.held': 'held publishing in',
  'publishing.released': 'released publishing in',
  'post.created': 'made the Post',
  'post.replaced': 'replaced a Post by',
  'post.cancelled': 'cancelled the Post',
  'post.addresses_voided': 'made the addresses of its files void for the Post',
  'variant.retried': 'retried the Post',
  'channel.connected': 'connected the Channel',
  'channel.reconnected': 'connected the Channel again',
  'channel.disconnected': 'disconnected the Channel',
  'channel.defaults_changed': 'changed the defaults of the Channel',
  'channel.needs_reconnect': 'no longer accepts the Channel',
  'channel.erased': 'erased what was known of the Channel',
  'plan.changed': 'changed the Plan of',
  'plan.change_scheduled': 'scheduled a change of the Plan of',
  'plan.change_withdrawn': 'withdrew the coming change of the Plan of',
  'credits.added': 'added X credits to',
  'member.added': 'added the Member',
  'member.joined': 'joined as',
  'member.removed': 'removed the Member',
  'member.left': 'left the Workspace:',
  'member.role_changed': 'changed the role of',
  'member.email_verified': 'confirmed the e-mail address of',
  'member.invited': 'invited',
  'invitation.revoked': 'revoked the invitation of',
  'app.approved': 'let an app act:',
  'app.revoked': 'revoked the app',
  'key.created': 'created the API key',
  'key.revoked': 'revoked the API key',
  'endpoint.registered': 'registered the webhook endpoint',
  'endpoint.deleted': 'removed the webhook endpoint',
  'endpoint.secret_rotated': 'changed the secret of the webhook endpoint',
  'endpoint.tested': 'sent a test event to the webhook endpoint',
  'endpoint.replayed': 'sent an event again to the webhook endpoint',
};

interface ActionGroup {
  readonly value: string;
  readonly name: string;
  /** What the names of its actions begin with. */
  readonly beginnings: readonly string[];
}

/** What entries can be filtered by: every action is in one of them. */
export const ACTION_GROUPS: readonly ActionGroup[] = [
  { value: 'posts', name: 'Posts', beginnings: ['post.', 'variant.'] },
  { value: 'channels', name: 'Channels', beginnings: ['channel.'] },
  { value: 'people', name: 'Members and invitations', beginnings: ['member.', 'invitation.'] },
  { value: 'access', name: 'Keys and apps', beginnings: ['key.', 'app.'] },
  { value: 'webhooks', name: 'Webhooks', beginnings: ['endpoint.'] },
  {
    value: 'plan',
    name: 'Plan, credits and Workspace',
    beginnings: ['plan.', 'credits.', 'workspace.', 'publishing.'],
  },
];

/** Undefined: every action. */
export function actionsOf(group: string | undefined): AuditAction[] | undefined {
  const beginnings = ACTION_GROUPS.find(({ value }) => value === group)?.beginnings;
  if (beginnings === undefined) return undefined;
  return (Object.keys(ACTION_WORDS) as AuditAction[]).filter((action) =>
    beginnings.some((beginning) => action.startsWith(beginning)),
  );
}
