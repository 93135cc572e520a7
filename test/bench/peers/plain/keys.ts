import { createHash } from 'node:crypto';
import type { Pool } from '../engines/postgres-pool.ts';
import { Refusal } from './refusal.ts';

export interface ApiKey {
  readonly workspaceId: string;
  readonly name: string;
}

const TRUSTED_MS = 10_000;
const MOST_KEPT = 10_000;

export const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest();

/** Looks keys up by their digests, and trusts what it found for some seconds. */
export class Keys {
  readonly #pool: Pool;
  readonly #found = new Map<string, { readonly key: ApiKey; readonly until: number }>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async of(authorization: string | undefined): Promise<ApiKey> {
    const sent = /^Bearer (\S+)$/.exec(authorization ?? '')?.[1];
    const kept = this.#found.get(sent ?? '');
    if (kept !== undefined && kept.until > Date.now()) return kept.key;
    const key = sent === undefined ? undefined : await this.#read(sent);
    if (key === undefined) throw new Refusal(401, 'unauthorized', 'Send a valid key as a bearer token.');
    if (this.#found.size >= MOST_KEPT) this.#found.clear();
    this.#found.set(sent!, { key, until: Date.now() + TRUSTED_MS });
    return key;
  }

  async #read(sent: string): Promise<ApiKey | undefined> {
    const text = 'SELECT workspace_id AS "workspaceId", name FROM api_keys WHERE digest = $1';
    return (await this.#pool.query<ApiKey>({ name: 'key', text, values: [digestOf(sent)] })).rows[0];
  }
}
