import type { LogRecord } from '#ports/log.ts';
import type { Schedule } from '../in-process/group-options.ts';

/**
 * How one append fails.
 * - `lost`: the records are not stored; the call rejects as `unknown`.
 * - `ack-lost`: they are stored; the call rejects as `unknown`.
 * - `twice`: they are stored, and stored again by a retry; the call resolves with the positions of the second.
 * - `full`: they are not stored; the call rejects as `unavailable`.
 *
 * In a log that syncs later, what is not stored was readable before, for who reads what is appended, and is taken back.
 */
export type AppendFault = 'lost' | 'ack-lost' | 'twice' | 'full';

export interface MemoryLogHooks {
  /**
   * Schedules every step of the log: storing and answering appends, deliveries, revoking, assigning, making
   * acknowledgements durable. Steps may run in any order and at any time, but never inside the call. Default:
   * setImmediate.
   */
  readonly schedule?: Schedule;
  /**
   * Called once for each append, before it is stored. Default: no faults beside those queued by
   * `control.failNextAppend`.
   */
  readonly appendFault?: (client: string, topic: string, records: readonly LogRecord[]) => AppendFault | undefined;
}
