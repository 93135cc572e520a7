import { avroTypeOf } from './avro-types.ts';
import type { SchemaVersion } from './schema-history.ts';

interface Field {
  readonly path: string;
  readonly vocabulary: readonly string[] | undefined;
  readonly omitWhenNull: boolean;
  readonly omitWhenEmpty: boolean;
}

/**
 * Why `older` and `newer` (texts of one message's schema) can't both be in a log that both their releases read: each
 * must read the other's records (Avro's FULL), words may only be added, and null must go on meaning what it meant.
 * Empty when they can.
 */
export function conflictsBetween(older: string, newer: string): readonly string[] {
  return [...resolutionConflicts(older, newer), ...attributeConflicts(older, newer)];
}

/**
 * FULL_TRANSITIVE: compares all pairs among the versions of one message, in order of version; `text` comes after the
 * last.
 */
export function conflictsWithHistory(history: readonly SchemaVersion[], name: string, text: string): readonly string[] {
  return history
    .filter((schema) => schema.name === name)
    .flatMap((schema) =>
      conflictsBetween(schema.text, text).map((conflict) => `with version ${schema.version}: ${conflict}`),
    );
}

function resolutionConflicts(older: string, newer: string): readonly string[] {
  const attempt = (reader: string, writer: string, claim: string): readonly string[] => {
    try {
      avroTypeOf(reader).createResolver(avroTypeOf(writer));
      return [];
    } catch (error) {
      return [`${claim}: ${(error as Error).message}`];
    }
  };
  return [
    ...attempt(newer, older, "the newer release can't read the older's records"),
    ...attempt(older, newer, "the older release can't read the newer's records"),
  ];
}

function attributeConflicts(older: string, newer: string): readonly string[] {
  const later = new Map(fieldsOf(JSON.parse(newer), '').map((field) => [field.path, field]));
  return fieldsOf(JSON.parse(older), '').flatMap((before) => {
    const after = later.get(before.path);
    if (after === undefined) return [];
    const lost =
      after.vocabulary === undefined
        ? []
        : (before.vocabulary ?? []).filter((word) => !after.vocabulary?.includes(word));
    return [
      ...lost.map((word) => `${before.path} no longer knows "${word}"`),
      ...(before.vocabulary === undefined && after.vocabulary !== undefined
        ? [`${before.path} was free text and now has a vocabulary`]
        : []),
      ...(before.omitWhenNull !== after.omitWhenNull ? [`${before.path} changed what null means`] : []),
      // It may be added: to a field that was never left empty.
      ...(before.omitWhenEmpty && !after.omitWhenEmpty ? [`${before.path} changed what an empty text means`] : []),
    ];
  });
}

/** Every field of every record in a schema (parsed JSON), by path. */
function fieldsOf(node: unknown, path: string): readonly Field[] {
  if (Array.isArray(node)) return node.flatMap((branch) => fieldsOf(branch, path));
  if (typeof node !== 'object' || node === null) return [];
  const { fields, items, values, type } = node as Record<string, unknown>;
  if (!Array.isArray(fields)) return [items, values, type].flatMap((inner) => fieldsOf(inner, path));
  return fields.flatMap((field: Record<string, unknown>) => {
    const here = path === '' ? String(field['name']) : `${path}.${String(field['name'])}`;
    const own: Field = {
      path: here,
      vocabulary: field['vocabulary'] as readonly string[] | undefined,
      omitWhenNull: field['omitWhenNull'] === true,
      omitWhenEmpty: field['omitWhenEmpty'] === true,
    };
    return [own, ...fieldsOf(field['type'], here)];
  });
}
