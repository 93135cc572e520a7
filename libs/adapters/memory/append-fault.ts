import type { LogRecord } from '#ports/log.ts';
import type { Schedule } from '../in-process/group-options.ts';

/**
 * What goes wrong with one append.
 * - `lost`: not stored, the caller gets `unknown`;
 * - `ack-lost`: stored, the caller gets `unknown`;
 * - `twice`: stored, and stored again by a retry; the caller gets the positions of the second.
 */
export type AppendFault = 'lost' | 'ack-lost' | 'twice';

export interface MemoryLogHooks {
  /**
   * Every step of the log goes through it: storing and answering appends, deliveries, revoking, assigning, making
   * acknowledgements durable. Steps may run in any order and at any time, but never inside the call. Default:
   * setImmediate.
   */
  readonly schedule?: Schedule;
  /** Asked once an append, before it is stored. Default: none, besides those queued by `control.failNextAppend`. */
  readonly appendFault?: (client: string, topic: string, records: readonly LogRecord[]) => AppendFault | undefined;
}
