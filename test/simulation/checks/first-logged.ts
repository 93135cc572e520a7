import type { Message } from '#messages/messages.ts';
import type { LoggedMessage } from '../aftermath.ts';

/** When the log took the first message of a type about each of the names that it gives. */
export function firstLogged<T extends Message['type']>(
  logged: readonly LoggedMessage[],
  type: T,
  namesOf: (message: Extract<Message, { type: T }>) => readonly string[],
): ReadonlyMap<string, number> {
  const first = new Map<string, number>();
  for (const { message, at } of logged)
    if (isOf(message, type))
      for (const name of namesOf(message)) first.set(name, Math.min(first.get(name) ?? Number.POSITIVE_INFINITY, at));
  return first;
}

function isOf<T extends Message['type']>(message: Message, type: T): message is Extract<Message, { type: T }> {
  return message.type === type;
}
