import type { ComposeDraft } from './compose-draft.ts';

/** The store of a browser, as far as drafts need it. */
export type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>;

/** Another shape of drafts gets another number: what an older build wrote is then left alone. */
const PREFIX = 'crier.draft.1/';

/**
 * Drafts of one Member of one Workspace in this browser. They are written at once and as a whole, so that a tab that
 * is closed or crashes loses nothing that was written before.
 */
export class DraftStore {
  readonly #storage: DraftStorage;
  readonly #prefix: string;

  /** Several people may use one browser: a Member is one person in one Workspace. */
  constructor(storage: DraftStorage, owner: { readonly workspaceId: string; readonly memberId: string }) {
    this.#storage = storage;
    this.#prefix = `${PREFIX}${owner.workspaceId}/${owner.memberId}/`;
  }

  /** Newest first. */
  list(): readonly ComposeDraft[] {
    const names = Array.from({ length: this.#storage.length }, (_, index) => this.#storage.key(index));
    return names
      .filter((name) => name?.startsWith(this.#prefix) === true)
      .flatMap((name) => this.read(name!.slice(this.#prefix.length)) ?? [])
      .toSorted((a, b) => b.savedAt - a.savedAt);
  }

  /** Null: there is none, or it can not be read. */
  read(id: string): ComposeDraft | null {
    const written = this.#storage.getItem(this.#prefix + id);
    if (written === null) return null;
    try {
      const draft: unknown = JSON.parse(written);
      return isDraft(draft) && draft.id === id ? draft : null;
    } catch {
      return null;
    }
  }

  /** False: the browser has no room for it, or forbids to keep anything. */
  write(draft: ComposeDraft): boolean {
    try {
      this.#storage.setItem(this.#prefix + draft.id, JSON.stringify(draft));
      return true;
    } catch {
      return false;
    }
  }

  remove(id: string): void {
    this.#storage.removeItem(this.#prefix + id);
  }
}

function isDraft(value: unknown): value is ComposeDraft {
  if (typeof value !== 'object' || value === null) return false;
  const { id, savedAt, text, channelIds, options, files, coverFiles, disclosing, when } =
    value as Partial<ComposeDraft>;
  const texts = [id, text].every((each) => typeof each === 'string');
  const lists = [channelIds, files, disclosing].every(Array.isArray);
  const objects = [options, coverFiles, when].every((each) => typeof each === 'object' && each !== null);
  return texts && lists && objects && typeof savedAt === 'number';
}
