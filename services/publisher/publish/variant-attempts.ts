import type { PublishVariant } from '#messages/messages.ts';
import { postIdOfVariant } from '#domain/post/ids.ts';
import { firstDueOf, wasFirstDueMeanwhile, type Restoration } from '#domain/restoration.ts';
import { coverOfVariant, type VariantCover } from '#domain/post/covers.ts';
import { ownOptions, textFor, titleFor } from '#domain/post/channel-options.ts';
import type { NetworkOptions } from '#domain/network-options.ts';
import type { Publication } from '#networks/contract/adapter.ts';
import { READ_TIMEOUT_MS } from '#networks/contract/waits.ts';
import { withDeadline } from '#concurrency/deadline.ts';
import { PortError } from '#ports/errors.ts';
import type { Clock } from '#ports/clock.ts';
import type { Rendition, Renditions, RenditionSource } from '#ports/rendition-source.ts';
import type { TableStore } from '#ports/table-store.ts';
import { sendCommand, type SendCommandOptions } from '#commands/send-command.ts';
import type { ArmVerdict } from '#tables/repositories/ledger.ts';
import { readPost, readPostContent } from '#tables/repositories/posts.ts';
import { inTraceOfRun, type AttemptJob } from './attempt.ts';
import type { ChannelDisconnects } from './channel-disconnects.ts';
import type { ContentReading } from './machine-options.ts';

/** An attempt at a Variant; the ledger has it under the Variant's id. */
export type VariantJob = PublishVariant & Pick<AttemptJob, 'ledgerId' | 'trace' | 'runTrace'>;

export function variantJobOf(message: PublishVariant): VariantJob {
  return { ...message, ledgerId: message.variantId };
}

/** What a Member wrote of the Variant. */
export interface VariantContent {
  readonly text: string;
  readonly title: string | null;
  readonly options: NetworkOptions;
  /** One for each file, in order; '' = none. */
  readonly altTexts: readonly string[];
  readonly cover?: VariantCover | null;
  /** Null when left out: it was to be published at once. */
  readonly scheduledAt?: number | null;
  /** Of the addresses of its files; left out: 0. */
  readonly addressVersion?: number;
}

/** What the Variant says, from the rows of its Post. Rejects with `PortError`. */
export async function contentOfVariant(store: TableStore, job: PublishVariant): Promise<VariantContent> {
  const postId = postIdOfVariant(job.variantId);
  const content = await readPostContent(store, job.workspaceId, postId);
  // A Post's rows are written before its jobs; a replica without them has not caught up.
  if (content === null) throw new PortError('unavailable', `the content of post ${postId} is not there`);
  const options = content.channelOptions[job.channelId];
  return {
    text: job.placement === 'story' ? '' : textFor(content.text, options),
    title: titleFor(job.network, options),
    options: ownOptions(job.network, options),
    altTexts: content.media.map(({ altText }) => altText ?? ''),
    cover: coverOfVariant(job, content.channelOptions),
    scheduledAt: content.scheduledAt,
    ...(content.addressVersion !== undefined && { addressVersion: content.addressVersion }),
  };
}

/**
 * For an attempt that is due after the release, as a retry may be: the instant that its Post was first due at, if that
 * was between backup and release; else null. Rejects with `PortError`.
 */
export async function firstDueAt(
  store: TableStore,
  job: PublishVariant,
  restoration: Restoration,
): Promise<number | null> {
  const { scheduledAt } = await contentOfVariant(store, job);
  const dueAt = firstDueOf(job.variantId, scheduledAt);
  return wasFirstDueMeanwhile(restoration, dueAt) ? dueAt : null;
}

export interface DisconnectedOptions {
  readonly store: TableStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly disconnects: Pick<ChannelDisconnects, 'of'>;
}

/** Nobody disconnects a Channel and signs in to its account again in less. */
const RECONNECTED_AFTER_MS = 5_000;

/**
 * Whether the Variant's Channel was disconnected since it was queued: then it is not published, also if the Channel is
 * connected again. What comes at its time is not looked at. Rejects with `PortError`.
 */
export async function wasDisconnected(
  { workspaceId, variantId, attempt, channelId, dueAt, why }: PublishVariant,
  { store, clock, disconnects }: DisconnectedOptions,
): Promise<boolean> {
  if (why === 'due' && clock.now() - dueAt < RECONNECTED_AFTER_MS) return false;
  const count = await disconnects.of(workspaceId, channelId);
  if (count === 0) return false;
  const post = await readPost(store, workspaceId, postIdOfVariant(variantId));
  const variant = post?.variants.find((each) => each.id === variantId && each.attempt === attempt);
  return variant !== undefined && variant.channelDisconnects < count;
}

/** The Variant with its files, as its Network's adapter takes it. Rejects with `PortError`. */
export async function readPublication(
  job: PublishVariant,
  { text, title, options, altTexts, cover = null, scheduledAt = null, addressVersion = 0 }: VariantContent,
  { source, clock }: { readonly source: RenditionSource; readonly clock: Pick<Clock, 'after'> },
): Promise<ContentReading<Publication>> {
  const { workspaceId, variantId, network, placement } = job;
  const postId = postIdOfVariant(variantId);
  const hasCover = cover !== null && cover.kind !== 'instant';
  const request = { workspaceId, postId, variantId, network, placement, altTexts, hasCover, addressVersion };
  const renditions = await source.filesOf(request);
  const media = renditions.kind === 'ready' ? renditions.files.map((file) => readInTime(file, clock)) : [];
  const shown = coverFor(cover, renditions, clock);
  return {
    renditions,
    scheduledAt,
    contentFor: (access) => ({ ...access, placement, text, title, options, media, cover: shown }),
  };
}

function coverFor(
  cover: VariantCover | null,
  renditions: Renditions,
  clock: Pick<Clock, 'after'>,
): Publication['cover'] {
  if (cover?.kind === 'instant') return { kind: 'instant', atMs: cover.atMs };
  const file = renditions.kind === 'ready' ? renditions.cover : undefined;
  return file === undefined ? null : { kind: 'picture', file: readInTime(file, clock) };
}

/**
 * The same file, whose reads fail in time: the adapter's time-out of the irreversible call includes one, and a
 * successor goes by that.
 */
function readInTime(file: Rendition, clock: Pick<Clock, 'after'>): Rendition {
  const onLate = (): never => {
    throw new PortError('unavailable', `a part of a file was not read within ${READ_TIMEOUT_MS} ms`);
  };
  const read = (from: number, to: number) =>
    withDeadline(file.read(from, to), { clock, deadlineMs: READ_TIMEOUT_MS, onLate });
  return { ...file, read };
}

/** Reports to the Workspace how an attempt at a Variant ended. Rejects with `PortError`. */
export async function concludeVariant(
  options: SendCommandOptions,
  { workspaceId, variantId, attempt, ...job }: VariantJob,
  verdict: ArmVerdict,
): Promise<void> {
  const about = { workspaceId, variantId, attempt, ...inTraceOfRun(job) };
  switch (verdict.kind) {
    case 'published':
      return sendCommand(options, {
        type: 'PublishSucceeded',
        ...about,
        remoteId: verdict.remoteId,
        permalink: verdict.permalink,
      });
    case 'failed':
      return sendCommand(options, { type: 'PublishFailed', ...about, reason: verdict.reason, detail: verdict.detail });
    case 'unconfirmed':
      return sendCommand(options, { type: 'PublishUnconfirmed', ...about, detail: verdict.detail });
  }
}
