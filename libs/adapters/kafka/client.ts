import { isIP, connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Kafka, logLevel, type ISocketFactory, type logCreator, type SASLOptions } from 'kafkajs';
import type { Reporter } from '#reporting/reporter.ts';
import { keepLeaderless } from './leaderless-partitions.ts';
import { quietTimers } from './quiet-timers.ts';
import { endStoppedFetchers } from './stopped-runner.ts';
import type { KafkaSettings } from './settings.ts';

export interface KafkaTls {
  /** PEM. Default: the system's authorities. */
  readonly ca?: string;
  /** PEM, for clients that authenticate by certificate. */
  readonly cert?: string;
  readonly key?: string;
}

export interface KafkaSasl {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}

export interface KafkaAccess {
  /** `host:port` of some brokers; the client learns the others from them. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** Enables TLS. Called for each new connection, so that certificates can be renewed while connections live. */
  readonly tls?: () => KafkaTls;
  readonly sasl?: KafkaSasl;
}

const KEEP_ALIVE_MS = 60_000;

/**
 * All connections of one log. kafkajs reconnects for ever on behalf of an unfinished send, even after `disconnect`.
 * Once shut, this gate ends every connection and makes every further attempt fail for good.
 */
export class ConnectGate {
  #shut = false;
  readonly #sockets = new Set<Socket>();

  shut(): void {
    this.#shut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  readonly socketFactory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    // One of the few errors that kafkajs does not retry.
    if (this.#shut) throw new RangeError('the log is closed');
    const socket = ssl
      ? connectTls({ host, port, ...(isIP(host) ? {} : { servername: host }), ...ssl }, onConnect)
      : connectPlain({ host, port }, onConnect);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.setNoDelay(true);
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  };
}

/** What a client's maker wants to hear of it. */
export interface ClientListener {
  /** Called before each try to connect. */
  onConnecting?(): void;
  /** An answer of Kafka that is an error, in Kafka's words: kafkajs logs some that it does not throw. */
  onErrorLogged?(error: string): void;
}

/**
 * A new kafkajs client. Each producer and consumer has one of its own: consumers of one group made by the same client
 * would share, and overwrite, their committed offsets.
 */
export function createClient(
  access: KafkaAccess,
  gate: ConnectGate,
  settings: KafkaSettings,
  reporter: Reporter | undefined,
  listener: ClientListener = {},
): Kafka {
  quietTimers();
  keepLeaderless();
  endStoppedFetchers();
  return new Kafka({
    clientId: access.clientId,
    brokers: [...access.brokers],
    ...(access.tls === undefined ? {} : { ssl: true }),
    ...(access.sasl === undefined ? {} : { sasl: { ...access.sasl } as SASLOptions }),
    connectionTimeout: settings.connectionTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    // Bounded, so that a caller that waits for a connection gets its error; our own loops retry without end.
    retry: {
      initialRetryTime: settings.retryFromMs,
      maxRetryTime: settings.retryToMs,
      retries: 6,
      factor: 0.2,
      multiplier: 2,
    },
    socketFactory: (options) => {
      listener.onConnecting?.();
      return gate.socketFactory({ ...options, ...(access.tls !== undefined && { ssl: { ...access.tls() } }) });
    },
    logLevel: logLevel.WARN,
    logCreator: reportingTo(reporter, listener),
  });
}

function reportingTo(reporter: Reporter | undefined, listener: ClientListener): logCreator {
  return () =>
    ({ namespace, level, log }) => {
      const { message, error, broker, groupId } = log as {
        message: string;
        error?: unknown;
        broker?: string;
        groupId?: string;
      };
      if (error !== undefined) listener.onErrorLogged?.(String(error));
      const severity = level <= logLevel.ERROR ? 'error' : 'warn';
      reporter?.report('kafka-client-logged', {
        severity,
        namespace,
        message,
        error: error === undefined ? undefined : String(error),
        broker,
        groupId,
      });
    };
}
