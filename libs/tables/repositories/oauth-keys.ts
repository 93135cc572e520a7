import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { writeInstallation } from './installation.ts';
import { INSTALLATION } from '../declarations/tables.ts';

export const OAUTH_KEYS_ROW = ['oauth-keys'] as const;
/** Every replica knows a key for this long before it signs: none meets a signature by a key that it has not read. */
const NOTICE_MS = 120_000;
/** How long a former key still verifies: longer than anything that it signed is good. */
const KEPT_MS = 30 * 86_400_000;

/** What the authorization server signs with: tokens by a private JWK, cookies by a random text. */
export interface OAuthKey {
  readonly id: string;
  readonly jwk: Readonly<Record<string, unknown>>;
  readonly cookieKey: string;
  /** Before this it only verifies. */
  readonly signsFrom: number;
}

export interface SealedKey {
  readonly id: string;
  readonly sealed: string;
  readonly signsFrom: number;
  /** When it is forgotten; null: it has no successor. */
  readonly endsAt: number | null;
}

export interface OAuthKeysOptions {
  readonly store: TableStore;
  readonly secretBox: SecretBox;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'token' | 'uuid7'>;
  /** A new private JWK. */
  readonly makeSigningKey: () => Promise<Readonly<Record<string, unknown>>>;
}

/** The keys of the whole installation, sealed in one row. All methods reject with `PortError`. */
export class OAuthKeys {
  readonly #options: OAuthKeysOptions;

  constructor(options: OAuthKeysOptions) {
    this.#options = options;
  }

  /** The one that signs first, then all that verify. The first process to ask makes the first key. */
  async read(): Promise<readonly [OAuthKey, ...OAuthKey[]]> {
    for (;;) {
      const now = this.#options.clock.now();
      const { keys } = await this.#stored();
      const valid = keys.filter(({ endsAt }) => endsAt === null || endsAt > now);
      // The newest key is at the end; of those that may sign, it does.
      const signing = valid.findLast(({ signsFrom }) => signsFrom <= now) ?? valid[0];
      if (signing !== undefined) {
        const others = valid.filter((key) => key !== signing);
        return [this.#opened(signing), ...others.map((key) => this.#opened(key))];
      }
      await this.#add({ onlyWhereNoneIs: true });
    }
  }

  /** Adds a key that signs from `signsFrom` on; the former ones still verify for 30 days. */
  rotate(): Promise<{ readonly id: string; readonly signsFrom: number }> {
    return this.#add({ onlyWhereNoneIs: false });
  }

  async #add({ onlyWhereNoneIs }: { readonly onlyWhereNoneIs: boolean }): Promise<SealedKey> {
    const { ids, secretBox, makeSigningKey, clock, store } = this.#options;
    const id = ids.uuid7(clock.now());
    const secrets = { jwk: { ...(await makeSigningKey()), kid: id }, cookieKey: ids.token(32) };
    const sealed = secretBox.seal(JSON.stringify(secrets), oauthKeyContext(id));
    for (;;) {
      const { keys, version } = await this.#stored();
      const now = clock.now();
      const [known] = keys;
      if (onlyWhereNoneIs && known !== undefined) return known;
      const signsFrom = known === undefined ? now : now + NOTICE_MS;
      const former = keys
        .map((key) => ({ ...key, endsAt: key.endsAt ?? signsFrom + KEPT_MS }))
        .filter(({ endsAt }) => endsAt > now);
      const added: SealedKey = { id, sealed, signsFrom, endsAt: null };
      const value = { keys: [...former, added] };
      if (await writeInstallation(store, OAUTH_KEYS_ROW, { over: version, value, token: ids.token() })) return added;
    }
  }

  async #stored(): Promise<{ readonly keys: readonly SealedKey[]; readonly version: number | null }> {
    const row = await this.#options.store.read(INSTALLATION, OAUTH_KEYS_ROW, [], { serial: true });
    const body = row === null ? null : decodeBody<{ readonly keys: readonly SealedKey[] }>(row);
    return { keys: body?.keys ?? [], version: row?.version ?? null };
  }

  #opened({ id, sealed, signsFrom }: SealedKey): OAuthKey {
    const secrets = JSON.parse(this.#options.secretBox.open(sealed, oauthKeyContext(id))) as Pick<
      OAuthKey,
      'jwk' | 'cookieKey'
    >;
    return { id, ...secrets, signsFrom };
  }
}

/** What a key is sealed for. */
export function oauthKeyContext(id: string): string {
  return `oauth-keys/${id}`;
}
