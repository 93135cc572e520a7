import type { Network } from '#domain/network.ts';
import type { NetworkAuth, Profile } from '#networks/contract/adapter.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { Ids } from '#ports/ids.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { PersonChannels } from '#tables/repositories/person-channels.ts';
import {
  withoutVersion,
  type Connection,
  type ConnectionRows,
  type StoredConnection,
} from '#tables/repositories/connections.ts';
import { openTokens, UnsealableError } from './token-pair.ts';
import { waitFor } from './token-refresh.ts';

export const DISCONNECTED = 'The Channel was disconnected.';

export interface ConnectionEnd {
  readonly channelId: string;
  /** Of the tokens that the Channel had when it was disconnected; null: it was connected before tokens had ids. */
  readonly connectionId: string | null;
  /** The Network had its chances: the tokens are removed even if it can not be asked. */
  readonly isLastTry: boolean;
}

export type ConnectionEnded =
  /**
   * The tokens are removed. `revocation`: what the Network did. `none`: it has no call for it, or the tokens can't be
   * unsealed; `shared`: a Channel of the same person lives on, which might have ended with them.
   */
  | {
      readonly kind: 'ended';
      readonly revocation: 'revoked' | 'refused' | 'none' | 'shared' | 'unavailable';
      readonly detail: string;
    }
  /** There are no tokens of this connection any more: the Channel was connected again, or this was done before. */
  | { readonly kind: 'superseded' }
  | { readonly kind: 'unavailable'; readonly detail: string };

export interface EndConnectionOptions {
  readonly rows: ConnectionRows;
  readonly persons: PersonChannels;
  readonly auths: Readonly<Partial<Record<Network, Pick<NetworkAuth, 'revoke'>>>>;
  readonly http: HttpClient;
  readonly secretBox: SecretBox;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'token'>;
}

const ATTEMPTS = 8;

/**
 * Ends the tokens of one connecting, first at the Network and then here, with all that is kept of the account. Tokens
 * of a later connecting have another id and are left alone.
 *
 * A Network may end everything that a person gave to our app, not only these tokens. So it is asked only when no other
 * Channel of the person is connected. Each connection is marked as ending before the others are read: of two that end
 * together, at least one sees the other's mark, and asks. Rejects with `PortError`; repeating is harmless.
 */
export async function endConnection(
  { channelId, connectionId, isLastTry }: ConnectionEnd,
  options: EndConnectionOptions,
): Promise<ConnectionEnded> {
  const { rows, persons, clock, ids } = options;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const stored = await rows.find(channelId, { serial: true });
    if (stored === null || (stored.connectionId ?? null) !== connectionId) return { kind: 'superseded' };
    if (stored.sealed === '') return { kind: 'superseded' };
    // A pair that comes now would be one that was not revoked.
    if (stored.refresh.state === 'claimed' && waitFor(stored.refresh, clock.now()) > 0)
      return { kind: 'unavailable', detail: 'The tokens are being refreshed.' };
    const marked = { ...withoutVersion(stored), isEnding: true } as const;
    const ending = stored.isEnding ? stored : await rows.replace(channelId, stored, marked, ids.token());
    if (ending === null) continue;
    const revoked = await revoke(channelId, ending, options);
    if (revoked.revocation === 'unavailable' && !isLastTry) return { kind: 'unavailable', detail: revoked.detail };
    // First: a crash behind it repeats all of this, while an erased connection no longer says whose it was.
    await removePerson(persons, channelId, ending);
    if ((await rows.replace(channelId, ending, erased(ending, clock.now()), ids.token())) === null) continue;
    return { kind: 'ended', ...revoked };
  }
  throw new PortError('unavailable', `the connection of channel ${channelId} keeps changing`);
}

async function revoke(
  channelId: string,
  ending: StoredConnection,
  options: EndConnectionOptions,
): Promise<Omit<Extract<ConnectionEnded, { kind: 'ended' }>, 'kind'>> {
  const { auths, http, secretBox } = options;
  const auth = auths[ending.network];
  if (auth?.revoke === undefined) return { revocation: 'none', detail: '' };
  if (await hasOtherChannels(channelId, ending, options)) return { revocation: 'shared', detail: '' };
  try {
    const answer = await auth.revoke(http, openTokens(secretBox, channelId, ending), ending.accountId);
    if (answer.kind === 'ok') return { revocation: 'revoked', detail: '' };
    return { revocation: answer.kind, detail: answer.summary.detail };
  } catch (error) {
    if (error instanceof UnsealableError) return { revocation: 'none', detail: error.message };
    throw error;
  }
}

async function hasOtherChannels(
  channelId: string,
  ending: StoredConnection,
  { persons, rows }: EndConnectionOptions,
): Promise<boolean> {
  for (const other of await persons.of({ network: ending.network, personId: personIdOf(ending) })) {
    if (other.channelId === channelId) continue;
    const connection = await rows.find(other.channelId, { serial: true });
    const isAlive =
      connection !== null &&
      connection.connectionId === other.connectionId &&
      connection.sealed !== '' &&
      connection.isEnding === undefined &&
      connection.refresh.state !== 'refused';
    if (isAlive) return true;
  }
  return false;
}

/** The fact of an account that says who connected it, where that is not the account itself, as of Pages. */
const PERSON_FACT = 'personId';

/** The id that the Network knows the person by who connected the account. */
export function personIdOf({ accountId, facts }: Pick<Profile, 'accountId' | 'facts'>): string {
  return facts?.[PERSON_FACT] ?? accountId;
}

export async function removePerson(persons: PersonChannels, channelId: string, connection: Connection): Promise<void> {
  const { network, connectionId } = connection;
  if (connectionId === undefined) return;
  await persons.remove({ network, personId: personIdOf(connection) }, { channelId, connectionId });
}

/** Without the tokens, and without what else the Network said of the account. */
export function erased({ version: _, facts: __, isEnding: ___, ...stored }: StoredConnection, at: number): Connection {
  return {
    ...stored,
    accountId: '',
    username: '',
    sealed: '',
    pair: stored.pair + 1,
    refresh: { state: 'refused', detail: DISCONNECTED, at },
  };
}
