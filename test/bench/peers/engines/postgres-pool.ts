import { installedPackage } from '../installed-package.ts';

/** With a name it is prepared once for each connection. */
export interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

export interface Pool {
  query<Row = Record<string, unknown>>(
    query: Query,
  ): Promise<{ readonly rows: Row[]; readonly rowCount: number | null }>;
  on(event: 'error', listener: (error: Error) => void): void;
  end(): Promise<void>;
}

interface PgPackage {
  readonly default: { readonly Pool: new (options: object) => Pool };
}

/** At most `max` connections, which stay open. */
export async function openPool(connectionString: string, max: number): Promise<Pool> {
  const { default: pg } = await installedPackage<PgPackage>('pg');
  const pool = new pg.Pool({ connectionString, max, idleTimeoutMillis: 0 });
  // Of an idle connection, when the server ends; a query says its own.
  pool.on('error', () => {});
  return pool;
}
