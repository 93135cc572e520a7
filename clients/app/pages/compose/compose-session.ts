import { serverNow } from '../../workspace/clock.ts';
import { isWorthKeeping, type ComposeDraft, type ComposeFile } from './draft/compose-draft.ts';
import { addFiles, changeFile, removeFile, type DraftChange } from './draft/draft-changes.ts';
import { asEndedElsewhere } from './draft/doubt.ts';
import type { DraftStore } from './draft/draft-store.ts';
import { forgetFile, forgetFilesOf, keepFile, keptFile } from './draft/kept-files.ts';
import { addressedFile, chosenFile } from './uploads/chosen-file.ts';
import { readFacts } from './uploads/file-facts.ts';
import { UploadQueue, type UploadQueueOptions, type UploadState } from './uploads/upload-queue.ts';

/** What the composer shows. */
export interface ComposeState {
  readonly draft: ComposeDraft;
  /** By key of a file; absent: it is not on its way. */
  readonly uploads: ReadonlyMap<string, UploadState>;
  /** By key of a file: an address of the page's own at which its bytes are. */
  readonly previews: ReadonlyMap<string, string>;
  /** Files that were not taken, and why. */
  readonly refusals: readonly { readonly name: string; readonly message: string }[];
  /** False: this browser keeps nothing, and leaving loses what was written. */
  readonly isKept: boolean;
}

export interface ComposeSessionOptions {
  readonly draft: ComposeDraft;
  readonly store: DraftStore;
  readonly uploads: Omit<UploadQueueOptions, 'onState'>;
}

const NOT_KEPT = 'This browser did not keep the file. Remove it here and choose it again.';
/** How long the server keeps an upload that no Post uses. */
const UNUSED_UPLOAD_MS = 7 * 86_400_000;
const GONE = 'The server has removed this file, as no Post used it for a week. Choose it again.';

/**
 * One draft while somebody writes it: its words, its files and their uploads, all of which are kept in the browser at
 * each change. Modes: *open* (uploads run) and *closed*; `open` and `close` lead from one to the other, any number of
 * times. `discard` ends it for good. The same draft may be open in other tabs: each goes on from what was written last.
 */
export class ComposeSession {
  readonly #store: DraftStore;
  readonly #queue: UploadQueue;
  readonly #remove: UploadQueueOptions['remove'];
  readonly #files = new Map<string, File>();
  readonly #listeners = new Set<() => void>();
  #state: ComposeState;
  #isDiscarded = false;
  /** Whether the browser keeps it, as far as this tab knows. */
  #isStored: boolean;

  constructor({ draft, store, uploads }: ComposeSessionOptions) {
    this.#store = store;
    this.#isStored = store.read(draft.id) !== null;
    this.#remove = uploads.remove;
    this.#queue = new UploadQueue({ ...uploads, onState: (key, state) => this.#hear(key, state) });
    this.#state = { draft, uploads: new Map(), previews: new Map(), refusals: [], isKept: true };
  }

  readonly state = (): ComposeState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Goes on with uploads that were interrupted, by the bytes that the browser kept. */
  open(): void {
    this.catchUp();
    for (const file of this.#state.draft.files) void this.#resume(file);
  }

  /** The page is left: nothing is sent any more, and no bytes stay in memory for pictures. */
  close(): void {
    this.#queue.close();
    for (const url of this.#state.previews.values()) URL.revokeObjectURL(url);
    this.#set({ uploads: new Map(), previews: new Map() });
  }

  readonly change = (change: DraftChange): void => {
    if (this.#isDiscarded) return;
    this.catchUp();
    const draft = { ...change(this.#state.draft), savedAt: Date.now() };
    const isWorth = isWorthKeeping(draft);
    const isKept = isWorth ? this.#store.write(draft) : (this.#store.remove(draft.id), true);
    this.#isStored = isWorth && isKept;
    this.#set({ draft, isKept });
  };

  /** Takes over what another tab has written of the draft: kept as a whole, it would be overwritten by this one's. */
  readonly catchUp = (): void => {
    const { draft } = this.#state;
    if (this.#isDiscarded) return;
    const kept = this.#store.read(draft.id);
    const isGone = kept === null && this.#isStored;
    this.#isStored = kept !== null;
    if (isGone) this.#set({ draft: asEndedElsewhere(draft) });
    if (kept === null || kept.savedAt <= draft.savedAt) return;
    const before = new Map(draft.files.map(({ key, source }) => [key, JSON.stringify(source)]));
    const changed = kept.files.filter(({ key, source }) => before.get(key) !== JSON.stringify(source));
    const there = new Set(kept.files.map(({ key }) => key));
    this.#set({ draft: kept });
    for (const key of before.keys())
      if (!there.has(key)) {
        this.#queue.cancel(key);
        this.#forget(key);
      }
    for (const file of changed) {
      this.#queue.cancel(file.key);
      const uploads = new Map(this.#state.uploads);
      uploads.delete(file.key);
      this.#set({ uploads });
      void this.#resume(file);
    }
  };

  /** Takes what can be taken and says of the rest why not. Returns the files that were taken. */
  readonly addFiles = (chosen: readonly File[], use: ComposeFile['use'] = 'media'): readonly ComposeFile[] => {
    const choices = chosen.map((file) => ({ file, choice: chosenFile(file, use) }));
    const refusals = choices.flatMap(({ choice }) => (choice.ok ? [] : [choice]));
    this.#set({ refusals });
    const taken = choices.flatMap(({ file, choice }) => (choice.ok ? [{ bytes: file, file: choice.file }] : []));
    this.change(addFiles(taken.map(({ file }) => file)));
    for (const { bytes, file } of taken) this.#begin(file, bytes);
    return taken.map(({ file }) => file);
  };

  readonly addAddress = (url: string, use: ComposeFile['use'] = 'media'): ComposeFile => {
    const file = addressedFile(url, use);
    this.change(addFiles([file]));
    return file;
  };

  readonly removeFile = (key: string): void => {
    const file = this.#state.draft.files.find((each) => each.key === key);
    this.#queue.cancel(key);
    this.change(removeFile(key));
    this.#forget(key);
    if (file?.source.kind === 'upload' && file.source.completedAt !== null && file.source.assetId !== null)
      this.#remove(file.source.assetId).catch(() => {});
  };

  readonly retry = (key: string): void => {
    const bytes = this.#files.get(key);
    if (bytes !== undefined) this.#queue.add(key, bytes);
  };

  readonly dismissRefusals = (): void => this.#set({ refusals: [] });

  /** The Post was made, or nobody wants the draft. `removesUploads`: its files are of no use any more. */
  discard({ removesUploads }: { readonly removesUploads: boolean }): void {
    const { draft } = this.#state;
    if (removesUploads) for (const { key } of draft.files) this.removeFile(key);
    this.#isDiscarded = true;
    this.#store.remove(draft.id);
    void forgetFilesOf(draft.id);
  }

  #begin(file: ComposeFile, bytes: File): void {
    this.#files.set(file.key, bytes);
    void keepFile(this.#state.draft.id, file.key, bytes);
    this.#show(file, bytes);
    this.#queue.add(file.key, bytes);
  }

  async #resume(file: ComposeFile): Promise<void> {
    const { key, source } = file;
    if (source.kind !== 'upload') return;
    const bytes = this.#files.get(key) ?? (await keptFile(this.#state.draft.id, key));
    // It was removed, or begun again, while its bytes were looked for.
    if (this.#isDiscarded || this.#state.uploads.has(key) || !this.#state.draft.files.includes(file)) return;
    if (bytes !== null) {
      this.#files.set(key, bytes);
      this.#show(file, bytes);
    }
    if (source.completedAt !== null) {
      if (serverNow() - source.completedAt > UNUSED_UPLOAD_MS) this.#hear(key, { kind: 'failed', message: GONE });
    } else if (bytes === null) this.#hear(key, { kind: 'failed', message: NOT_KEPT });
    else this.#queue.add(key, bytes);
  }

  #show(file: ComposeFile, bytes: File): void {
    const url = URL.createObjectURL(bytes);
    const before = this.#state.previews.get(file.key);
    if (before !== undefined) URL.revokeObjectURL(before);
    this.#set({ previews: new Map(this.#state.previews).set(file.key, url) });
    if (file.kind === null || file.size !== null) return;
    void readFacts(file.kind, url).then((facts) => {
      if (facts.size !== null) this.change(changeFile(file.key, (now) => ({ ...now, ...facts })));
    });
  }

  #forget(key: string): void {
    const url = this.#state.previews.get(key);
    if (url !== undefined) URL.revokeObjectURL(url);
    const [uploads, previews] = [new Map(this.#state.uploads), new Map(this.#state.previews)];
    uploads.delete(key);
    previews.delete(key);
    this.#files.delete(key);
    this.#set({ uploads, previews });
    void forgetFile(this.#state.draft.id, key);
  }

  #hear(key: string, state: UploadState): void {
    this.#set({ uploads: new Map(this.#state.uploads).set(key, state) });
    if (state.kind !== 'done') return;
    const source = { kind: 'upload', assetId: state.assetId, completedAt: serverNow() } as const;
    this.change(changeFile(key, (file) => ({ ...file, source })));
  }

  #set(change: Partial<ComposeState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

/** How many files are not there yet. */
export function filesOnTheirWay({ draft, uploads }: Pick<ComposeState, 'draft' | 'uploads'>): number {
  return draft.files.filter(({ key }) => !['done', 'failed', undefined].includes(uploads.get(key)?.kind)).length;
}
