import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Message } from '#messages/messages.ts';
import { TOPICS, type MessageTopic } from './topics.ts';

test('every message that has a schema is carried by a topic, and no topic carries one without', () => {
  const files = readdirSync(new URL('../../../schemas/avro', import.meta.url));
  const schemas = files.filter((name) => name.endsWith('.avsc')).map((name) => name.replace('.avsc', ''));
  const carried = TOPICS.flatMap((topic) => Object.keys((topic as MessageTopic<Message>).carries));
  expect([...new Set(carried)].toSorted()).toEqual(schemas.toSorted());
});
