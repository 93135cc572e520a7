/** A running engine and what fault tests do to it. */
export interface TestEngine {
  readonly how: 'container' | 'process';
  /** The engine's own process; null when it runs in a container. Changes with `restart`. */
  readonly pid: number | null;
  /** What the engine wrote, warnings and worse; null when it runs in a container. */
  readonly logFile: string | null;
  /** SIGKILL and SIGTERM resolve when it is gone; SIGSTOP and SIGCONT at once. */
  kill(signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /**
   * Kills it if it still runs (-9: nothing is flushed), then starts it on the same data and ports; resolves when it
   * serves again.
   */
  restart(): Promise<void>;
  /** Ends it and forgets its data. Idempotent. */
  stop(): Promise<void>;
}

export interface KafkaEngine extends TestEngine {
  readonly brokers: readonly string[];
}

export interface CassandraEngine extends TestEngine {
  readonly contactPoints: readonly string[];
  readonly port: number;
  readonly localDataCenter: 'datacenter1';
}
