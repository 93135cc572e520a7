import { PortError, type PortErrorKind } from '#ports/errors.ts';

/** kafkajs wraps the cause of a final failure, sometimes several times. */
function rootCause(error: unknown): unknown {
  let at = error;
  for (let depth = 0; depth < 10 && at instanceof Error && at.cause instanceof Error; depth++) at = at.cause;
  return at;
}

/** One line: the innermost cause says more than "number of retries exceeded". */
export function reasonOf(error: unknown): string {
  const cause = rootCause(error);
  return cause instanceof Error ? cause.message : String(cause);
}

export function kafkaError(kind: PortErrorKind, doing: string, error: unknown): PortError {
  return error instanceof PortError ? error : new PortError(kind, `${doing}: ${reasonOf(error)}`, { cause: error });
}

export const queueFull = (): PortError =>
  new PortError('unavailable', 'too many bytes wait to be sent to Kafka: it is unreachable or too slow');
export const logClosed = (): PortError => new PortError('unavailable', 'the log is closed');
