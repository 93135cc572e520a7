import { createBoundedMap } from '#concurrency/bounded-map.ts';
import type { Network } from '#domain/network.ts';
import { PortError } from '#ports/errors.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { TableStore } from '#ports/table-store.ts';
import {
  createConnectionRows,
  withoutVersion,
  type Connection,
  type ConnectionRows,
  type StoredConnection,
} from '#tables/repositories/connections.ts';
import type { Profile, Tokens } from '#networks/contract/adapter.ts';
import { createPersonChannels, type PersonChannels } from '#tables/repositories/person-channels.ts';
import {
  DISCONNECTED,
  endConnection,
  erased,
  personIdOf,
  removePerson,
  type ConnectionEnd,
  type ConnectionEnded,
} from './end-connection.ts';
import { jitteredDueAt, openTokens, sealTokens, UnsealableError } from './token-pair.ts';
import { TokenRefresh, type RefreshResult, type TokenRefreshOptions } from './token-refresh.ts';

export type TokensAnswer =
  | {
      readonly kind: 'ok';
      readonly accessToken: string;
      readonly username: string;
      readonly accountId: string;
      readonly facts: Readonly<Record<string, string>>;
      /** When the token came; milliseconds since the epoch. */
      readonly issuedAt: number;
    }
  /** The Network refused, or there is no connection: a person must act. */
  | { readonly kind: 'needs_reconnect'; readonly detail: string }
  /** Ask again after `delayMs`; says nothing about the Channel. */
  | { readonly kind: 'unavailable'; readonly delayMs: number; readonly detail: string };

export interface Connections {
  /**
   * Keeps the tokens of a Channel that was connected, or connected again. Resolves with the id by which the Channel
   * names them. Rejects with `PortError`.
   */
  save(
    channel: { readonly id: string; readonly workspaceId: string; readonly network: Network },
    tokens: Tokens,
    profile: Pick<Profile, 'accountId' | 'username' | 'facts'>,
  ): Promise<string>;
  /**
   * A token to use now; refreshed first when that is due. Never rejects for what a store or a Network does.
   * `beforeCall`: awaited before the Network is asked. Should that reject, the tokens are `unavailable`.
   */
  tokensFor(channelId: string, network: Network, beforeCall?: () => Promise<void>): Promise<TokensAnswer>;
  /** After the Network refused `staleAccessToken`: a newer one, fetched now unless another process has done so. */
  refreshNow(channelId: string, staleAccessToken: string): Promise<TokensAnswer>;
  /** Has the tokens of a sign-in bear the id of another one. Rejects with `PortError`. */
  rename(channelId: string, connectionId: string, newId: string): Promise<void>;
  /**
   * Forgets the tokens of a sign-in whose Channel was not connected after all; those of a later one are left alone.
   * Rejects with `PortError`.
   */
  forget(channelId: string, connectionId: string): Promise<void>;
  /** Ends the tokens of a Channel that was disconnected, at the Network too. Rejects with `PortError`. */
  end(order: ConnectionEnd): Promise<ConnectionEnded>;
}

export interface ConnectionsOptions extends Omit<TokenRefreshOptions, 'rows'> {
  readonly store: TableStore;
}

/** A token this close to its end is not handed out any more: the call it is for takes a while. */
const USABLE_FOR_MS = 60_000;
const STORE_TROUBLE_DELAY_MS = 5_000;
const UNSEALABLE_DELAY_MS = 60_000;
const REPLACE_ATTEMPTS = 8;
const MAX_OPENED = 1_000;
const NEVER_REFRESHED = { state: 'idle', notBefore: 0, failures: 0, lostAnswers: 0 } as const;

/** `stale`: the token that the Network refused. */
interface Asking {
  readonly stale: string | null;
  readonly beforeCall?: (() => Promise<void>) | undefined;
}

export function createConnections(options: ConnectionsOptions): Connections {
  const { secretBox, clock, ids, reporter } = options;
  const rows = createConnectionRows(options.store);
  const refreshing = new TokenRefresh({ ...options, rows });
  const opened = new OpenedTokens(secretBox);
  const persons = createPersonChannels(options.store, () => ids.token());

  const answer = async (channelId: string, network: Network | null, asking: Asking): Promise<TokensAnswer> => {
    const stored = await rows.find(channelId);
    if (stored === null) return { kind: 'needs_reconnect', detail: 'The Channel has no connection.' };
    if (network !== null && stored.network !== network)
      throw new Error(`channel ${channelId} is on ${stored.network}, not ${network}`);
    if (stored.isEnding) return { kind: 'needs_reconnect', detail: DISCONNECTED };
    if (stored.refresh.state === 'refused') return { kind: 'needs_reconnect', detail: stored.refresh.detail };
    const tokens = opened.of(channelId, stored);
    const now = clock.now();
    const forced = tokens.accessToken === asking.stale;
    const usable = !forced && now < stored.expiresAt - USABLE_FOR_MS;
    if (usable && now < stored.refreshDueAt) return ok(stored, tokens);
    await asking.beforeCall?.();
    const refreshed = await refreshing.refresh(channelId, stored, forced);
    // What is still good serves on while a new pair can't be had.
    return refreshed.kind === 'unavailable' && usable ? ok(stored, tokens) : answerOf(refreshed);
  };

  const guarded = async (channelId: string, network: Network | null, asking: Asking): Promise<TokensAnswer> => {
    try {
      return await answer(channelId, network, asking);
    } catch (error) {
      if (error instanceof PortError)
        return { kind: 'unavailable', delayMs: STORE_TROUBLE_DELAY_MS, detail: error.message };
      if (!(error instanceof UnsealableError)) throw error;
      reporter.failure('connection-unseal-failed', error, { channelId });
      return { kind: 'unavailable', delayMs: UNSEALABLE_DELAY_MS, detail: error.message };
    }
  };
  const overwrite = overwriter(rows, ids);
  return {
    save: async ({ id, workspaceId, network }, tokens, profile) => {
      const { accountId, username } = profile;
      const auth = options.auths[network];
      if (auth === undefined) throw new Error(`no way to sign in to ${network}`);
      const connectionId = ids.token(16);
      // Before the tokens, so that every Channel with tokens is found by its person. Without them the row does no harm.
      await persons.keep({ network, personId: personIdOf(profile) }, { workspaceId, channelId: id, connectionId });
      const replaced = await overwrite(id, (stored) => {
        const issuedAt = clock.now();
        return {
          ...{ connectionId, workspaceId, network, accountId, username },
          ...(profile.facts === undefined ? {} : { facts: profile.facts }),
          sealed: sealTokens(secretBox, id, tokens),
          pair: (stored?.pair ?? 0) + 1,
          issuedAt,
          expiresAt: tokens.expiresAt,
          refreshDueAt: jitteredDueAt(auth, tokens, issuedAt, ids.random()),
          refresh: NEVER_REFRESHED,
        };
      });
      // Who connected the Channel before has no more to do with it.
      if (replaced !== null && personIdOf(replaced) !== personIdOf(profile)) await removePerson(persons, id, replaced);
      return connectionId;
    },
    tokensFor: (channelId, network, beforeCall) => guarded(channelId, network, { stale: null, beforeCall }),
    refreshNow: (channelId, staleAccessToken) => guarded(channelId, null, { stale: staleAccessToken }),
    ...ofSignIn({ rows, persons, overwrite, clock }),
    end: (order) => endConnection(order, { ...options, rows, persons }),
  };
}

interface SignInParts {
  readonly rows: ConnectionRows;
  readonly persons: PersonChannels;
  readonly overwrite: Overwrite;
  readonly clock: Pick<ConnectionsOptions['clock'], 'now'>;
}

/** What becomes of the tokens of one sign-in, as long as no later one replaced them. */
function ofSignIn({ rows, persons, overwrite, clock }: SignInParts): Pick<Connections, 'rename' | 'forget'> {
  return {
    rename: async (channelId, connectionId, newId) => {
      const stored = await rows.find(channelId, { serial: true });
      if (!isOf(connectionId, stored)) return;
      const { workspaceId, network } = stored;
      await persons.keep({ network, personId: personIdOf(stored) }, { workspaceId, channelId, connectionId: newId });
      await overwrite(channelId, (present) =>
        isOf(connectionId, present) ? { ...withoutVersion(present), connectionId: newId } : null,
      );
    },
    forget: async (channelId, connectionId) => {
      const stored = await rows.find(channelId, { serial: true });
      if (!isOf(connectionId, stored)) return;
      await removePerson(persons, channelId, stored);
      await overwrite(channelId, (present) => (isOf(connectionId, present) ? erased(present, clock.now()) : null));
    },
  };
}

function isOf(connectionId: string, stored: StoredConnection | null): stored is StoredConnection {
  return stored?.connectionId === connectionId;
}

/**
 * Replaces the connection of a Channel, whatever it is meanwhile, and resolves with the one that was replaced; null:
 * none. `next`: null = it stays as it is.
 */
type Overwrite = (
  channelId: string,
  next: (stored: StoredConnection | null) => Connection | null,
) => Promise<StoredConnection | null>;

function overwriter(rows: ConnectionRows, ids: Pick<ConnectionsOptions['ids'], 'token'>): Overwrite {
  return async (channelId, next) => {
    for (let attempt = 0; attempt < REPLACE_ATTEMPTS; attempt++) {
      const stored = await rows.find(channelId, { serial: attempt > 0 });
      const connection = next(stored);
      if (connection === null) return null;
      if ((await rows.replace(channelId, stored, connection, ids.token())) !== null) return stored;
    }
    throw new PortError('unavailable', `the connection of channel ${channelId} keeps changing`);
  };
}

/**
 * The pair last opened of each Channel, so that a burst of Variants unseals it once. A pair counts only for the very
 * text it was sealed in.
 */
class OpenedTokens {
  readonly #secretBox: SecretBox;
  readonly #opened = createBoundedMap<string, { readonly sealed: string; readonly tokens: Tokens }>(MAX_OPENED);

  constructor(secretBox: SecretBox) {
    this.#secretBox = secretBox;
  }

  /** Throws UnsealableError. */
  of(channelId: string, stored: Connection): Tokens {
    const known = this.#opened.get(channelId);
    if (known?.sealed === stored.sealed) return { ...known.tokens, expiresAt: stored.expiresAt };
    const tokens = openTokens(this.#secretBox, channelId, stored);
    this.#opened.set(channelId, { sealed: stored.sealed, tokens });
    return tokens;
  }
}

function ok(stored: Connection, tokens: Tokens): TokensAnswer {
  return {
    kind: 'ok',
    accessToken: tokens.accessToken,
    username: stored.username,
    accountId: stored.accountId,
    facts: stored.facts ?? {},
    issuedAt: stored.issuedAt,
  };
}

function answerOf(refreshed: RefreshResult): TokensAnswer {
  return refreshed.kind === 'ok' ? ok(refreshed.stored, refreshed.tokens) : refreshed;
}
