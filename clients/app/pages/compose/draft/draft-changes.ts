import type { ComposeDraft, ComposeFile, SentOptions } from './compose-draft.ts';

export type DraftChange = (draft: ComposeDraft) => ComposeDraft;

/** Channels keep the order in which the Workspace lists them. What was written for one is kept while it is away. */
export function chooseChannels(channelIds: readonly string[]): DraftChange {
  return (draft) => ({ ...draft, channelIds });
}

/** Changes options of one Channel; undefined takes one away, so that the default holds again. */
export function setOptions(
  channelId: string,
  change: { readonly [Name in keyof SentOptions]?: SentOptions[Name] | undefined },
): DraftChange {
  return (draft) => {
    const all: Record<string, unknown> = { ...draft.options[channelId], ...change };
    const own = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as SentOptions;
    const { [channelId]: _, ...others } = draft.options;
    return { ...draft, options: Object.keys(own).length === 0 ? others : { ...others, [channelId]: own } };
  };
}

export function changeFile(key: string, change: (file: ComposeFile) => ComposeFile): DraftChange {
  return (draft) => ({ ...draft, files: draft.files.map((file) => (file.key === key ? change(file) : file)) });
}

export function addFiles(files: readonly ComposeFile[]): DraftChange {
  return (draft) => ({ ...draft, files: [...draft.files, ...files] });
}

export function removeFile(key: string): DraftChange {
  return (draft) => ({
    ...draft,
    files: draft.files.filter((file) => file.key !== key),
    coverFiles: Object.fromEntries(Object.entries(draft.coverFiles).filter(([, cover]) => cover !== key)),
  });
}

/** Puts a file before the one that stands at `to` now; beyond an end it stays at that end. */
export function moveFile(key: string, to: number): DraftChange {
  return (draft) => {
    const media = draft.files.filter(({ use }) => use === 'media');
    const from = media.findIndex((file) => file.key === key);
    if (from === -1) return draft;
    const [moved] = media.splice(from, 1);
    media.splice(Math.max(0, Math.min(to, media.length)), 0, moved!);
    return { ...draft, files: [...media, ...draft.files.filter(({ use }) => use === 'cover')] };
  };
}

/** The cover of a Channel's video: a file of the draft, a public address, an instant, or what the Network picks. */
export function setCover(
  channelId: string,
  cover: { readonly fileKey: string } | NonNullable<SentOptions['cover']> | null,
): DraftChange {
  return (draft) => {
    const { [channelId]: _, ...coverFiles } = draft.coverFiles;
    if (cover === null) return setOptions(channelId, { cover: undefined })({ ...draft, coverFiles });
    if ('fileKey' in cover) {
      const chosen = { ...coverFiles, [channelId]: cover.fileKey };
      return setOptions(channelId, { cover: undefined })({ ...draft, coverFiles: chosen });
    }
    return setOptions(channelId, { cover })({ ...draft, coverFiles });
  };
}
