import type { Network } from '#domain/network.ts';
import type { ChannelDefaults } from '#domain/post/channel-options.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing } from '../rows/replace-row.ts';
import { SIGN_INS } from '../declarations/tables.ts';

/** An account to choose from, without what acts for it. */
export interface OfferedAccount {
  readonly accountId: string;
  readonly name: string;
  readonly username: string;
}

/**
 * asked -> started (again and again) -> exchanging -> done, or -> choosing -> done. Nothing leads back: who fails
 * begins anew.
 */
export type SignInStage =
  | { readonly stage: 'asked' }
  /**
   * `sealedVerifier`: the PKCE secret under a SecretBox; hashes are of what only that browser, and the Network, can
   * bring back.
   */
  | {
      readonly stage: 'started';
      readonly stateHash: string;
      readonly browserHash: string;
      readonly sealedVerifier: string;
    }
  | { readonly stage: 'exchanging' | 'done' }
  /** `sealedAccounts`: `ConnectableAccount[]` under a SecretBox. */
  | {
      readonly stage: 'choosing';
      readonly browserHash: string;
      readonly sealedAccounts: string;
      readonly offered: readonly OfferedAccount[];
    };

export interface SignIn {
  readonly workspaceId: string;
  readonly network: Network;
  /** The Channel to connect again; null: new ones. */
  readonly reconnects: { readonly channelId: string; readonly accountId: string } | null;
  /** What a new Channel is to be called; null: as the account is. */
  readonly name: string | null;
  /** Of new Channels; absent: none. */
  readonly defaults?: ChannelDefaults;
  /** The Member who connects; absent: an operator. */
  readonly memberId?: string;
  readonly ticketHash: string;
  readonly expiresAt: number;
  readonly at: SignInStage;
}

export interface StoredSignIn extends SignIn {
  readonly version: number;
}

const TTL_SECONDS = 3_600;

/** Null: there is none, or it was forgotten. Rejects with `PortError`. */
export async function findSignIn(store: TableStore, id: string): Promise<StoredSignIn | null> {
  const row = await store.read(SIGN_INS, [id], []);
  const body = row === null ? null : decodeBody<SignIn>(row);
  return row === null || body === null ? null : { ...body, version: row.version };
}

/** False: it was moved meanwhile, or may have been; then the person begins anew. Rejects with `PortError`. */
export async function moveSignIn(
  store: TableStore,
  id: string,
  { over, next, token }: { readonly over: StoredSignIn | null; readonly next: SignIn; readonly token: string },
): Promise<boolean> {
  const replacement = { over: over?.version ?? null, value: next, token, ttlSeconds: TTL_SECONDS };
  return (await store.compareAndSet(SIGN_INS, replacing([id], [], replacement))).applied;
}
