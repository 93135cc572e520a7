import { placementsOf } from '#domain/post/placements.ts';
import { dueAt } from './chosen-time.ts';
import {
  assetIdOf,
  isReady,
  mediaOf,
  type ComposeDraft,
  type ComposeFile,
  type SentOptions,
  type SentPost,
} from './compose-draft.ts';

type Reference = NonNullable<SentPost['media']>[number];

/**
 * The request for what the draft says now. Files that are still on their way are left out, as is an instant that is
 * not chosen or does not exist: who sends it asks `whatIsMissing` first. `timeZone`: that which times are in now; an
 * IANA name.
 */
export function postOf(draft: ComposeDraft, timeZone: string): SentPost {
  const { text, channelIds, when } = draft;
  const at = when.kind === 'now' ? null : dueAt(when, timeZone);
  const channelOptions = Object.fromEntries(
    channelIds.flatMap((id) => {
      const own = optionsOf(draft, id);
      return Object.keys(own).length === 0 ? [] : [[id, own] as const];
    }),
  );
  return {
    text,
    channelIds: [...channelIds],
    media: mediaOf(draft).filter(isReady).map(referenceTo),
    channelOptions,
    ...(at === null ? {} : { scheduledAt: new Date(at).toISOString() }),
  };
}

function referenceTo(file: ComposeFile): Reference {
  const { source, altText } = file;
  const words = altText.trim() === '' ? {} : { altText };
  return source.kind === 'address' ? { url: source.url, ...words } : { assetId: assetIdOf(file)!, ...words };
}

/** What the draft says for one Channel, with its cover. */
export function optionsOf(draft: ComposeDraft, channelId: string): SentOptions {
  const own = draft.options[channelId] ?? {};
  const file = draft.files.find(({ key }) => key === draft.coverFiles[channelId]);
  const assetId = file === undefined ? null : assetIdOf(file);
  return assetId === null ? own : { ...own, cover: { assetId } };
}

/** How many Variants it makes: one for each Channel and placement. */
export function variantsIn({ channelIds, options }: Pick<ComposeDraft, 'channelIds' | 'options'>): number {
  return channelIds.reduce((sum, id) => sum + placementsOf(options[id]).length, 0);
}
