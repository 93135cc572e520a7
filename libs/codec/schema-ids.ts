import { avroTypeOf } from './avro-types.ts';
import { SCHEMA_NAMESPACE } from './schema-history.ts';

const HEADER_BYTES = 5;

/** Messages that carry a record of their own, and the field that holds it. */
const CARRIED: Readonly<Record<string, string>> = { TimerSet: 'payload', DeadLetter: 'value' };

/** Gives a record the id that another registry has for its schema. What it can not read stays as it is. */
export type SchemaIdTranslation = (value: Uint8Array) => Uint8Array;

/**
 * `from`: texts of schemas by the ids that records carry now; `to`: ids that they are to carry, by the same texts.
 */
export function createSchemaIdTranslation(
  from: ReadonlyMap<number, string>,
  to: ReadonlyMap<string, number>,
): SchemaIdTranslation {
  if ([...from].every(([id, text]) => to.get(text) === id)) return (value) => value;
  const carriers = new Map(
    [...from].flatMap(([id, text]) => {
      const field = Object.entries(CARRIED).find(([name]) => nameOf(text) === `${SCHEMA_NAMESPACE}.${name}`)?.[1];
      return field === undefined ? [] : [[id, { field, type: avroTypeOf(text) }] as const];
    }),
  );
  const translate: SchemaIdTranslation = (value) => {
    const before = idIn(value);
    const id = before === null ? undefined : to.get(from.get(before) ?? '');
    if (before === null || id === undefined) return value;
    const carrier = carriers.get(before);
    const bytes =
      carrier === undefined ? Buffer.from(value) : withCarried(value, carrier.type, carrier.field, translate);
    bytes.writeInt32BE(id, 1);
    return bytes;
  };
  return translate;
}

function withCarried(
  value: Uint8Array,
  type: ReturnType<typeof avroTypeOf>,
  field: string,
  translate: SchemaIdTranslation,
): Buffer {
  const header = Buffer.from(value.subarray(0, HEADER_BYTES));
  try {
    const record = type.fromBuffer(Buffer.from(value.subarray(HEADER_BYTES))) as Record<string, unknown>;
    const carried = translate(record[field] as Uint8Array);
    return Buffer.concat([header, type.toBuffer({ ...record, [field]: Buffer.from(carried) })]);
  } catch {
    // Garbage under a known id is reported by the process that meets it.
    return Buffer.from(value);
  }
}

function nameOf(text: string): string {
  const { namespace, name } = JSON.parse(text) as { readonly namespace?: string; readonly name: string };
  return namespace === undefined ? name : `${namespace}.${name}`;
}

function idIn(value: Uint8Array): number | null {
  return value.length < HEADER_BYTES || value[0] !== 0 ? null : Buffer.from(value).readInt32BE(1);
}
