import type { z } from 'zod';
import type { CreatePostInput, CreatePostRequest } from '#schemas/http/post-requests.ts';

/** What is sent to create a Post. */
export type SentPost = z.input<typeof CreatePostRequest>;
/** What a Post may say for one of its Channels alone. */
export type SentOptions = CreatePostInput['channelOptions'][string];

/**
 * A file of a draft. `source` says how far it has come: an address, an upload (without `assetId`: not reserved yet),
 * or a file of the Post that this one replaces.
 */
export interface ComposeFile {
  /** Unique in the draft. */
  readonly key: string;
  readonly name: string;
  /** '' = not known. */
  readonly contentType: string;
  readonly bytes: number | null;
  /** Null: not known yet. */
  readonly kind: 'image' | 'video' | null;
  readonly size: { readonly width: number; readonly height: number } | null;
  /** Videos only. */
  readonly durationMs: number | null;
  /** '' = none. */
  readonly altText: string;
  readonly source: FileSource;
  /** A cover is shown before a video is played, and is none of the Post's files. */
  readonly use: 'media' | 'cover';
}

export type FileSource =
  | { readonly kind: 'address'; readonly url: string }
  | { readonly kind: 'upload'; readonly assetId: string | null; readonly completedAt: number | null }
  | { readonly kind: 'posted'; readonly assetId: string; readonly url: string | null };

/** By a clock on the wall in a zone. */
export interface ChosenTime {
  readonly kind: 'at';
  /** `YYYY-MM-DD`; '' = not chosen yet. */
  readonly date: string;
  /** `HH:MM`; '' = not chosen yet. */
  readonly time: string;
  /** Which of the two, where clocks go back and the time comes twice. */
  readonly fold: 'earlier' | 'later';
  /** IANA name of the zone whose clocks show it. Absent, as an older page kept it: the zone that times are in now. */
  readonly zone?: string;
}

/** When it is to be published. `now`: at once; `chosen` is the time that was chosen before that, to come back to. */
export type ComposeTime = { readonly kind: 'now'; readonly chosen?: ChosenTime } | ChosenTime;

/** A Post that is being written, as it is kept in the browser. */
export interface ComposeDraft {
  /** A UUID, in the address of the composer. Where the draft was sent, another one may be begun at that address. */
  readonly id: string;
  /** A UUID of this draft alone, see `idempotencyKeyOf`. Absent, as an older page kept it: `id`. */
  readonly key?: string;
  /** Unix ms, by the clock of the browser; 0: it was never kept, and yields to one of its id that is kept. */
  readonly savedAt: number;
  readonly text: string;
  readonly channelIds: readonly string[];
  readonly options: Readonly<Record<string, SentOptions>>;
  readonly files: readonly ComposeFile[];
  /** By Channel: the key of the file that is its cover. */
  readonly coverFiles: Readonly<Record<string, string>>;
  /** Channels where the switch for commercial content is on. */
  readonly disclosing: readonly string[];
  readonly when: ComposeTime;
  /** Id of the Post whose place this one takes. */
  readonly replaces: string | null;
  /** It was sent, and nobody knows whether it arrived. */
  readonly isInDoubt: boolean;
  /** Unix ms: when it was sent for the first time. Absent: it is not in doubt, or an older page has kept it. */
  readonly sentAt?: number;
}

/** Sent again with the same one, a draft whose answer was lost makes no second Post. */
export function idempotencyKeyOf({ id, key = id }: ComposeDraft): string {
  return `compose-${key}`;
}

export function emptyDraft(id: string, savedAt = 0): ComposeDraft {
  return {
    id,
    key: crypto.randomUUID(),
    savedAt,
    text: '',
    channelIds: [],
    options: {},
    files: [],
    coverFiles: {},
    disclosing: [],
    when: { kind: 'at', date: '', time: '', fold: 'earlier' },
    replaces: null,
    isInDoubt: false,
  };
}

/** Whether somebody would miss it. */
export function isWorthKeeping({ text, files, channelIds, options, replaces, isInDoubt }: ComposeDraft): boolean {
  const hasWords = text.trim() !== '' || files.length > 0 || channelIds.length > 0;
  return hasWords || Object.keys(options).length > 0 || replaces !== null || isInDoubt;
}

/** The first words, to know it by. */
export function nameOfDraft({ text, options, files }: ComposeDraft): string {
  const words = [text, ...Object.values(options).map((each) => each.text ?? '')].find((each) => each.trim() !== '');
  if (words !== undefined) return firstWords(words);
  return files.length === 0 ? 'No text yet' : `${files.length === 1 ? 'A file' : `${files.length} files`}, no text yet`;
}

const MAX_NAME = 60;

function firstWords(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length <= MAX_NAME ? line : `${line.slice(0, MAX_NAME).replace(/\s+\S*$/, '')}…`;
}

/** The files that the Post shows, in order. */
export function mediaOf({ files }: Pick<ComposeDraft, 'files'>): readonly ComposeFile[] {
  return files.filter(({ use }) => use === 'media');
}

/** The id by which a Post can name the file; null: it has none yet. */
export function assetIdOf({ source }: ComposeFile): string | null {
  if (source.kind === 'posted') return source.assetId;
  return source.kind === 'upload' && source.completedAt !== null ? source.assetId : null;
}

/** Whether the file can be named in a Post. */
export function isReady(file: ComposeFile): boolean {
  return file.source.kind === 'address' || assetIdOf(file) !== null;
}
