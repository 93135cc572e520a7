import type {
  CopyPicture,
  DeadLetter,
  DeliverEvent,
  EndConnection,
  KeepConnection,
  Message,
  PrepareMedia,
  PublishComment,
  PublishVariant,
  ReadMetrics,
  RemoveFiles,
  RemovePicture,
  TimerSet,
  VariantOutcome,
} from '#messages/messages.ts';
import { perNetwork, type Network } from '#domain/network.ts';
import type { Command, ReplayDelivery, SendTestEvent } from '#domain/workspace/commands.ts';
import { partitionOf } from '#ports/log.ts';

export interface Topic {
  readonly name: string;
  /** Fixed for life: keys are placed by it. */
  readonly partitions: number;
  readonly doc: string;
  /** How long a cluster keeps records at least, and the embedded log those that no group reads; default 14 days. */
  readonly retentionDays?: number;
}

/** A topic with all types of messages that it carries: a type that is left out does not compile. */
export interface MessageTopic<M extends Message> extends Topic {
  readonly carries: Readonly<Record<M['type'], true>>;
}

/** A topic of jobs for one service: fewer keys are worked on at once than there are Workspaces. */
function jobTopic<M extends Message>(name: string, doc: string, carries: MessageTopic<M>['carries']): MessageTopic<M> {
  return { name, partitions: 16, doc, carries };
}

export const WORKSPACE_COMMANDS: MessageTopic<Command> = {
  name: 'workspace.commands.v1',
  partitions: 64,
  doc: 'Every change to a Workspace, keyed by it',
  carries: {
    CreateWorkspace: true,
    RenameWorkspace: true,
    SetZone: true,
    HoldPublishing: true,
    ReleasePublishing: true,
    CreatePost: true,
    CancelPost: true,
    VoidFileAddresses: true,
    RetryVariant: true,
    ConnectChannel: true,
    SetChannelDefaults: true,
    DisconnectChannel: true,
    SetPlan: true,
    AddCredits: true,
    AddMember: true,
    RemoveMember: true,
    VerifyEmail: true,
    ChangeMemberRole: true,
    InviteMember: true,
    RevokeInvitation: true,
    AcceptInvitation: true,
    ApproveApp: true,
    RevokeApproval: true,
    CreateKey: true,
    RevokeKey: true,
    ReserveUpload: true,
    CompleteUpload: true,
    RemoveUpload: true,
    RegisterEndpoint: true,
    DeleteEndpoint: true,
    RotateEndpointSecret: true,
    ResealEndpoint: true,
    SendTestEvent: true,
    ReplayDelivery: true,
    VariantsDue: true,
    PublishSucceeded: true,
    PublishFailed: true,
    PublishUnconfirmed: true,
    PublishHeld: true,
    FirstCommentEnded: true,
    MarkChannel: true,
    EraseAccount: true,
    PictureCopied: true,
    PlanDue: true,
    ContinueSweep: true,
    FileFetched: true,
    MediaPrepared: true,
    MediaFailed: true,
    UploadExpired: true,
    FilesDue: true,
  },
};
export const WORKSPACE_EVENTS: MessageTopic<VariantOutcome> = {
  name: 'workspace.events.v1',
  partitions: 64,
  doc: 'What became of Variants, keyed by Workspace',
  carries: { VariantPublished: true, VariantFailed: true },
};
/** Partition = scheduler shard = partition of the Workspace's commands. */
export const TIMERS: MessageTopic<TimerSet> = {
  name: 'timers.v1',
  partitions: 64,
  doc: 'Timers due within the look-ahead, by shard',
  retentionDays: 2,
  carries: { TimerSet: true },
};
export const WEBHOOK_DELIVERIES: MessageTopic<DeliverEvent | SendTestEvent | ReplayDelivery> = {
  name: 'webhook.deliveries.v1',
  partitions: 64,
  doc: 'Deliveries, keyed by endpoint',
  carries: { DeliverEvent: true, SendTestEvent: true, ReplayDelivery: true },
};
export const MEDIA_JOBS = jobTopic<PrepareMedia>(
  'media.jobs.v1',
  'Files to make ready, keyed by the Post they are for',
  { PrepareMedia: true },
);
export const MEDIA_REMOVALS = jobTopic<RemoveFiles>(
  'media.removals.v1',
  'Assets whose files are to be deleted, keyed by asset',
  { RemoveFiles: true },
);
export const CHANNEL_PICTURES = jobTopic<CopyPicture | RemovePicture>(
  'channel.pictures.v1',
  "Pictures of Channels' accounts to copy or to delete, keyed by Channel",
  { CopyPicture: true, RemovePicture: true },
);
export const METRICS_READINGS = jobTopic<ReadMetrics>('metrics.readings.v1', 'Readings of figures, keyed by Channel', {
  ReadMetrics: true,
});
export const CONNECTION_UPKEEP = jobTopic<KeepConnection | EndConnection>(
  'connections.upkeep.v1',
  'Upkeep of Connections, and their end, keyed by Channel',
  { KeepConnection: true, EndConnection: true },
);
export const DEAD_LETTERS: MessageTopic<DeadLetter> = {
  name: 'dead-letters.v1',
  partitions: 8,
  doc: 'Records that could not be handled, keyed by source',
  retentionDays: 90,
  carries: { DeadLetter: true },
};

/** Jobs of one Network, keyed by Channel. */
export const PUBLISH: Readonly<Record<Network, MessageTopic<PublishVariant | PublishComment>>> = perNetwork((network) =>
  jobTopic<PublishVariant | PublishComment>(`publish.${network}.v1`, `Attempts at ${network}, keyed by Channel`, {
    PublishVariant: true,
    PublishComment: true,
  }),
);

export const TOPICS: readonly Topic[] = [
  WORKSPACE_COMMANDS,
  WORKSPACE_EVENTS,
  TIMERS,
  WEBHOOK_DELIVERIES,
  MEDIA_JOBS,
  MEDIA_REMOVALS,
  CHANNEL_PICTURES,
  METRICS_READINGS,
  CONNECTION_UPKEEP,
  DEAD_LETTERS,
  ...Object.values(PUBLISH),
];

/** Scheduler shards = partitions of Workspace commands. */
export const SHARDS = WORKSPACE_COMMANDS.partitions;

/** A Workspace's scheduler shard is the partition of its commands. */
export function shardOf(workspaceId: string): number {
  return partitionOf(workspaceId, SHARDS);
}
