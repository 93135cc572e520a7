/** The command was written wrongly. The message says how to write it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command can not be carried out; the message says why, and what to do. */
export class CommandRefusal extends Error {
  override readonly name = 'CommandRefusal';
}
