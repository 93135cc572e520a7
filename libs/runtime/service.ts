/**
 * Anything long-lived. `start` resolves when it is ready to work; from then on `failed` rejects when it can't go on.
 * `drain` stops taking new work and resolves when what was in flight is done or handed back; `stop` lets go of
 * everything at once. Both are idempotent; `stop` without `drain` is what a crash looks like to the others.
 */
export interface Service {
  readonly name: string;
  start(): Promise<void>;
  drain(): Promise<void>;
  stop(): Promise<void>;
  /** null while well; otherwise one line for /health. */
  trouble(): string | null;
}
