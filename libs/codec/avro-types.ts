import avro from 'avsc';

/** The argument of the package's own read routines; the package declares no type for it. */
interface Tap {
  readonly buf: Uint8Array;
  pos: number;
  readLong(): number;
  skipLong(): void;
  readString(): string;
  skipString(): void;
}

interface Reader {
  _read(tap: Tap): unknown;
  _skip(tap: Tap): void;
}

/**
 * The number of items in the next block; 0 ends the array. The package believes any count, and one flipped bit makes it
 * allocate and loop billions of times. Every item of our schemas takes at least one byte, so a count above the bytes
 * left is garbage.
 */
function readCount(tap: Tap): number {
  let count = tap.readLong();
  if (count < 0) {
    count = -count;
    tap.skipLong();
  }
  if (count > tap.buf.length - tap.pos)
    throw new RangeError(`${count} items in ${Math.max(0, tap.buf.length - tap.pos)} bytes`);
  return count;
}

/** `this` may be a resolver, which carries an `itemsType` of its own: read it on every call. */
class BoundedArray extends avro.types.ArrayType {
  _read(tap: Tap): unknown[] {
    const items = this.itemsType as unknown as Reader;
    const values: unknown[] = [];
    for (let count = readCount(tap); count > 0; count = readCount(tap)) {
      for (let i = 0; i < count; i++) values.push(items._read(tap));
    }
    return values;
  }

  _skip(tap: Tap): void {
    const items = this.itemsType as unknown as Reader;
    for (let count = readCount(tap); count > 0; count = readCount(tap)) {
      for (let i = 0; i < count; i++) items._skip(tap);
    }
  }
}

/** As above, for `valuesType`. */
class BoundedMap extends avro.types.MapType {
  _read(tap: Tap): Record<string, unknown> {
    const items = this.valuesType as Reader;
    const values: Record<string, unknown> = {};
    for (let count = readCount(tap); count > 0; count = readCount(tap)) {
      for (let i = 0; i < count; i++) {
        const key = tap.readString();
        values[key] = items._read(tap);
      }
    }
    return values;
  }

  _skip(tap: Tap): void {
    const items = this.valuesType as Reader;
    for (let count = readCount(tap); count > 0; count = readCount(tap)) {
      for (let i = 0; i < count; i++) {
        tap.skipString();
        items._skip(tap);
      }
    }
  }
}

/**
 * The package reads any varint as an int, and refuses to write one beyond 32 bits: such a record would be taken for a
 * message that nothing can pass on.
 */
class BoundedInt extends avro.types.IntType {
  _read(tap: Tap): number {
    const value = tap.readLong();
    if (value !== (value | 0)) throw new RangeError(`${value} is no int`);
    return value;
  }
}

/**
 * The type of one schema, as this project reads and writes all of them. `text`: JSON of a record; throws when it isn't
 * a schema. Unions are never wrapped: by default the package decides by the union's branches, so that adding a branch
 * would change the shape of values.
 */
export function avroTypeOf(text: string): avro.Type {
  return avro.Type.forSchema(JSON.parse(text), {
    wrapUnions: 'never',
    omitRecordMethods: true,
    typeHook: (schema, options) => {
      const kind = typeof schema === 'object' && 'type' in schema ? schema.type : schema;
      if (kind === 'int') return new BoundedInt();
      if (kind === 'array') return new BoundedArray(schema, options);
      if (kind === 'map') return new BoundedMap(schema, options);
      return undefined;
    },
  });
}
