import { DatabaseSync } from 'node:sqlite';
import type { OwedMessage } from './stored-facts.ts';

interface PendingMessage {
  readonly topic: string;
  readonly key: string;
  readonly message: {
    readonly type: string;
    readonly workspaceId: string;
    readonly variantId: string;
    readonly eventId?: string;
  };
}

/** Sources of records are numbered so: see the embedded log. */
const PARTITIONS_A_TOPIC = 65_536;

/**
 * Jobs and events that heads owe and the log does not have: the process ended between the head's commit and that of
 * its messages. They are read from the database of an embedded installation that is down, as this release lays it out.
 */
export function owedMessages(path: string): readonly OwedMessage[] {
  const database = new DatabaseSync(path);
  try {
    const records = database.prepare(
      `SELECT value FROM records JOIN topics ON records.source / ${PARTITIONS_A_TOPIC} = topics.id
       WHERE topics.name = ? AND key = ?`,
    );
    // Avro writes text as it is, so a record that holds the id is one of the Variant, or of the event.
    const isLogged = ({ topic, key, message }: PendingMessage): boolean =>
      records
        .all(topic, key)
        .some(({ value }) => Buffer.from(value as Uint8Array).includes(message.eventId ?? message.variantId));
    const heads = database.prepare("SELECT body FROM workspaces WHERE kind = 'head'").all();
    return heads
      .flatMap(
        ({ body }): readonly PendingMessage[] =>
          JSON.parse(Buffer.from(body as Uint8Array).toString()).pending?.messages ?? [],
      )
      .filter(({ message }) => message.type === 'PublishVariant' || message.eventId !== undefined)
      .filter((each) => !isLogged(each))
      .map(({ message: { workspaceId, variantId, eventId = null } }) => ({ workspaceId, variantId, eventId }));
  } finally {
    database.close();
  }
}
