import type { Row } from '#ports/table.ts';
import type { TableStore } from '#ports/table-store.ts';
import { NETWORK_USES } from '../declarations/tables.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing } from '../rows/replace-row.ts';

/** A Workspace that asked for a use of what a Network allows our app. */
export interface Asker {
  readonly workspaceId: string;
  readonly at: number;
}

export interface AskerRecord {
  /** Whose uses: `x app`. */
  readonly scope: string;
  readonly asker: Asker;
  /** For how long it is of interest that a Workspace asked. */
  readonly lastsMs: number;
  readonly token: string;
}

/** Two suffice: of two Workspaces at least one is another one, whoever wants to know. */
const MAX_ASKERS = 2;
const ATTEMPTS = 5;

/** The Workspaces that asked last, newest first. Rejects with `PortError`. */
export async function readAskers(store: TableStore, scope: string): Promise<readonly Asker[]> {
  return askersOf(await store.read(NETWORK_USES, [rowOf(scope)], []));
}

/** Notes that a Workspace asked, and returns those that are known then. Rejects with `PortError`. */
export async function keepAsker(store: TableStore, record: AskerRecord): Promise<readonly Asker[]> {
  const { scope, asker, lastsMs, token } = record;
  const ttlSeconds = Math.ceil(lastsMs / 1000);
  let row = await store.read(NETWORK_USES, [rowOf(scope)], []);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const others = askersOf(row).filter(({ workspaceId }) => workspaceId !== asker.workspaceId);
    const value = [asker, ...others].slice(0, MAX_ASKERS);
    const write = replacing([rowOf(scope)], [], { over: row?.version ?? null, value, token, ttlSeconds });
    const outcome = await store.compareAndSet(NETWORK_USES, write);
    if (outcome.applied) return value;
    row = outcome.current;
  }
  // Others ask at this moment, and are the newest.
  return askersOf(row);
}

function rowOf(scope: string): string {
  return `${scope} askers`;
}

function askersOf(row: Row | null): readonly Asker[] {
  return row === null ? [] : (decodeBody<readonly Asker[]>(row) ?? []);
}
