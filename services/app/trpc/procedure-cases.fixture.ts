import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { variantIdOf } from '#domain/post/ids.ts';
import { deliveryIdOf, FIRST_ROUND } from '#domain/webhook/delivery.ts';
import type { MemberRole } from '#domain/workspace/state.ts';
import { createDeliveryRows } from '#tables/repositories/deliveries.ts';
import { DAY, type Scenario } from '#testing/scenario.ts';
import type { TrpcHarness } from './trpc-harness.fixture.ts';

/** Ids of what is in one Workspace. */
export interface Things {
  readonly workspaceId: string;
  readonly channelId: string;
  /** Scheduled for tomorrow. */
  readonly postId: string;
  /** Failed. */
  readonly variantId: string;
  readonly keyId: string;
  readonly approvalId: string;
  readonly endpointId: string;
  readonly deliveryId: string;
  /** An editor. */
  readonly memberId: string;
  readonly invitationId: string;
  /** Sent, and not completed yet. */
  readonly assetId: string;
}

/** One of everything, whose other owners are others than who calls. */
export async function furnish({ world, clock }: TrpcHarness, scenario: Scenario): Promise<Things> {
  const channelId = scenario.channel('x');
  const post = { channelIds: [channelId], scheduledAt: clock.now() + DAY };
  const failing = scenario.post({ ...post, text: 'It fails', scheduledAt: null });
  scenario.fail(failing);
  const [endpointId, invitationId, eventId] = [scenario.uuid(), scenario.uuid(), scenario.uuid()];
  const keyId = scenario.key();
  const credential = { kind: 'key', keyId } as const;
  const url = 'https://hooks.test/in';
  scenario.must({
    ...{ type: 'RegisterEndpoint', credential, endpointId, url, sealedSecret: 'sealed' },
    events: ['variant.published'],
  });
  scenario.must({
    ...{ type: 'InviteMember', invitationId, email: `${invitationId}@example.test`, name: null, role: 'editor' },
    ...{ invitedBy: null, expiresAt: clock.now() + DAY },
  });
  const assetId = scenario.uuid();
  const file = { filename: 'a.png', contentType: 'image/png', bytes: 100 } as const;
  scenario.must({ type: 'ReserveUpload', assetId, ...file });
  await world.blobs.put(`blob-${assetId}`, Readable.from([Buffer.alloc(file.bytes)]), { maxBytes: file.bytes });
  await world.uploads.arrive(assetId, { blob: `blob-${assetId}`, bytes: file.bytes, sha256: 'ab' });
  const deliveryId = deliveryIdOf(eventId, endpointId);
  await createDeliveryRows(world.store).make(
    { id: deliveryId, workspaceId: scenario.id, endpointId, eventId, type: 'variant.published', createdAt: 1 },
    { id: FIRST_ROUND, since: clock.now() },
    Buffer.from('{}'),
  );
  return {
    ...{ workspaceId: scenario.id, channelId, keyId, endpointId, invitationId, deliveryId, assetId },
    postId: scenario.post(post),
    variantId: variantIdOf(failing, 1),
    approvalId: scenario.approval(),
    memberId: scenario.member('editor'),
  };
}

export interface ProcedureCase {
  /** The lowest role that may; `account`: everybody who is signed in; `everybody`: without a session too. */
  readonly least: MemberRole | 'account' | 'everybody';
  /** Good input about these things, without `workspaceId`. */
  readonly input?: (things: Things) => Readonly<Record<string, unknown>>;
  /** The answer to ids of another Workspace; absent: 404. */
  readonly foreign?: number;
  /** Whether refusals of the role stand in an answer of 200, item by item. */
  readonly areRefusalsWithin?: true;
}

const endpoint = ({ endpointId }: Things) => ({ endpointId });
const channel = ({ channelId }: Things) => ({ channelId });
const onePost = ({ postId }: Things) => ({ postId });
const variant = ({ variantId }: Things) => ({ variantId });
const asset = ({ assetId }: Things) => ({ assetId });
const key = ({ keyId }: Things) => ({ keyId });
const written = ({ channelId }: Things) => ({ text: 'Written in a test', channelIds: [channelId] });
const range = () => ({ from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' });
const soon = '2026-11-25T09:00:00Z';

/** One case for each procedure that there is: a procedure without one fails the tests. */
export const PROCEDURE_CASES: Readonly<Record<string, ProcedureCase>> = {
  'session.get': { least: 'everybody' },
  events: { least: 'viewer' },
  'session.end': { least: 'account' },
  'sessions.list': { least: 'account' },
  'sessions.endAll': { least: 'account' },
  'sessions.end': { least: 'account', input: () => ({ sessionId: 'ab'.repeat(32) }) },
  'workspaces.list': { least: 'account' },
  'workspaces.create': {
    least: 'account',
    input: () => ({ name: 'Another', nonce: randomBytes(12).toString('base64url') }),
  },
  'workspaces.rename': { least: 'owner', input: () => ({ name: 'Renamed' }) },
  'workspaces.setZone': { least: 'owner', input: () => ({ timeZone: 'Europe/Berlin' }) },
  'members.list': { least: 'viewer' },
  'members.invite': { least: 'owner', input: () => ({ email: 'new@example.test', role: 'editor' }) },
  // Revoking what is not there is done already, as it is for an invitation that was revoked before.
  'members.revokeInvitation': { least: 'owner', input: ({ invitationId }) => ({ invitationId }), foreign: 200 },
  'members.changeRole': { least: 'owner', input: ({ memberId }) => ({ memberId, role: 'viewer' }) },
  'members.remove': { least: 'owner', input: ({ memberId }) => ({ memberId }) },
  'members.leave': { least: 'viewer' },
  'channels.list': { least: 'viewer' },
  'channels.connect': { least: 'owner', input: () => ({ network: 'threads' }) },
  'channels.reconnect': { least: 'editor', input: channel },
  'channels.disconnectPreview': { least: 'viewer', input: channel },
  'channels.disconnect': { least: 'owner', input: channel },
  'channels.options': { least: 'viewer', input: channel },
  'channels.setDefaults': { least: 'editor', input: (own) => ({ ...channel(own), defaults: { madeWithAi: true } }) },
  'keys.list': { least: 'viewer' },
  'keys.create': { least: 'editor', input: () => ({ name: 'a script', permissions: ['posts:schedule'] }) },
  'keys.revoke': { least: 'owner', input: key },
  'apps.list': { least: 'viewer' },
  'apps.revoke': { least: 'owner', input: ({ approvalId }) => ({ approvalId }) },
  'audit.list': { least: 'owner' },
  'posts.calendar': { least: 'viewer', input: range },
  missed: { least: 'viewer', input: () => ({ since: soon }) },
  'posts.failures': { least: 'viewer', input: range },
  // Posts of another Workspace are left out, as those that are gone are.
  'posts.cards': { least: 'viewer', input: ({ postId }) => ({ postIds: [postId] }), foreign: 200 },
  'posts.list': { least: 'viewer', input: () => ({ ...range(), limit: 20 }) },
  'posts.get': { least: 'viewer', input: onePost },
  'posts.draft': { least: 'viewer', input: onePost },
  'posts.create': { least: 'editor', input: (own) => ({ post: written(own) }), foreign: 422 },
  'posts.validate': { least: 'editor', input: (own) => ({ post: written(own) }), foreign: 200 },
  'posts.createBulk': {
    ...{ least: 'editor', foreign: 200, areRefusalsWithin: true },
    input: (own) => ({ posts: [written(own)] }),
  },
  'posts.cancel': { least: 'editor', input: onePost },
  'posts.voidFileAddresses': { least: 'editor', input: onePost },
  'posts.replace': {
    least: 'editor',
    input: (own) => ({ ...onePost(own), post: { ...written(own), scheduledAt: soon } }),
  },
  'posts.move': { least: 'editor', input: (own) => ({ ...onePost(own), scheduledAt: soon }) },
  'variants.retry': { least: 'editor', input: variant },
  'variants.attempts': { least: 'viewer', input: variant },
  'media.reserve': {
    least: 'editor',
    input: () => ({ file: { filename: 'a.png', contentType: 'image/png', bytes: 100 } }),
  },
  'media.complete': { least: 'editor', input: asset },
  'media.remove': { least: 'editor', input: asset },
  'webhooks.list': { least: 'editor' },
  'webhooks.create': {
    least: 'editor',
    input: () => ({ endpoint: { url: 'https://hooks.test/new', events: ['variant.failed'] } }),
  },
  'webhooks.remove': { least: 'editor', input: endpoint },
  'webhooks.test': { least: 'editor', input: endpoint },
  'webhooks.rotateSecret': { least: 'editor', input: endpoint },
  'webhooks.deliveries': { least: 'editor', input: (own) => ({ ...endpoint(own), limit: 5 }) },
  'webhooks.replay': { least: 'editor', input: (own) => ({ ...endpoint(own), deliveryId: own.deliveryId }) },
  'publishing.status': { least: 'viewer' },
  'publishing.hold': { least: 'owner', input: () => ({ reason: 'the wrong pictures' }) },
  'publishing.release': { least: 'owner' },
  'usage.get': { least: 'viewer' },
  'plan.get': { least: 'viewer' },
  'plan.change': { least: 'owner', input: () => ({ plan: 'agency' }) },
  'sandbox.advance': { least: 'owner', input: () => ({ minutes: 15 }) },
  'credits.buy': { least: 'owner', input: () => ({ credits: 10 }) },
};
