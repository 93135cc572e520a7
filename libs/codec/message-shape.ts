/**
 * Converts what the Avro package decodes to the messages of this project, and checks what Avro can't express. Three
 * attributes of our schemas control it:
 * - `vocabulary` on a string field (or an array of them): the words that this release knows. They are part of the
 *   schema's fingerprint, so a new word comes with a new schema id, and an older release can tell a newer word from
 *   garbage.
 * - `omitWhenNull` on an optional field: null stands for an absent key.
 * - `omitWhenEmpty` on a string field with the default '': the empty string stands for an absent key, where an older
 *   version requires the field and no union can be put in its place.
 */
interface FieldSchema {
  readonly name: string;
  readonly type: SchemaNode;
  readonly vocabulary?: readonly string[];
  readonly omitWhenNull?: boolean;
  readonly omitWhenEmpty?: boolean;
}

interface RecordSchema {
  readonly type: 'record';
  readonly name: string;
  readonly fields: readonly FieldSchema[];
}

type SchemaNode =
  | string
  | readonly SchemaNode[]
  | RecordSchema
  | { readonly type: 'array'; readonly items: SchemaNode }
  | { readonly type: 'map'; readonly values: SchemaNode };

/** A word that the reader's schema does not list. */
export class UnknownWord extends Error {
  override readonly name = 'UnknownWord';
}

type Shape = (value: never) => unknown;
type AvroRecord = Readonly<Record<string, unknown>>;

const asIs: Shape = (value: unknown) => value;

/** The plain object for a record of `schema` (parsed JSON), `type` first. Throws `UnknownWord`. */
export function messageShapeOf(type: string, schema: unknown): (value: AvroRecord) => Record<string, unknown> {
  const fill = fillerOf(schema as RecordSchema, new Map());
  return (value) => fill(type, value);
}

/** Shapes of the records that stood before in the schema: it names a record again instead of repeating it. */
type NamedShapes = Map<string, Shape>;

function shapeOf(node: SchemaNode, named: NamedShapes): Shape {
  if (typeof node === 'string') return named.get(node) ?? (node === 'bytes' ? plainBytes : asIs);
  if (isUnion(node)) return optionalShapeOf(node, named);
  if ('fields' in node) {
    const fill = fillerOf(node, named);
    const shape = (value: AvroRecord) => fill(null, value);
    named.set(node.name, shape);
    return shape;
  }
  if ('items' in node) {
    const item = shapeOf(node.items, named);
    return item === asIs ? asIs : (values: readonly never[]) => values.map(item);
  }
  const item = shapeOf(node.values, named);
  return (values: Readonly<Record<string, never>>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, item(value)]));
}

function isUnion(node: SchemaNode): node is readonly SchemaNode[] {
  return Array.isArray(node);
}

function optionalShapeOf(branches: readonly SchemaNode[], named: NamedShapes): Shape {
  const [first, branch] = branches;
  if (first !== 'null' || branch === undefined || branches.length !== 2)
    throw new TypeError('a union other than ["null", T]');
  const present = shapeOf(branch, named);
  return present === asIs ? asIs : (value: never) => (value === null ? null : present(value));
}

/**
 * Keys of the result stand in the schema's order. Spreading a record is several times faster than setting its fields
 * one by one.
 */
function fillerOf(
  schema: RecordSchema,
  named: NamedShapes,
): (type: string | null, value: AvroRecord) => Record<string, unknown> {
  const fields = schema.fields.map((field) => ({
    name: field.name,
    omitted: omittedValueOf(field),
    shape: fieldShapeOf(schema, field, named),
  }));
  const shaped = fields.filter((field) => field.shape !== asIs);
  if (fields.every(({ omitted }) => omitted === undefined)) {
    return (type, value) => {
      const filled: Record<string, unknown> = type === null ? { ...value } : { type, ...value };
      for (const { name, shape } of shaped) filled[name] = shape(value[name] as never);
      return filled;
    };
  }
  return (type, value) => {
    const filled: Record<string, unknown> = type === null ? {} : { type };
    for (const { name, omitted, shape } of fields) {
      const part = value[name];
      if (part !== omitted) filled[name] = shape(part as never);
    }
    return filled;
  };
}

/** The value that stands for an absent key; undefined, which no record has: none does. */
function omittedValueOf({ omitWhenNull, omitWhenEmpty }: FieldSchema): null | '' | undefined {
  if (omitWhenNull === true) return null;
  return omitWhenEmpty === true ? '' : undefined;
}

function fieldShapeOf(schema: RecordSchema, field: FieldSchema, named: NamedShapes): Shape {
  const shape = shapeOf(field.type, named);
  if (field.vocabulary === undefined) return shape;
  if (shape !== asIs) throw new TypeError(`${schema.name}.${field.name}: a vocabulary is for strings`);
  const words: ReadonlySet<unknown> = new Set(field.vocabulary);
  const check = (word: unknown): void => {
    if (!words.has(word)) throw new UnknownWord(`${schema.name}.${field.name} can't be ${JSON.stringify(word)}`);
  };
  return (value: unknown) => {
    if (Array.isArray(value)) value.forEach(check);
    else if (value !== null) check(value);
    return value;
  };
}

/**
 * The package reads bytes into slices of a pool that it shares; a view of its own type keeps `Buffer`'s toJSON out of
 * messages.
 */
function plainBytes(value: Uint8Array): Uint8Array {
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}
