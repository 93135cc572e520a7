/** A running engine, with the faults that tests cause to it. */
export interface TestEngine {
  readonly how: 'container' | 'process';
  /** The engine's own process; null when it runs in a container. Changes with `restart`. */
  readonly pid: number | null;
  /** The engine's output, warnings and errors; null when it runs in a container. */
  readonly logFile: string | null;
  /** What it stores; null when it runs in a container. */
  readonly dataDir: string | null;
  /** SIGKILL and SIGTERM resolve when the process is gone; SIGSTOP and SIGCONT at once. */
  kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /**
   * Kills the engine if it still runs (-9: nothing is flushed), then starts it on the same data and ports; resolves
   * when it serves again.
   */
  restart(): Promise<void>;
  /** Ends the engine and deletes its data. Idempotent. */
  stop(): Promise<void>;
}

export interface KafkaEngine extends TestEngine {
  readonly brokers: readonly string[];
  /** The listener that asks for a client's certificate, and the one that asks for a password; empty unless secured. */
  readonly tlsBrokers: readonly string[];
  readonly saslBrokers: readonly string[];
}

export interface CassandraEngine extends TestEngine {
  readonly contactPoints: readonly string[];
  readonly port: number;
  readonly localDataCenter: 'datacenter1';
  /** Runs Cassandra's own tool for operators. Rejects with what it said when it fails, or was not asked for. */
  nodetool(...args: readonly string[]): Promise<void>;
}
