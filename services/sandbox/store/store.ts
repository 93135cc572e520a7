/**
 * The sandbox's state: JSON values on named shelves, each under an ASCII key. A write is visible to later reads at once
 * and durable when a later `durable()` resolves; writes become durable in order, all of one request together with or
 * before those of the next. Values are never changed after they were put.
 */
export interface SandboxStore {
  get(shelf: string, key: string): object | null;
  put(shelf: string, key: string, value: object): void;
  delete(shelf: string, key: string): void;
  /** In key order. */
  scan(shelf: string, range: ScanRange): readonly StoredValue[];
  /** Deletes every key of the shelf that begins with `prefix` and is smaller than `until`. */
  deleteBefore(shelf: string, prefix: string, until: string): void;
  /**
   * Resolves when everything put so far survives the end of this process. Rejects, then and ever after, when it could
   * not be written.
   */
  durable(): Promise<void>;
  /** null while it works; otherwise why nothing can be stored any more. */
  trouble(): string | null;
  /** Makes everything durable and closes. Idempotent. */
  close(): Promise<void>;
}

export interface ScanRange {
  readonly prefix?: string;
  /** Exclusive bounds, in either direction. */
  readonly above?: string;
  readonly below?: string;
  readonly descending?: boolean;
  readonly limit?: number;
}

export interface StoredValue {
  readonly key: string;
  readonly value: object;
}

/** One shelf with the type of its values. */
export interface Shelf<T extends object> {
  get(key: string): T | null;
  put(key: string, value: T): void;
  delete(key: string): void;
  scan(range?: ScanRange): readonly { readonly key: string; readonly value: T }[];
  deleteBefore(prefix: string, until: string): void;
}

export function shelf<T extends object>(store: SandboxStore, name: string): Shelf<T> {
  return {
    get: (key) => store.get(name, key) as T | null,
    put: (key, value) => store.put(name, key, value),
    delete: (key) => store.delete(name, key),
    scan: (range = {}) => store.scan(name, range) as readonly { readonly key: string; readonly value: T }[],
    deleteBefore: (prefix, until) => store.deleteBefore(name, prefix, until),
  };
}

/** The half-open range of keys that a scan covers. Keys are ASCII, so U+007F ends every prefix. */
export function scanBounds(range: ScanRange): {
  readonly from: string;
  readonly fromIncluded: boolean;
  readonly until: string;
} {
  const prefix = range.prefix ?? '';
  const above = range.above !== undefined && range.above >= prefix ? range.above : null;
  const end = `${prefix}\u007f`;
  return {
    from: above ?? prefix,
    fromIncluded: above === null,
    until: range.below !== undefined && range.below < end ? range.below : end,
  };
}
