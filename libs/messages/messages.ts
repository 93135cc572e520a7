import type { Upkeep } from '#domain/channel/upkeep.ts';
import type { Network } from '#domain/network.ts';
import type { TraceCarrier } from '#domain/traceparent.ts';
import type { Command } from '#domain/workspace/commands.ts';
import type { MetricsReading } from '#domain/variant/metrics.ts';
import type { CommentJob, PublishJob } from '#domain/workspace/effects.ts';

/** A Variant's outcome, encoded once by the turn that caused it: `body` is the exact text of every webhook delivery. */
export interface VariantOutcome extends TraceCarrier {
  readonly type: 'VariantPublished' | 'VariantFailed';
  readonly workspaceId: string;
  /** Derived from Variant, attempt and type: the same on every replay. */
  readonly eventId: string;
  readonly postId: string;
  readonly variantId: string;
  readonly createdAt: number;
  readonly body: string;
  /** The endpoints that took such events when it was committed. */
  readonly endpointIds: readonly string[];
}

/** An attempt at a Variant: newly due, continued after a wait, or brought by its watchdog. */
export interface PublishVariant extends PublishJob, TraceCarrier {
  readonly type: 'PublishVariant';
  readonly why: 'due' | 'continue' | 'watchdog';
}

/** The first comment under a Variant: newly due, continued after a wait, or brought by its watchdog. */
export interface PublishComment extends CommentJob, TraceCarrier {
  readonly type: 'PublishComment';
  readonly why: PublishVariant['why'];
}

/** A published Variant's figures are to be read. */
export interface ReadMetrics extends MetricsReading {
  readonly type: 'ReadMetrics';
}

/** A Channel's Connection is to be renewed. */
export interface KeepConnection extends Upkeep {
  readonly type: 'KeepConnection';
}

/** The tokens of a Channel that was disconnected are to be ended at its Network, and then removed. */
export interface EndConnection {
  readonly type: 'EndConnection';
  readonly workspaceId: string;
  readonly channelId: string;
  readonly network: Network;
  /** Of these tokens; null: the Channel was connected before tokens had ids. */
  readonly connectionId: string | null;
  /** How often the Network could not be asked. */
  readonly tries: number;
}

/** The picture that a Network shows of a Channel's account is to be copied. */
export interface CopyPicture {
  readonly type: 'CopyPicture';
  readonly workspaceId: string;
  readonly channelId: string;
  /** When the Channel was connected: after a later connecting, this copy is not wanted. */
  readonly connectedAt: number;
  readonly askedAt: number;
  /** Where the Network has it. */
  readonly url: string;
  /** How often that address could not be reached for it. */
  readonly tries: number;
}

/** A copy of a picture is to be deleted: no Channel names it any more. */
export interface RemovePicture {
  readonly type: 'RemovePicture';
  readonly workspaceId: string;
  readonly channelId: string;
  readonly blob: string;
}

/** A Post's files are to be prepared for the Variants that wait for them. */
export interface PrepareMedia extends TraceCarrier {
  readonly type: 'PrepareMedia';
  readonly workspaceId: string;
  readonly postId: string;
  /** How often an address could not be reached for it. */
  readonly tries: number;
}

/** All stored files of an asset are to be deleted: the Workspace has removed it. */
export interface RemoveFiles {
  readonly type: 'RemoveFiles';
  readonly workspaceId: string;
  readonly assetId: string;
}

/**
 * One attempt to deliver an event to an endpoint: the first, a further one that is due, or one brought by its
 * watchdog.
 */
export interface DeliverEvent extends TraceCarrier {
  readonly type: 'DeliverEvent';
  readonly workspaceId: string;
  readonly endpointId: string;
  readonly deliveryId: string;
  /** '' = the first. */
  readonly round: string;
  readonly roundSince: number;
  readonly attempt: number;
  /** When it was to be made; lateness is measured from here. */
  readonly dueAt: number;
  /** How often it waited for a turn and was postponed. */
  readonly putOff: number;
}

/** A timer on its way to fire soon. Its row in `due` is always written too, and first. */
export interface TimerSet {
  readonly type: 'TimerSet';
  readonly shard: number;
  /** From `timerIdOf` in libs/tables/repositories/due.ts. */
  readonly timerId: string;
  readonly dueAt: number;
  /** What firing appends. */
  readonly topic: string;
  readonly key: string;
  /**
   * An encoded message. VariantsDue of timers that are due together, for one topic and key, are joined by the
   * scheduler.
   */
  readonly payload: Uint8Array;
}

export interface DeadLetter {
  readonly type: 'DeadLetter';
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: string;
  /** The record as it was. */
  readonly value: Uint8Array;
  readonly error: string;
  readonly at: number;
}

export type Message = (
  | Command
  | VariantOutcome
  | PublishVariant
  | PublishComment
  | ReadMetrics
  | KeepConnection
  | EndConnection
  | CopyPicture
  | RemovePicture
  | PrepareMedia
  | RemoveFiles
  | DeliverEvent
  | TimerSet
  | DeadLetter
) &
  TraceCarrier;
export type MessageType = Message['type'];

export type DecodeResult =
  | { readonly ok: true; readonly message: Message }
  /**
   * `unknown-schema`: a newer release wrote it; it must be held back and not be dropped. `malformed`: no release can
   * read it.
   */
  | { readonly ok: false; readonly why: 'unknown-schema' | 'malformed'; readonly detail: string };

/**
 * Messages as Avro in the Confluent wire form: byte 0, schema id (int32 BE), body. The id says the type; records of
 * every type of the compatible history are read in today's shape.
 */
export interface Codec {
  encode(message: Message): Uint8Array;
  decode(value: Uint8Array): Promise<DecodeResult>;
  /** Of a record, by its schema id alone; null: it is no record, or one of its schema was not decoded here yet. */
  typeOf(value: Uint8Array): MessageType | null;
}
