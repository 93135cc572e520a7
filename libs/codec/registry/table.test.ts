import { describe, expect, it } from 'vitest';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { PortError } from '#ports/errors.ts';
import type { Message } from '#messages/messages.ts';
import { createCodec } from '../avro-codec.ts';
import { fingerprintOf, readSchemaHistory, type SchemaVersion } from '../schema-history.ts';
import { createBuiltInRegistry } from './built-in.ts';
import type { SchemaRegistry } from './schema-registry.ts';
import { BUILT_IN, createTableRegistry, storeSchemas } from './table.ts';

const history = readSchemaHistory();
const inner = createBuiltInRegistry(history);
const message: Message = { type: 'PlanDue', workspaceId: 'w' };

function newerHistory(): readonly SchemaVersion[] {
  const old = history.find((schema) => schema.name === 'PlanDue') as SchemaVersion;
  const schema = JSON.parse(old.text);
  schema.fields.push({ name: 'because', type: ['null', 'string'], default: null });
  const text = JSON.stringify(schema);
  return [...history, { ...old, id: history.length + 1, version: 2, text, fingerprint: fingerprintOf(text) }];
}

describe('the table of schemas', () => {
  it('lets an old release read records of a newer one after it migrated', async () => {
    const store = createMemoryTableStore();
    const newer = newerHistory();
    const bytes = createCodec({ registry: createBuiltInRegistry(newer), history: newer }).encode({
      ...message,
      because: 'x',
    } as never);
    const old = createCodec({ registry: createTableRegistry({ inner, store, registry: BUILT_IN }), history });
    expect(await old.decode(bytes)).toMatchObject({ ok: false, why: 'unknown-schema' });
    await storeSchemas(store, BUILT_IN, newer);
    expect(await old.decode(bytes)).toStrictEqual({ ok: true, message });
  });

  it('can be filled by every release repeatedly', async () => {
    const store = createMemoryTableStore();
    await storeSchemas(store, BUILT_IN, newerHistory());
    await storeSchemas(store, BUILT_IN, history);
    await storeSchemas(store, BUILT_IN, newerHistory());
    const registry = createTableRegistry({
      inner: { idOf: inner.idOf, schemaOf: () => Promise.resolve(null) },
      store,
      registry: BUILT_IN,
    });
    for (const { id, text } of newerHistory()) expect(await registry.schemaOf(id)).toBe(text);
  });

  it('refuses an id that two releases gave to different schemas', async () => {
    const store = createMemoryTableStore();
    await storeSchemas(store, BUILT_IN, [{ id: 1, text: '"string"' }]);
    await expect(storeSchemas(store, BUILT_IN, [{ id: 1, text: '"long"' }])).rejects.toThrow();
  });

  it('keeps the ids of different registries apart', async () => {
    const store = createMemoryTableStore();
    await storeSchemas(store, 'http://registry', [{ id: 700, text: '"string"' }]);
    expect(await createTableRegistry({ inner, store, registry: BUILT_IN }).schemaOf(700)).toBeNull();
    expect(await createTableRegistry({ inner, store, registry: 'http://registry' }).schemaOf(700)).toBe('"string"');
  });

  it.each([0, -1, -(2 ** 31), 2 ** 31 - 1])(
    'has no schema %i, whatever bits a garbage record has for an id',
    async (id) => {
      expect(
        await createTableRegistry({ inner, store: createMemoryTableStore(), registry: BUILT_IN }).schemaOf(id),
      ).toBeNull();
    },
  );

  it('answers while the registry is unreachable, or rejects as the registry does', async () => {
    const away: SchemaRegistry = {
      idOf: inner.idOf,
      schemaOf: () => Promise.reject(new PortError('unavailable', 'away')),
    };
    const store = createMemoryTableStore();
    await storeSchemas(store, BUILT_IN, [{ id: 700, text: '"string"' }]);
    const registry = createTableRegistry({ inner: away, store, registry: BUILT_IN });
    expect(await registry.schemaOf(700)).toBe('"string"');
    await expect(registry.schemaOf(701)).rejects.toMatchObject({ name: 'PortError', kind: 'unavailable' });
  });
});
