import { hash } from 'node:crypto';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Ids } from '#ports/ids.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { TableStore } from '#ports/table-store.ts';
import {
  changeOAuthRecord,
  findOAuthRecord,
  oauthRecordContext,
  oauthRecordTtl,
  type OAuthRecord,
  type OAuthRecordKey,
} from '#tables/repositories/oauth-records.ts';

export interface RecordStoreOptions {
  readonly store: TableStore;
  readonly secretBox: SecretBox;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'token'>;
}

/** A record as the authorization server's library knows it. */
export interface RecordEntry {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly approvalId: string | null;
  readonly consumedAt: number | null;
  readonly expiresAt: number;
}

export interface NewEntry {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly lifeMs: number;
  readonly approvalId: string | null;
  readonly access: OAuthRecord['access'];
}

/** `gone`: there is none, it was removed, or it expired. `firstAt`: the instant of its first use, before this one. */
export type Consumption =
  { readonly outcome: 'first' | 'gone' } | { readonly outcome: 'again'; readonly firstAt: number };

/** A row that a write is to replace. */
interface Replaced {
  readonly version: number;
  readonly record: OAuthRecord;
}

/** Each lost race means that another write succeeded; a record has no such number of writers. */
const MAX_RACES = 8;

/**
 * Where the authorization server keeps clients, interactions, codes and tokens: each under the SHA-256 of its id, its
 * contents sealed. Records age by the Clock port. All methods reject with `PortError`.
 */
export class RecordStore {
  readonly #options: RecordStoreOptions;

  constructor(options: RecordStoreOptions) {
    this.#options = options;
  }

  /** Null: there is none, it was removed, or it expired. */
  async find(kind: string, id: string): Promise<RecordEntry | null> {
    const key = keyOf(kind, id);
    const { record } = (await findOAuthRecord(this.#options.store, key)) ?? { record: null };
    if (record === null || this.#isOver(record)) return null;
    const { approvalId, consumedAt, expiresAt } = record;
    const plain = this.#options.secretBox.open(record.sealed, oauthRecordContext(key));
    return { payload: JSON.parse(plain) as RecordEntry['payload'], approvalId, consumedAt, expiresAt };
  }

  /** Makes a record, or gives one that is there other contents. False: it was removed, and stays so. */
  async save(kind: string, id: string, { payload, lifeMs, approvalId, access }: NewEntry): Promise<boolean> {
    const key = keyOf(kind, id);
    const record: OAuthRecord = {
      sealed: this.#options.secretBox.seal(JSON.stringify(payload), oauthRecordContext(key)),
      expiresAt: this.#options.clock.now() + lifeMs,
      consumedAt: null,
      approvalId,
      access,
    };
    // Almost every record is written once, so the first try does without a read.
    if (await this.#write(key, null, record)) return true;
    return this.#change(key, (current) => ({ ...record, consumedAt: current.consumedAt }));
  }

  /** Uses a record up, by compare-and-set: of any number of calls, on any replicas, one is the first. */
  async consume(kind: string, id: string): Promise<Consumption> {
    let firstAt: number | null = null;
    const consumed = await this.#change(keyOf(kind, id), (record) => {
      firstAt = record.consumedAt;
      if (firstAt !== null) return null;
      return this.#isOver(record) ? null : { ...record, consumedAt: this.#options.clock.now() };
    });
    if (consumed) return { outcome: 'first' };
    return firstAt === null ? { outcome: 'gone' } : { outcome: 'again', firstAt };
  }

  /** Lets a record live for `lifeMs` from now where less than `unlessMs` of its life is left. */
  async renew(kind: string, id: string, { lifeMs, unlessMs }: { lifeMs: number; unlessMs: number }): Promise<void> {
    const now = this.#options.clock.now();
    await this.#change(keyOf(kind, id), (record) =>
      this.#isOver(record) || record.expiresAt > now + unlessMs ? null : { ...record, expiresAt: now + lifeMs },
    );
  }

  /** False: it was not there. Of several calls one resolves with true. */
  async remove(kind: string, id: string): Promise<boolean> {
    const key = keyOf(kind, id);
    for (let race = 0; race < MAX_RACES; race++) {
      const current = await findOAuthRecord(this.#options.store, key);
      const record = current?.record ?? null;
      if (current === null || record === null) return false;
      if (await this.#write(key, { version: current.version, record }, null)) return true;
    }
    throw new PortError('unavailable', 'a record of the authorization server is changed too often');
  }

  /** False: there is no record, or `next` made nothing of it. */
  async #change(key: OAuthRecordKey, next: (record: OAuthRecord) => OAuthRecord | null): Promise<boolean> {
    for (let race = 0; race < MAX_RACES; race++) {
      const current = await findOAuthRecord(this.#options.store, key);
      const record = current?.record ?? null;
      const changed = record === null ? null : next(record);
      if (current === null || record === null || changed === null) return false;
      if (await this.#write(key, { version: current.version, record }, changed)) return true;
    }
    throw new PortError('unavailable', 'a record of the authorization server is changed too often');
  }

  /**
   * A row lives as long as the one that it replaces would have: a copy of the store that missed the write would show
   * the former one again, for example a refresh token that was removed.
   */
  #write(key: OAuthRecordKey, over: Replaced | null, record: OAuthRecord | null): Promise<boolean> {
    const { store, clock, ids } = this.#options;
    const expiresAt = Math.max(record?.expiresAt ?? 0, over?.record.expiresAt ?? 0);
    const ttlSeconds = oauthRecordTtl({ expiresAt }, clock.now());
    return changeOAuthRecord(store, key, { over: over?.version ?? null, record, token: ids.token(), ttlSeconds });
  }

  #isOver({ expiresAt }: OAuthRecord): boolean {
    return expiresAt <= this.#options.clock.now();
  }
}

function keyOf(kind: string, id: string): OAuthRecordKey {
  return { kind, idHash: hash('sha256', id, 'hex') };
}
