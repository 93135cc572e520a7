import type { ConnectionOptions } from 'node:tls';
import { auth, Client, policies, types } from 'cassandra-driver';

import { ownerOfWork } from '#concurrency/work-in-hand.ts';
import { PortError } from '#ports/errors.ts';
import { searchOnceAtATime } from './control-connection.ts';
import { portErrorOf, type CassandraOperation } from './failures.ts';
import { InFlight } from './in-flight.ts';
import { WriteRetries } from './write-retries.ts';

export interface CassandraConnection {
  /** Host names or IP addresses. */
  readonly contactPoints: readonly string[];
  readonly port?: number;
  readonly localDataCenter: string;
  readonly username?: string;
  readonly password?: string;
  /**
   * Enables TLS. Called for each new connection, so that certificates can be renewed while connections live. `{}`
   * checks the server's certificate against the system's authorities.
   */
  readonly tls?: () => Pick<ConnectionOptions, 'ca' | 'cert' | 'key'>;
  /** Wall time, which orders what is written without a timestamp of its own. Default: the machine's. */
  readonly now?: () => number;
  /** The deadline of every call, in whatever state the cluster is. Default: 5,000. */
  readonly deadlineMs?: number;
}

/** One statement. Its text is constant for its kind; every value that varies is bound as a parameter. */
export interface Statement {
  readonly query: string;
  readonly params: readonly unknown[];
}

/** What one node answered, and by this machine's clock when it was asked and when its answer was here. */
export interface NodeAnswer {
  readonly node: string;
  /** Undefined: the node has none. */
  readonly row: types.Row | undefined;
  readonly askedAt: number;
  readonly answeredAt: number;
}

export interface RowPage {
  readonly rows: readonly types.Row[];
  readonly next: string | null;
}

const IN_FLIGHT = 64;
/** Of one Workspace: some thousand requests a second, where each takes a few milliseconds. */
const IN_FLIGHT_OF_ONE = 16;
const CONNECT_AGAIN_AFTER_MS = 500;

// Without retries: when the driver repeated a refused or timed-out conditional write, the second try could find the
// first one's success and report it as a refusal.
const NO_SECOND_TRY = new policies.retry.FallthroughRetryPolicy();

/**
 * A connection to a cluster that may be unreachable at times. Modes:
 * - *away*: there is no connection yet. The first call connects; after a failure the next attempt is made half a second
 *   later at the earliest, and calls in between fail at once.
 * - *connected*: for good. The driver itself follows nodes down and up, and calls fail at once while all are down.
 * - *closed*: every call rejects as unavailable.
 * Transitions: away -> connected -> closed, or away -> closed.
 *
 * Every call ends within the deadline. A statement that was already sent still runs at the server after the deadline,
 * so a write that timed out is `unknown`.
 */
export class CassandraClient {
  readonly deadlineMs: number;
  readonly #options: CassandraConnection;
  readonly #inFlight = new InFlight(IN_FLIGHT, IN_FLIGHT_OF_ONE);
  #mode: 'away' | 'connected' | 'closed' = 'away';
  #client: Client | null = null;
  #connecting: Promise<Client> | null = null;
  #lastFailure: { readonly at: number; readonly error: unknown } | null = null;

  constructor(options: CassandraConnection) {
    this.#options = options;
    this.deadlineMs = options.deadlineMs ?? 5_000;
  }

  /** Reads the latest acknowledged write. With `serial` it first settles conditional writes in flight. */
  async read(
    statement: Statement,
    options: { readonly serial?: boolean; readonly fetchSize?: number; readonly page?: string } = {},
  ): Promise<RowPage> {
    const result = await this.#run('read', (client) =>
      client.execute(statement.query, [...statement.params], {
        prepare: true,
        isIdempotent: true,
        consistency: options.serial ? types.consistencies.localSerial : types.consistencies.localQuorum,
        ...(options.fetchSize === undefined ? {} : { fetchSize: options.fetchSize }),
        ...(options.page === undefined ? {} : { pageState: options.page }),
      }),
    );
    return { rows: result.rows ?? [], next: result.pageState ?? null };
  }

  /** Repeatable writes, sent as one batch: to one partition an atomic one, over several not. */
  async write(statements: readonly Statement[]): Promise<void> {
    await this.#run('write', async (client) => {
      const retry = new WriteRetries();
      try {
        await send(client, statements, { isIdempotent: true, retry });
      } catch (error) {
        throw retry.portErrorOf(error);
      }
    });
  }

  /** Conditional statements on one partition, sent as one atomic batch. True when it was applied. */
  async writeIf(statements: readonly Statement[]): Promise<boolean> {
    const result = await this.#run('conditional', (client) =>
      send(client, statements, { isIdempotent: false, retry: NO_SECOND_TRY }),
    );
    return result.wasApplied();
  }

  /**
   * A statement that changes the schema. It is not prepared and has a longer deadline, because schema changes are slow.
   */
  async define(cql: string, deadlineMs: number): Promise<void> {
    await this.#run(
      'write',
      (client) =>
        client.execute(cql, [], { prepare: false, isIdempotent: false, readTimeout: deadlineMs, retry: NO_SECOND_TRY }),
      deadlineMs,
    );
  }

  /** Asks each node that the driver takes for up for one row of its own. Rejects when none answers. */
  async atEachNode(query: string): Promise<readonly NodeAnswer[]> {
    return this.#run('read', async (client) => {
      const asked = client.hosts.values().filter((host) => host.isUp());
      const answers = await Promise.allSettled(
        asked.map(async (host): Promise<NodeAnswer> => {
          const askedAt = Date.now();
          const { rows } = await client.execute(query, [], { host, prepare: false, isIdempotent: true });
          return { node: host.address, row: rows[0], askedAt, answeredAt: Date.now() };
        }),
      );
      const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
      if (found.length > 0) return found;
      throw answers.find((answer) => answer.status === 'rejected')?.reason ?? new Error('no node is up');
    });
  }

  /** Idempotent. */
  async close(): Promise<void> {
    if (this.#mode === 'closed') return;
    this.#mode = 'closed';
    const client = this.#client ?? (await this.#connecting?.catch(() => null)) ?? null;
    this.#client = null;
    await client?.shutdown().catch(() => undefined);
  }

  async #run<T>(
    operation: CassandraOperation,
    work: (client: Client) => Promise<T>,
    deadlineMs = this.deadlineMs,
  ): Promise<T> {
    const deadline = Promise.withResolvers<never>();
    let sent = false;
    let over = false;
    const timer = setTimeout(() => {
      over = true;
      const kind = sent && operation !== 'read' ? 'unknown' : 'unavailable';
      deadline.reject(new PortError(kind, `Cassandra: no answer within ${deadlineMs} ms`));
    }, deadlineMs);
    const worked = this.#inFlight.run(ownerOfWork(), async () => {
      if (over) throw new PortError('unavailable', 'Cassandra: busy');
      const client = this.#client ?? (await this.#connect());
      if (over) throw new PortError('unavailable', 'Cassandra: connected too late');
      sent = true;
      return work(client);
    });
    try {
      return await Promise.race([worked, deadline.promise]);
    } catch (error) {
      throw portErrorOf(error, operation);
    } finally {
      clearTimeout(timer);
      // The promise that lost the race may still reject; without this handler Node would report an unhandled rejection.
      worked.catch(() => undefined);
    }
  }

  #connect(): Promise<Client> {
    if (this.#mode === 'closed') throw new PortError('unavailable', 'Cassandra: this store is closed');
    const failed = this.#lastFailure;
    if (failed !== null && performance.now() < failed.at + CONNECT_AGAIN_AFTER_MS) {
      throw notConnected(failed.error);
    }
    this.#connecting ??= this.#connectOnce().finally(() => {
      this.#connecting = null;
    });
    return this.#connecting;
  }

  async #connectOnce(): Promise<Client> {
    const client = new Client(driverOptions(this.#options, this.deadlineMs));
    searchOnceAtATime(client);
    if (this.#options.tls !== undefined) renewTls(client, this.#options.tls);
    try {
      await client.connect();
    } catch (error) {
      this.#lastFailure = { at: performance.now(), error };
      await client.shutdown().catch(() => undefined);
      throw notConnected(error);
    }
    if (this.#mode === 'closed') return client;
    this.#mode = 'connected';
    this.#client = client;
    return client;
  }
}

function notConnected(error: unknown): PortError {
  const reason = error instanceof Error ? error.message : String(error);
  return new PortError('unavailable', `Cassandra: could not connect: ${reason}`, { cause: error });
}

/** The driver reads its options anew for each connection, which it makes long after the client. */
function renewTls(client: Client, tls: NonNullable<CassandraConnection['tls']>): void {
  const { options } = client as Client & { readonly options: { readonly sslOptions: object } };
  for (const part of ['ca', 'cert', 'key'] as const)
    Object.defineProperty(options.sslOptions, part, { enumerable: true, get: () => tls()[part] });
}

function send(
  client: Client,
  statements: readonly Statement[],
  options: { isIdempotent: boolean; retry?: policies.retry.RetryPolicy },
): Promise<types.ResultSet> {
  const [first] = statements;
  if (first === undefined) throw new Error('nothing to write');
  if (statements.length === 1) return client.execute(first.query, [...first.params], { ...options, prepare: true });
  // Unlogged: a batch within one partition is one mutation in any case, and who writes to several makes no atom of it.
  const queries = statements.map(({ query, params }) => ({ query, params: [...params] }));
  return client.batch(queries, { ...options, prepare: true, logged: false });
}

/** Microseconds, each once in a process. */
class Timestamps extends policies.timestampGeneration.MonotonicTimestampGenerator {
  readonly #now: () => number;

  constructor(now: () => number) {
    // It warns, once a second at most, when its instants are more than a second ahead of the clock.
    super(1_000, 1_000);
    this.#now = now;
  }

  override getDate(): number {
    return this.#now();
  }
}

function driverOptions(options: CassandraConnection, deadlineMs: number): ConstructorParameters<typeof Client>[0] {
  const { username, password } = options;
  return {
    contactPoints: [...options.contactPoints],
    localDataCenter: options.localDataCenter,
    protocolOptions: { port: options.port ?? 9042, maxSchemaAgreementWaitSeconds: 30 },
    ...(username === undefined ? {} : { authProvider: new auth.PlainTextAuthProvider(username, password ?? '') }),
    ...(options.tls === undefined ? {} : { sslOptions: { rejectUnauthorized: true } }),
    // Shorter than our deadline, so that an idempotent request that one node leaves unanswered is tried on a second
    // node in time.
    socketOptions: {
      connectTimeout: Math.min(2_000, deadlineMs),
      readTimeout: Math.ceil(deadlineMs * 0.45),
      keepAlive: true,
    },
    pooling: { heartBeatInterval: 5_000 },
    queryOptions: {
      prepare: true,
      consistency: types.consistencies.localQuorum,
      serialConsistency: types.consistencies.localSerial,
    },
    policies: {
      reconnection: new policies.reconnection.ExponentialReconnectionPolicy(100, 2_000, false),
      timestampGeneration: new Timestamps(options.now ?? Date.now),
    },
    encoding: { useBigIntAsLong: true },
  };
}
