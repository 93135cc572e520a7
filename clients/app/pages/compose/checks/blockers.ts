import type { Network } from '#domain/network.ts';
import { ownOptions, textFor } from '#domain/post/channel-options.ts';
import type { DraftFile } from '#domain/post/draft.ts';
import { placementsOf } from '#domain/post/placements.ts';
import { dueAt, zoneOf } from '../draft/chosen-time.ts';
import { mediaOf, type ComposeDraft, type ComposeFile } from '../draft/compose-draft.ts';
import { disclosureOf } from '../draft/disclosure.ts';
import { optionsOf } from '../draft/post-of-draft.ts';
import { changeOfClocks } from '../schedule/wall-clock.ts';
import { blockedPlaceOf, type BlockedField, type BlockedPlace } from './blocked-field.ts';
import { LIMITS } from './network-limits.ts';
import { isolating } from '../../../parts/isolating.ts';

/** A Channel as the procedures list it, as far as the composer needs it. */
export interface ComposeChannel {
  readonly id: string;
  readonly name: string;
  readonly network: Network;
  readonly avatarUrl: string | null;
  readonly state: string;
  /** What of the account its Network judges by. */
  readonly kind: string;
  readonly defaults: ComposeDraft['options'][string];
}

/** Something that stands against the Post, and where it is put right. */
export interface ShownBlocker extends BlockedPlace {
  /** Null: the whole Post. */
  readonly channelId: string | null;
  readonly message: string;
}

/** What the page knows by itself, at once. */
export interface OwnBlockersOptions {
  readonly channels: readonly ComposeChannel[];
  readonly timeZone: string;
  /** By the server's clock. */
  readonly now: number;
  readonly filesOnTheirWay: number;
  /** Keys of files whose upload failed. */
  readonly failedFiles: readonly string[];
}

const MINUTE_MS = 60_000;
const DISCLOSURE_MISSING = 'You need to indicate if your content promotes yourself, a third party, or both.';

/** What has to be put right before the server is asked at all. */
export function ownBlockers(draft: ComposeDraft, options: OwnBlockersOptions): readonly ShownBlocker[] {
  const found: ShownBlocker[] = [];
  const add = (field: BlockedField, message: string, channelId: string | null = null) =>
    found.push({ field, file: null, message, channelId });
  const { filesOnTheirWay: waiting, failedFiles } = options;
  if (draft.channelIds.length === 0) add('channels', 'Choose at least one Channel.');
  const wrongTime = timeProblem(draft, options);
  if (wrongTime !== null) add('when', wrongTime);
  if (waiting > 0)
    add('media', waiting === 1 ? 'A file is still on its way.' : `${waiting} files are still on their way.`);
  if (failedFiles.length > 0)
    add('media', failedFiles.length === 1 ? 'A file was not taken.' : `${failedFiles.length} files were not taken.`);
  for (const id of draft.disclosing) {
    const channel = options.channels.find((each) => each.id === id) ?? { id, defaults: {} };
    const { ownBrand, brandedContent } = disclosureOf(draft, channel);
    if (draft.channelIds.includes(id) && !ownBrand && !brandedContent) add('disclosure', DISCLOSURE_MISSING, id);
  }
  return found;
}

function timeProblem({ when }: ComposeDraft, { timeZone, now }: OwnBlockersOptions): string | null {
  if (when.kind === 'now') return null;
  const at = dueAt(when, timeZone);
  if (at === null) return changeOfClocks(when, zoneOf(when, timeZone)) ?? 'Choose a date and a time.';
  return at < now - MINUTE_MS ? 'That time is over. Choose a later one, or publish now.' : null;
}

/**
 * What the Networks would say, by the rules with which the server judges: there at once, before the server was asked.
 * The server judges more than this, so its own answer counts once it has come.
 */
export function networkBlockers(draft: ComposeDraft, channels: readonly ComposeChannel[]): readonly ShownBlocker[] {
  const media = mediaOf(draft).map(draftFileOf);
  const found = draft.channelIds.flatMap((id) => {
    const channel = channels.find((each) => each.id === id);
    return channel === undefined ? [] : blockersOf(draft, channel, media);
  });
  return found.filter((one, index) => found.findIndex((other) => isSame(one, other)) === index);
}

function blockersOf(
  draft: ComposeDraft,
  channel: ComposeChannel,
  media: readonly DraftFile[],
): readonly ShownBlocker[] {
  const { id, network, kind, defaults, state } = channel;
  if (state !== 'connected')
    return [
      {
        ...blockedPlaceOf('channel'),
        channelId: id,
        message: isolating`${channel.name} needs to be reconnected before it can take a Post.`,
      },
    ];
  const own = optionsOf(draft, id);
  const options = ownOptions(network, { ...defaults, ...own });
  return placementsOf(own).flatMap((placement) => {
    const text = placement === 'story' ? '' : textFor(draft.text, own);
    const problems = LIMITS[network]?.judge({ text, placement, channel: { network, kind }, options, media }) ?? [];
    return problems.map(({ part, message }) => ({ ...blockedPlaceOf(part), channelId: id, message }));
  });
}

export function draftFileOf({ kind, contentType, bytes, durationMs, altText }: ComposeFile): DraftFile {
  return { kind, contentType, bytes, durationMs, altText };
}

export function isSame(a: ShownBlocker, b: ShownBlocker): boolean {
  return a.channelId === b.channelId && a.message === b.message && a.field === b.field && a.file === b.file;
}

/** What the server said, at its fields. */
export function serverBlockers(
  blockers: readonly { readonly channelId?: string; readonly message: string; readonly path?: string }[],
): readonly ShownBlocker[] {
  return blockers.map(({ channelId, message, path }) => ({
    ...blockedPlaceOf(path),
    channelId: channelId ?? null,
    message,
  }));
}
