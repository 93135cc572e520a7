/** A worker's clock that led by less than what its process refuses. Instants are epoch ms of the machine's own clock. */
export interface ClockLead {
  readonly from: number;
  readonly to: number;
  readonly leadMs: number;
}

/**
 * So long after such a clock was put right what it fired may still go on, and the process may still go by it: it
 * follows a leap only once a node's clock agrees, and nodes may be away.
 */
const GOES_ON_MS = 60_000;

/** Whether something that was due at `dueAt` had no right to be seen at `at`: no clock that led brought it. */
export function isEarly(at: number, dueAt: number, leads: readonly ClockLead[]): boolean {
  const earlyMs = dueAt - at;
  const brought = leads.some(({ from, to, leadMs }) => at >= from && at <= to + GOES_ON_MS && earlyMs <= leadMs);
  return earlyMs > 0 && !brought;
}
