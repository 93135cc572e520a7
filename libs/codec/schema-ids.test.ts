import { expect, test } from 'vitest';
import type { Message } from '#messages/messages.ts';
import { createCodec } from './avro-codec.ts';
import { createBuiltInRegistry } from './registry/built-in.ts';
import { createSchemaIdTranslation } from './schema-ids.ts';
import { readSchemaHistory } from './schema-history.ts';

const history = readSchemaHistory();
/** A registry that gives the same schemas other ids, some of which mean another schema in the first one. */
const OTHER_IDS = new Map(history.map(({ id, text }) => [text, 2 * id + 5]));
const texts = new Map(history.map(({ id, text }) => [id, text]));
const otherRegistry = {
  idOf: (name: string) => OTHER_IDS.get(texts.get(createBuiltInRegistry(history).idOf(name))!)!,
  schemaOf: async (id: number) => [...OTHER_IDS].find(([, other]) => other === id)?.[0] ?? null,
};
const ours = createCodec({ registry: createBuiltInRegistry(history), history });
const theirs = createCodec({ registry: otherRegistry, history });
const translate = createSchemaIdTranslation(texts, OTHER_IDS);

const MARK: Message = { type: 'MarkChannel', workspaceId: 'w', channelId: 'c', state: 'connected', seenAt: 7 };

test('a record is read by the other registry as what it is', async () => {
  expect(await theirs.decode(translate(ours.encode(MARK)))).toEqual({ ok: true, message: MARK });
});

test('so is the record that a timer or a dead letter carries', async () => {
  const timer = { shard: 1, timerId: 't', dueAt: 9, topic: 'workspace.commands.v1', key: 'w' };
  const moved = await theirs.decode(translate(ours.encode({ type: 'TimerSet', ...timer, payload: ours.encode(MARK) })));
  if (!moved.ok || moved.message.type !== 'TimerSet') throw new Error('no timer');
  expect(moved.message).toMatchObject(timer);
  expect(await theirs.decode(moved.message.payload)).toEqual({ ok: true, message: MARK });
});

test('what can not be read stays as it is, and nothing changes where ids are the same', () => {
  const garbage = [new Uint8Array(0), Buffer.from('no record'), Buffer.from([0, 0, 15, 66, 63, 1])];
  for (const value of garbage) expect(Buffer.from(translate(value))).toEqual(Buffer.from(value));
  const same = createSchemaIdTranslation(texts, new Map(history.map(({ id, text }) => [text, id])));
  const value = ours.encode(MARK);
  expect(same(value)).toBe(value);
});
