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

interface Asked {
  readonly group?: string;
  readonly topics: readonly string[];
  readonly toWrite?: boolean;
  /** The last error that kafkajs logged: while it looks for a group's coordinator it keeps Kafka's answer to itself. */
  readonly logged?: string | null;
}

/**
 * What an ACL is missing for, in one sentence that an operator can act on; null: it failed for another reason. Kafka
 * does not say which of several topics it means.
 */
export function missingAcl(error: unknown, { group, topics, toWrite = false, logged }: Asked): string | null {
  // kafkajs names an answer of Kafka by its `type`.
  const cause = rootCause(error) as { readonly type?: string; readonly name?: string } | undefined;
  const isHidden = cause?.name === 'KafkaJSGroupCoordinatorNotFound' && logged?.includes('Group authorization failed');
  if (cause?.type === 'GROUP_AUTHORIZATION_FAILED' || isHidden)
    return `Kafka refuses this user the group ${group}: give it the ACL Read on the group`;
  if (cause?.type === 'TOPIC_AUTHORIZATION_FAILED')
    return `Kafka refuses this user a topic: give it the ACL ${toWrite ? 'Write' : 'Read'} on ${topics.join(', ')}`;
  return null;
}

export function kafkaError(kind: PortErrorKind, doing: string, error: unknown): PortError {
  return error instanceof PortError ? error : new PortError(kind, `${doing}: ${reasonOf(error)}`, { cause: error });
}

export const queueFull = (): PortError =>
  new PortError('unavailable', 'too many bytes wait to be sent to Kafka: it is unreachable or too slow');
export const logClosed = (): PortError => new PortError('unavailable', 'the log is closed');
