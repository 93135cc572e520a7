import type { inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '#services/app/trpc/router.ts';
import { chosenTime } from './chosen-time.ts';
import { emptyDraft, type ComposeDraft, type ComposeFile, type FileSource, type SentOptions } from './compose-draft.ts';

type Outputs = inferRouterOutputs<AppRouter>['posts'];
/** A Post as somebody would write it again. */
export type PostDraft = Outputs['draft'];
/** A Post as it is shown. */
export type ShownPost = Outputs['get'];

export interface DraftOfPostOptions {
  readonly id: string;
  readonly timeZone: string;
  /** What `posts.get` says of it. */
  readonly shown: ShownPost;
}

/** The Post as a draft that takes its place, with its files. */
export function successorOf(written: PostDraft, options: DraftOfPostOptions): ComposeDraft {
  return { ...draftOf(written, options, options.shown), replaces: options.shown.id };
}

/**
 * The Post as the beginning of another one. Its uploads belong to it for good, so only files by address come along.
 * `channelId`: of the Channel that it is written for again, where it did not go out; null: it is for all of them.
 */
export function copyOf(
  whole: PostDraft,
  options: DraftOfPostOptions,
  channelId: string | null,
): { draft: ComposeDraft; leftOut: number } {
  const written = channelId === null ? whole : forOneChannel(whole, options.shown, channelId);
  const media = written.media.filter(({ url }) => url !== undefined);
  const draft = draftOf({ ...written, media, channelOptions: withoutCoverFiles(written) }, options, null);
  return { draft, leftOut: written.media.length - media.length };
}

/** For one of its Channels, and there only where it is not live already. */
function forOneChannel(written: PostDraft, shown: ShownPost, channelId: string): PostDraft {
  if (!written.channelIds.includes(channelId)) return written;
  const { placement: _, ...own } = written.channelOptions[channelId] ?? {};
  const missing = shown.variants.filter((each) => each.channelId === channelId && each.status === 'failed');
  const placement = missing.length > 1 ? 'feed_and_story' : missing[0]?.placement === 'story' ? 'story' : null;
  return {
    ...written,
    channelIds: [channelId],
    channelOptions: { [channelId]: placement === null ? own : { ...own, placement } },
  };
}

function withoutCoverFiles({ channelOptions }: PostDraft): PostDraft['channelOptions'] {
  return Object.fromEntries(
    Object.entries(channelOptions).map(([id, { cover, ...options }]) => [
      id,
      cover === undefined || cover.assetId !== undefined ? options : { ...options, cover },
    ]),
  );
}

function draftOf(
  { text, channelIds, channelOptions, media, scheduledAt }: PostDraft,
  { id, timeZone }: DraftOfPostOptions,
  shown: ShownPost | null,
): ComposeDraft {
  const files = media.map((reference) => fileOf(reference, shown));
  const covers = Object.entries(channelOptions).flatMap(([channelId, { cover }]) =>
    cover?.assetId === undefined ? [] : [{ channelId, file: coverOf(cover.assetId) }],
  );
  return {
    ...emptyDraft(id),
    text,
    channelIds,
    options: Object.fromEntries(
      Object.entries(channelOptions).map(([channelId, { cover, ...options }]) => [
        channelId,
        (cover === undefined || cover.assetId !== undefined ? options : { ...options, cover }) as SentOptions,
      ]),
    ),
    files: [...files, ...covers.map(({ file }) => file)],
    coverFiles: Object.fromEntries(covers.map(({ channelId, file }) => [channelId, file.key])),
    disclosing: Object.entries(channelOptions).flatMap(([channelId, { ownBrand, brandedContent }]) =>
      ownBrand === true || brandedContent === true ? [channelId] : [],
    ),
    when: scheduledAt === undefined ? { kind: 'now' } : chosenTime(scheduledAt, timeZone),
  };
}

function fileOf({ assetId, url, altText = '' }: PostDraft['media'][number], shown: ShownPost | null): ComposeFile {
  const known = shown?.media.find((each) => each.id === assetId);
  const source: FileSource =
    assetId === undefined ? { kind: 'address', url: url! } : { kind: 'posted', assetId, url: known?.url ?? null };
  const facts = { contentType: '', bytes: null, kind: known?.kind ?? null, size: null, durationMs: null } as const;
  const name = assetId === undefined ? url! : known?.kind === 'video' ? 'Video of the Post' : 'Picture of the Post';
  return { key: assetId ?? crypto.randomUUID(), name, ...facts, altText, source, use: 'media' };
}

function coverOf(assetId: string): ComposeFile {
  const facts = { contentType: '', bytes: null, kind: 'image', size: null, durationMs: null } as const;
  const source = { kind: 'posted', assetId, url: null } as const;
  return { key: assetId, name: 'Cover of the Post', ...facts, altText: '', source, use: 'cover' };
}
