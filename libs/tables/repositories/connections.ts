import type { Row } from '#ports/table.ts';
import type { Network } from '#domain/network.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing, settledWrite } from '../rows/replace-row.ts';
import { CONNECTIONS } from '../declarations/tables.ts';

/**
 * idle -> claimed (someone is asking the Network for a new pair) -> idle | refused; claimed past `until` counts as
 * idle, with one more answer lost. refused -> idle only by connecting again.
 */
export type RefreshState =
  /**
   * `lostAnswers`: calls with the present refresh token that may have spent it. `failures`: calls in a row that brought
   * nothing. `prolongationRefused`: the Network would not prolong the access token, which serves on; once that token is
   * known to be dead, `notBefore` does not count. Left out in rows of before.
   */
  | {
      readonly state: 'idle';
      readonly notBefore: number;
      readonly failures: number;
      readonly lostAnswers: number;
      readonly prolongationRefused?: true;
    }
  | { readonly state: 'claimed'; readonly until: number; readonly failures: number; readonly lostAnswers: number }
  | { readonly state: 'refused'; readonly detail: string; readonly at: number };

export interface Connection {
  /** Of the sign-in that brought the tokens, kept by refreshes; left out in rows of before. */
  readonly connectionId?: string;
  /** The Channel was disconnected, and the tokens are being ended at the Network: no code uses them. */
  readonly isEnding?: true;
  readonly workspaceId: string;
  readonly network: Network;
  readonly accountId: string;
  readonly username: string;
  /** What publishing to the account needs beside its id; no secrets. Left out in rows of before: none. */
  readonly facts?: Readonly<Record<string, string>>;
  /** The token pair under a SecretBox with the Channel's id as context; '' once forgotten. */
  readonly sealed: string;
  /** Grows with every pair: tells a refresh that came late from one that still counts. */
  readonly pair: number;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly refreshDueAt: number;
  readonly refresh: RefreshState;
}

export interface StoredConnection extends Connection {
  readonly version: number;
}

/** The connection alone, for a replacement of its row, which gets a version of its own. */
export function withoutVersion({ version: _, ...connection }: StoredConnection): Connection {
  return connection;
}

export interface ConnectionRows {
  /** `serial`: sees, and settles, replacements under way. Not needed before a `replace`, which compares anyway. */
  find(channelId: string, options?: { readonly serial?: boolean }): Promise<StoredConnection | null>;
  /**
   * Replaces the row if it is still `over` (null: if there is none); null = it was moved since. An uncertain write
   * is settled by a serial read, so both answers are facts. Rejects with `PortError` when that read fails, too.
   */
  replace(
    channelId: string,
    over: StoredConnection | null,
    next: Connection,
    token: string,
  ): Promise<StoredConnection | null>;
}

export function createConnectionRows(store: TableStore): ConnectionRows {
  return {
    find: async (channelId, options) => storedOf(await store.read(CONNECTIONS, [channelId], [], options)),
    replace: async (channelId, over, next, token) => {
      const write = replacing([channelId], [], { over: over?.version ?? null, value: next, token });
      const isOurs = await settledWrite(store, CONNECTIONS, write);
      return isOurs ? { ...next, version: write.next.version } : null;
    },
  };
}

function storedOf(row: Row | null): StoredConnection | null {
  const connection = row === null ? null : decodeBody<Connection & { readonly version?: never }>(row);
  return row === null || connection === null ? null : { ...connection, version: row.version };
}
