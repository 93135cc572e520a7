import { currentSchemas, readSchemaHistory, type SchemaVersion } from '../schema-history.ts';
import type { SchemaRegistry } from './schema-registry.ts';

/**
 * The ids of schemas/avro/ids.lock.json: the schemas of this release. table.ts adds those that newer releases wrote.
 */
export function createBuiltInRegistry(history: readonly SchemaVersion[] = readSchemaHistory()): SchemaRegistry {
  const current = currentSchemas(history);
  const texts = new Map(history.map((schema) => [schema.id, schema.text]));
  return {
    idOf: (name, version = current.get(name)?.version) => {
      const schema = history.find((each) => each.name === name && each.version === version);
      if (schema === undefined) throw new TypeError(`no schema for ${name} in ids.lock.json`);
      return schema.id;
    },
    schemaOf: (id) => Promise.resolve(texts.get(id) ?? null),
  };
}
