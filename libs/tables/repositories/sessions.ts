import { MAX_SLICE_ROWS, type TableStore } from '#ports/table-store.ts';
import type { Row } from '#ports/table.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing, settledWrite } from '../rows/replace-row.ts';
import { SESSIONS } from '../declarations/tables.ts';

/** A browser that is signed in. */
export interface Session {
  readonly email: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** To the hour. */
  readonly lastSeenAt: number;
  /** Words for a person, such as "Firefox on Linux". */
  readonly browser: string;
}

export interface StoredSession extends Session {
  readonly accountId: string;
  /** SHA-256 of the secret in the cookie: it names the session and does not open it. */
  readonly sessionHash: string;
  readonly version: number;
}

export interface SessionRows {
  /** Null: there is none, or it was ended. */
  find(accountId: string, sessionHash: string): Promise<StoredSession | null>;
  /** Every session that was not ended, expired ones among them. */
  list(accountId: string): Promise<readonly StoredSession[]>;
  /** False: a session of this hash was there before, or was prevented. */
  create(accountId: string, sessionHash: string, session: Session): Promise<boolean>;
  /** False: it was changed or ended meanwhile. */
  replace(over: StoredSession, next: Session): Promise<boolean>;
  /** False: it was ended, or changed, meanwhile. */
  end(session: StoredSession): Promise<boolean>;
  /** Whether it was made, and maybe ended since. */
  wasMade(accountId: string, sessionHash: string): Promise<boolean>;
  /** Makes sure that the Member's session can never be made; false: it was, and maybe ended since. May be repeated. */
  prevent(accountId: string, sessionHash: string): Promise<boolean>;
}

/** The row of a session that must never be made. */
interface Prevented {
  readonly prevented: true;
}

/** Longer than any session and any link to one: what was ended or prevented must not come back. */
const TTL_SECONDS = 60 * 86_400;

/** All calls reject with `PortError` when the store can not tell. `token`: new at each call. */
export function createSessionRows(store: TableStore, token: () => string): SessionRows {
  const write = (accountId: string, sessionHash: string, over: number | null, value: Session | Prevented | null) =>
    settledWrite(
      store,
      SESSIONS,
      replacing([accountId], [sessionHash], { over, value, token: token(), ttlSeconds: TTL_SECONDS }),
    );
  return {
    find: async (accountId, sessionHash) => storedOf(await store.read(SESSIONS, [accountId], [sessionHash])),
    list: (accountId) => listSessions(store, accountId),
    create: (accountId, sessionHash, session) => write(accountId, sessionHash, null, session),
    replace: ({ accountId, sessionHash, version }, next) => write(accountId, sessionHash, version, plain(next)),
    end: ({ accountId, sessionHash, version }) => write(accountId, sessionHash, version, null),
    wasMade: (accountId, sessionHash) => wasMade(store, accountId, sessionHash),
    prevent: async (accountId, sessionHash) =>
      (await write(accountId, sessionHash, null, { prevented: true })) ||
      !(await wasMade(store, accountId, sessionHash)),
  };
}

async function wasMade(store: TableStore, accountId: string, sessionHash: string): Promise<boolean> {
  const row = await store.read(SESSIONS, [accountId], [sessionHash], { serial: true });
  return row !== null && !isPrevented(decodeBody<Session | Prevented>(row));
}

function isPrevented(value: Session | Prevented | null): value is Prevented {
  return value !== null && 'prevented' in value;
}

async function listSessions(store: TableStore, accountId: string): Promise<readonly StoredSession[]> {
  const found: StoredSession[] = [];
  let after: readonly [string] | null = null;
  for (;;) {
    const rows: readonly Row[] = await store.slice(SESSIONS, [accountId], {
      limit: MAX_SLICE_ROWS,
      ...(after !== null && { after }),
    });
    found.push(...rows.map(storedOf).filter((session) => session !== null));
    if (rows.length < MAX_SLICE_ROWS) return found;
    after = rows.at(-1)!.clustering as readonly [string];
  }
}

/** Only the fields of a session, whatever else the object has. */
function plain({ email, createdAt, expiresAt, lastSeenAt, browser }: Session): Session {
  return { email, createdAt, expiresAt, lastSeenAt, browser };
}

function storedOf(row: Row | null): StoredSession | null {
  const session = row === null ? null : decodeBody<Session | Prevented>(row);
  if (row === null || session === null || isPrevented(session)) return null;
  const [accountId, sessionHash] = [row.partition[0] as string, row.clustering[0] as string];
  return { ...session, accountId, sessionHash, version: row.version };
}
