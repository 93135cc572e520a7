import fc, { type Arbitrary } from 'fast-check';
import type { Message, MessageType } from '#messages/messages.ts';
import { ACCEPTED_TYPES, type FileFacts } from '#domain/media/file-facts.ts';
import { NETWORKS, PLACEMENTS } from '#domain/network.ts';
import { PLANS } from '#domain/plan/plan.ts';
import { MAX_VARIANTS, postIdOf, variantIdOf } from '#domain/post/ids.ts';
import type { ChannelDefaults, ChannelOptions } from '#domain/post/channel-options.ts';
import { FAILURE_REASONS } from '#schemas/http/variant-words.ts';
import type { FailureReason } from '#domain/post/post.ts';
import type { MediaReference } from '#domain/post/media-reference.ts';
import { OUTCOME_TYPES } from '#domain/webhook/outcome-type.ts';
import { DOORS, type Origin } from '#domain/workspace/request-envelope.ts';
import { PERMISSIONS, REGISTRATIONS, MEMBER_ROLES, type KeyLimits } from '#domain/workspace/state.ts';

type Arbitraries = { readonly [Type in MessageType]: Arbitrary<Message & { readonly type: Type }> };

const uuid7 = fc.uuid({ version: 7 });
const postId = uuid7.map(postIdOf);
const variantNumber = fc.integer({ min: 1, max: MAX_VARIANTS });
const variantId = fc.tuple(postId, variantNumber).map(([id, number]) => variantIdOf(id, number));
/** Any instant of the next centuries: past 2^31 seconds, and past 2^42 ms. */
const instant = fc.integer({ min: 0, max: 10_000_000_000_000 });
const attempt = fc.integer({ min: 1, max: 1_000 });
const network = fc.constantFrom(...NETWORKS);
const placement = fc.constantFrom(...PLACEMENTS);
const plan = fc.constantFrom(...PLANS);
const role = fc.constantFrom(...MEMBER_ROLES);
/** Whole characters of any script, including emoji; never half a surrogate pair, for which UTF-8 has no bytes. */
const text = fc.string({ unit: 'binary', maxLength: 60 });
const hash = fc.stringMatching(/^[0-9a-f]{64}$/);
const bytes = fc.uint8Array({ maxLength: 200 });
const orNull = <T>(arbitrary: Arbitrary<T>): Arbitrary<T | null> => fc.option(arbitrary, { nil: null });

const failureReason = fc.constantFrom(
  ...FAILURE_REASONS.filter((reason): reason is Exclude<FailureReason, 'unconfirmed'> => reason !== 'unconfirmed'),
);

const asked = {
  workspaceId: uuid7,
  requestId: uuid7,
  issuedAt: instant,
  notAfter: instant,
  replyTo: fc.webUrl(),
  credential: orNull(
    fc.oneof(
      fc.record({ kind: fc.constant('key' as const), keyId: uuid7 }, { noNullPrototype: true }),
      fc.record({ kind: fc.constant('app' as const), approvalId: uuid7 }, { noNullPrototype: true }),
      fc.record({ kind: fc.constant('member' as const), memberId: uuid7 }, { noNullPrototype: true }),
    ),
  ),
  // Absent in some: `message` drops those.
  origin: fc.option(
    fc.record({ door: fc.constantFrom(...DOORS), address: orNull(fc.ipV6()) }, { noNullPrototype: true }),
    { nil: undefined },
  ) as Arbitrary<Origin>,
};

const report = { workspaceId: uuid7, variantId, attempt };

const outcome = {
  workspaceId: uuid7,
  eventId: uuid7,
  postId,
  variantId,
  createdAt: instant,
  body: fc.json(),
  endpointIds: fc.array(uuid7, { maxLength: 10 }),
};

/** An optional key is absent, never undefined. */
function withoutAbsent<Fields extends object>(values: Fields): Fields {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Fields;
}

/** Keys stand in the order of the schemas, so that even the JSON of a decoded message can be compared. */
function message<Type extends MessageType, Fields extends object>(
  type: Type,
  fields: { readonly [Key in keyof Fields]: Arbitrary<Fields[Key]> },
): Arbitrary<{ readonly type: Type } & Fields> {
  return fc.record(fields, { noNullPrototype: true }).map((values) => ({ type, ...withoutAbsent(values as Fields) }));
}

const acceptedType = fc.constantFrom(...ACCEPTED_TYPES);
const texts = fc.array(text, { maxLength: 3 });
/** No -0: JSON has none, and what is compared went through it. */
const fraction = fc.integer({ min: 0, max: 100 }).map((hundredths) => hundredths / 100);
const fileBytes = fc.integer({ min: 1, max: 2 ** 31 });
const pixels = fc.integer({ min: 1, max: 2 ** 31 - 1 });

const fileFacts: Arbitrary<FileFacts> = fc.record(
  {
    kind: fc.constantFrom('image' as const, 'video' as const),
    contentType: acceptedType,
    bytes: fileBytes,
    sha256: hash,
    width: pixels,
    height: pixels,
    durationMs: orNull(fc.integer({ min: 1, max: 10 ** 10 })),
  },
  { noNullPrototype: true },
);

const inspected = fc.record(
  { assetId: uuid7, contentType: orNull(acceptedType), bytes: orNull(fileBytes), problem: orNull(text) },
  { noNullPrototype: true },
);

/** Each optional key is present or not: an absent key differs from an undefined one. */
const optional: { requiredKeys: never[]; noNullPrototype: true } = { requiredKeys: [], noNullPrototype: true };
const socialChoices = {
  link: fc.boolean(),
  collaborators: texts,
  shareToFeed: fc.boolean(),
  userTags: fc.array(fc.record({ username: text, x: fraction, y: fraction }, { noNullPrototype: true }), {
    maxLength: 3,
  }),
};
const furtherChoices = {
  privacy: fc.constantFrom('public', 'friends', 'followers', 'only_me', 'unlisted', 'private'),
  allowComments: fc.boolean(),
  allowDuet: fc.boolean(),
  allowStitch: fc.boolean(),
  brandedContent: fc.boolean(),
  ownBrand: fc.boolean(),
  aiGenerated: fc.boolean(),
  autoMusic: fc.boolean(),
  madeForKids: fc.boolean(),
  tags: texts,
  categoryId: text,
  playlistIds: texts,
  syntheticMedia: fc.boolean(),
  notifySubscribers: fc.boolean(),
  replySettings: fc.constantFrom('everyone', 'following', 'mentioned'),
  madeWithAi: fc.boolean(),
  topicTag: text,
  replyControl: fc.constantFrom('everyone', 'followed', 'mentioned'),
};

const channelOptions: Arbitrary<ChannelOptions> = fc.record(
  {
    placement: fc.constantFrom(...PLACEMENTS, 'feed_and_story' as const),
    youtube: fc.record({ title: text }, optional),
    text,
    firstComment: text,
    cover: fc.record({ assetId: uuid7, url: fc.webUrl(), inspected, atSeconds: fraction }, optional),
    ...socialChoices,
    title: text,
    ...furtherChoices,
  },
  optional,
);
const channelDefaults: Arbitrary<ChannelDefaults> = fc.record(
  { firstComment: text, ...socialChoices, ...furtherChoices },
  optional,
);

const mediaReference: Arbitrary<MediaReference> = fc.record(
  { assetId: uuid7, url: fc.webUrl(), altText: text, inspected },
  { requiredKeys: [], noNullPrototype: true },
);

const connectedChannel = {
  ...asked,
  channelId: uuid7,
  network,
  name: text,
  avatarUrl: orNull(fc.webUrl()),
  accountId: text,
  kind: fc.constantFrom('', 'page', 'premium'),
};

/** An arbitrary for every type of message. */
export const arbitraryMessages: Arbitraries = {
  CreateWorkspace: message('CreateWorkspace', {
    ...asked,
    name: text,
    plan,
    owner: fc.record(
      { memberId: uuid7, name: text, email: fc.emailAddress(), emailVerified: fc.boolean() },
      { noNullPrototype: true },
    ),
    timeZone: fc.option(text, { nil: undefined }) as Arbitrary<string>,
  }),
  CreatePost: message('CreatePost', {
    ...asked,
    postId,
    text,
    channelIds: fc.array(uuid7, { maxLength: 30 }),
    scheduledAt: orNull(instant),
    media: fc.array(mediaReference, { maxLength: 10 }),
    channelOptions: fc.dictionary(uuid7, channelOptions, { maxKeys: 6, noNullPrototype: true }),
    digest: hash,
    idempotencyKey: orNull(text),
    keyDigest: fc.option(text, { nil: undefined }) as Arbitrary<string>,
    dryRun: fc.boolean(),
    // Absent in some, as above.
    replaces: fc.option(postId, { nil: undefined }) as Arbitrary<string>,
  }),
  RenameWorkspace: message('RenameWorkspace', { ...asked, name: text }),
  SetZone: message('SetZone', { ...asked, timeZone: text }),
  HoldPublishing: message('HoldPublishing', { ...asked, reason: text }),
  ReleasePublishing: message('ReleasePublishing', asked),
  CancelPost: message('CancelPost', { ...asked, postId }),
  VoidFileAddresses: message('VoidFileAddresses', { ...asked, postId }),
  RetryVariant: message('RetryVariant', { ...asked, variantId }),
  ConnectChannel: fc
    .tuple(
      message('ConnectChannel', connectedChannel),
      fc.record({ connectionId: text, defaults: channelDefaults }, optional),
    )
    .map(([command, more]) => ({ ...command, ...more })),
  SetChannelDefaults: message('SetChannelDefaults', { ...asked, channelId: uuid7, defaults: channelDefaults }),
  DisconnectChannel: message('DisconnectChannel', { ...asked, channelId: uuid7, memberId: orNull(uuid7) }),
  SetPlan: message('SetPlan', { ...asked, plan, effectiveAt: orNull(instant) }),
  AddCredits: message('AddCredits', { ...asked, credits: fc.integer({ min: 0, max: 1_000_000_000_000 }) }),
  AddMember: fc
    .tuple(
      message('AddMember', { ...asked, memberId: uuid7, name: text, email: fc.emailAddress() }),
      fc.record({ role }, optional),
    )
    .map(([command, more]) => ({ ...command, ...more })),
  RemoveMember: message('RemoveMember', { ...asked, memberId: uuid7 }),
  VerifyEmail: message('VerifyEmail', { ...asked, memberId: uuid7 }),
  ChangeMemberRole: message('ChangeMemberRole', { ...asked, memberId: uuid7, role }),
  InviteMember: message('InviteMember', {
    ...asked,
    invitationId: uuid7,
    email: fc.emailAddress(),
    name: orNull(text),
    role,
    invitedBy: orNull(uuid7),
    expiresAt: instant,
  }),
  RevokeInvitation: message('RevokeInvitation', { ...asked, invitationId: uuid7 }),
  AcceptInvitation: message('AcceptInvitation', {
    ...asked,
    invitationId: uuid7,
    memberId: uuid7,
    email: fc.emailAddress(),
    name: text,
  }),
  ApproveApp: message('ApproveApp', {
    ...asked,
    approvalId: uuid7,
    clientId: fc.webUrl(),
    name: text,
    registered: fc.constantFrom(...REGISTRATIONS),
    redirectHost: fc.domain(),
    memberId: uuid7,
    permissions: fc.subarray([...PERMISSIONS]),
    forget: fc.array(uuid7, { maxLength: 5 }),
  }),
  RevokeApproval: message('RevokeApproval', { ...asked, approvalId: uuid7 }),
  CreateKey: message('CreateKey', {
    ...asked,
    keyId: uuid7,
    memberId: uuid7,
    name: text,
    permissions: fc.subarray([...PERMISSIONS]),
    tokenHash: hash,
    limits: fc.option(
      fc.record(
        {
          expiresAt: orNull(instant),
          readOnly: fc.boolean(),
          allowedIps: fc.array(fc.oneof(fc.ipV4(), fc.ipV6()), { maxLength: 3 }),
        },
        { noNullPrototype: true },
      ),
      { nil: undefined },
    ) as Arbitrary<KeyLimits>,
  }),
  RevokeKey: message('RevokeKey', { ...asked, keyId: uuid7 }),
  ReserveUpload: message('ReserveUpload', {
    ...asked,
    assetId: uuid7,
    filename: text,
    contentType: acceptedType,
    bytes: fileBytes,
  }),
  CompleteUpload: message('CompleteUpload', {
    ...asked,
    assetId: uuid7,
    file: orNull(fc.record({ blob: text, facts: fileFacts }, { noNullPrototype: true })),
    problem: orNull(text),
  }),
  RemoveUpload: message('RemoveUpload', { ...asked, assetId: uuid7 }),
  UploadExpired: message('UploadExpired', { workspaceId: uuid7, assetId: uuid7, expiresAt: instant }),
  FilesDue: message('FilesDue', {
    workspaceId: uuid7,
    postId,
    assetIds: fc.array(uuid7, { maxLength: 5 }),
    attempts: attempt,
    dueAt: instant,
  }),
  RemoveFiles: message('RemoveFiles', { workspaceId: uuid7, assetId: uuid7 }),
  RegisterEndpoint: message('RegisterEndpoint', {
    ...asked,
    endpointId: uuid7,
    url: fc.webUrl(),
    events: fc.subarray([...OUTCOME_TYPES]),
    sealedSecret: text,
  }),
  DeleteEndpoint: message('DeleteEndpoint', { ...asked, endpointId: uuid7 }),
  RotateEndpointSecret: message('RotateEndpointSecret', { ...asked, endpointId: uuid7, sealedSecret: text }),
  ResealEndpoint: message('ResealEndpoint', {
    ...asked,
    endpointId: uuid7,
    secrets: fc.array(fc.record({ from: text, to: text }, { noNullPrototype: true }), { maxLength: 5 }),
  }),
  VariantsDue: message('VariantsDue', {
    workspaceId: uuid7,
    posts: fc.array(
      fc.record(
        { postId, attempt, variants: fc.uniqueArray(variantNumber, { minLength: 1, maxLength: 12 }) },
        { noNullPrototype: true },
      ),
      { maxLength: 8 },
    ),
  }),
  PublishSucceeded: message('PublishSucceeded', { ...report, remoteId: text, permalink: orNull(fc.webUrl()) }),
  PublishFailed: message('PublishFailed', { ...report, reason: failureReason, detail: text }),
  PublishHeld: message('PublishHeld', report),
  PublishUnconfirmed: message('PublishUnconfirmed', { ...report, detail: text }),
  MarkChannel: message('MarkChannel', {
    workspaceId: uuid7,
    channelId: uuid7,
    state: fc.constantFrom('connected' as const, 'needs_reconnect' as const),
    seenAt: instant,
  }),
  PlanDue: message('PlanDue', { workspaceId: uuid7 }),
  ContinueSweep: message('ContinueSweep', {
    workspaceId: uuid7,
    sweepId: uuid7,
    dueWeek: fc.integer({ min: 0, max: 20_000 }),
    afterPostId: orNull(postId),
  }),
  FileFetched: message('FileFetched', { workspaceId: uuid7, postId, assetId: uuid7, facts: fileFacts, blob: text }),
  MediaPrepared: message('MediaPrepared', {
    workspaceId: uuid7,
    postId,
    variants: fc.uniqueArray(variantNumber, { maxLength: 12 }),
  }),
  MediaFailed: message('MediaFailed', {
    workspaceId: uuid7,
    postId,
    attempt,
    variants: fc.uniqueArray(variantNumber, { maxLength: 12 }),
    detail: text,
  }),
  VariantPublished: message('VariantPublished', outcome),
  VariantFailed: message('VariantFailed', outcome),
  FirstCommentEnded: message('FirstCommentEnded', {
    workspaceId: uuid7,
    variantId,
    status: fc.constantFrom('published' as const, 'failed' as const, 'unconfirmed' as const),
    permalink: orNull(fc.webUrl()),
    detail: orNull(text),
  }),
  PublishComment: message('PublishComment', {
    workspaceId: uuid7,
    variantId,
    network,
    channelId: uuid7,
    accountId: text,
    itemId: text,
    dueAt: instant,
    latestStart: instant,
    why: fc.constantFrom('due' as const, 'continue' as const, 'watchdog' as const),
  }),
  PublishVariant: message('PublishVariant', {
    workspaceId: uuid7,
    variantId,
    attempt,
    network,
    placement,
    channelId: uuid7,
    accountId: text,
    dueAt: instant,
    latestStart: instant,
    reconcileFirst: fc.boolean(),
    why: fc.constantFrom('due' as const, 'continue' as const, 'watchdog' as const),
  }),
  ReadMetrics: message('ReadMetrics', {
    workspaceId: uuid7,
    variantId,
    network,
    channelId: uuid7,
    remoteId: text,
    publishedAt: instant,
    dueAt: instant,
  }),
  KeepConnection: message('KeepConnection', {
    workspaceId: uuid7,
    channelId: uuid7,
    network,
    connectedAt: instant,
    dueAt: instant,
  }),
  EndConnection: message('EndConnection', {
    workspaceId: uuid7,
    channelId: uuid7,
    network,
    connectionId: orNull(text),
    tries: fc.nat(100),
  }),
  EraseAccount: message('EraseAccount', { workspaceId: uuid7, channelId: uuid7, requestedAt: instant }),
  CopyPicture: message('CopyPicture', {
    workspaceId: uuid7,
    channelId: uuid7,
    connectedAt: instant,
    askedAt: instant,
    url: fc.webUrl(),
    tries: fc.nat(10),
  }),
  RemovePicture: message('RemovePicture', { workspaceId: uuid7, channelId: uuid7, blob: text }),
  PictureCopied: message('PictureCopied', {
    workspaceId: uuid7,
    channelId: uuid7,
    connectedAt: instant,
    askedAt: instant,
    blob: text,
  }),
  PrepareMedia: message('PrepareMedia', { workspaceId: uuid7, postId, tries: fc.nat(10) }),
  DeliverEvent: message('DeliverEvent', {
    workspaceId: uuid7,
    endpointId: uuid7,
    deliveryId: uuid7,
    round: fc.oneof(fc.constant(''), uuid7),
    roundSince: instant,
    attempt,
    dueAt: instant,
    putOff: fc.integer({ min: 0, max: 1_000 }),
  }),
  ReplayDelivery: message('ReplayDelivery', {
    ...asked,
    endpointId: uuid7,
    deliveryId: uuid7,
    round: uuid7,
    askedAt: instant,
  }),
  SendTestEvent: message('SendTestEvent', {
    ...asked,
    endpointId: uuid7,
    eventId: uuid7,
    eventType: fc.constantFrom(...OUTCOME_TYPES),
    createdAt: instant,
    body: fc.json(),
  }),
  TimerSet: message('TimerSet', {
    shard: fc.integer({ min: 0, max: 63 }),
    timerId: text,
    dueAt: instant,
    topic: fc.constantFrom('workspace.commands.v1', 'publish.x.v1'),
    key: uuid7,
    payload: bytes,
  }),
  DeadLetter: message('DeadLetter', {
    topic: text,
    partition: fc.integer({ min: 0, max: 63 }),
    offset: fc.integer({ min: 0, max: 2 ** 52 }),
    key: text,
    value: bytes,
    error: text,
    at: instant,
  }),
};

export const anyMessage: Arbitrary<Message> = fc.oneof(...Object.values<Arbitrary<Message>>(arbitraryMessages));
