import type { GroupMembership } from '#ports/log.ts';

/**
 * A long-lived part of a process. `start` resolves when it is ready to work, and rejects when it can not start. `drain`
 * takes no new work and resolves when the work in flight is done or handed back. `stop` abandons the work in flight and
 * releases every resource. Both are idempotent. To other processes `stop` without `drain` looks like a crash.
 */
export interface Service {
  readonly name: string;
  start(): Promise<void>;
  /** Called once before a drain that is delayed: it serves on as before, and lets clients go elsewhere next. */
  leave?(): void;
  drain(): Promise<void>;
  stop(): Promise<void>;
  /** One line for /health/ready that says what is wrong; null: the service is well. */
  trouble(): string | null;
  /** Of a reader of the log; null: it has not begun to read. */
  membership?(): GroupMembership | null;
}
