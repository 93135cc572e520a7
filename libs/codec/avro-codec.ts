import type avro from 'avsc';
import type { Codec, DecodeResult, Message, MessageType } from '#messages/messages.ts';
import { avroTypeOf } from './avro-types.ts';
import { messageShapeOf, UnknownWord } from './message-shape.ts';
import type { SchemaRegistry } from './registry/schema-registry.ts';
import {
  currentSchemas,
  fingerprintOf,
  readSchemaHistory,
  SCHEMA_NAMESPACE,
  writableSchemas,
  type SchemaVersion,
} from './schema-history.ts';

const HEADER_BYTES = 5;
const SLAB_BYTES = 16_384;

export interface AvroCodec extends Codec {
  /** Like `decode`, without a promise where the schema is known; null: the registry must be asked, use `decode`. */
  decodeNow(value: Uint8Array): DecodeResult | null;
}

/** How this release encodes a message. */
interface Writing {
  readonly id: number;
  readonly type: avro.Type;
}

/** How it encodes the newest version of one, and builds a message from any decoded record. */
interface MessageEncoding extends Writing {
  readonly name: MessageType;
  readonly shape: (value: Readonly<Record<string, unknown>>) => Record<string, unknown>;
}

/**
 * Made from the text of its schema when it is first used. To make those of all messages takes a good part of a start,
 * and most processes see few of them.
 */
class LazyEncoding implements MessageEncoding {
  readonly id: number;
  readonly name: MessageType;
  readonly #text: string;
  #type: avro.Type | null = null;
  #shape: MessageEncoding['shape'] | null = null;

  constructor(id: number, name: string, text: string) {
    this.id = id;
    this.name = name as MessageType;
    this.#text = text;
  }

  get type(): avro.Type {
    this.#type ??= avroTypeOf(this.#text);
    return this.#type;
  }

  get shape(): MessageEncoding['shape'] {
    this.#shape ??= messageShapeOf(this.name, JSON.parse(this.#text));
    return this.#shape;
  }
}

/** How records of one schema id are decoded. */
interface Reading {
  readonly as: MessageEncoding;
  /** null: written with the very schema it is read with. */
  readonly resolver: ReturnType<avro.Type['createResolver']> | null;
  /** False when a newer release made the schema: an unknown word is then new, not garbage. */
  readonly ours: boolean;
}

/**
 * Decodes every version of `history`, and whatever other schema `registry` has, in the shape of the newest version in
 * `history`. Encodes in the newest version that `format`, what may be written now, allows. Looks up the ids that it
 * writes at once: throws when the registry lacks one. `decode` rejects with the registry's `PortError` when the
 * registry can't be reached, because neither verdict would be true.
 */
export function createCodec(options: {
  readonly registry: SchemaRegistry;
  readonly history?: readonly SchemaVersion[];
  /** Left out: the newest version of each message, whatever other releases read. */
  readonly format?: () => number;
}): AvroCodec {
  const { registry, history = readSchemaHistory(), format = () => Infinity } = options;
  const fingerprints = new Set(history.map((schema) => schema.fingerprint));
  const written = new Map<string, MessageEncoding>();
  const readings = new Map<number, Reading>();
  for (const { name, text } of currentSchemas(history).values()) {
    const mine = new LazyEncoding(registry.idOf(name), name, text);
    written.set(name, mine);
    readings.set(mine.id, { as: mine, resolver: null, ours: true });
  }

  /**
   * How to decode an id's records, or why that is impossible. Only the former is cached: an id unknown now may be
   * registered a moment later.
   */
  const learn = async (id: number): Promise<Reading | string> => {
    const text = await registry.schemaOf(id);
    if (text === null) return `no schema ${id} in the registry`;
    const reading = readingOf(text, written, fingerprints.has(fingerprintOf(text)));
    if (typeof reading !== 'string') readings.set(id, reading);
    return reading;
  };

  const questions = new Map<number, Promise<Reading | string>>();
  /** Records that wait for one id share one look-up. */
  const ask = (id: number): Promise<Reading | string> => {
    const question = questions.get(id) ?? learn(id).finally(() => questions.delete(id));
    questions.set(id, question);
    return question;
  };

  const decodeNow = (value: Uint8Array): DecodeResult | null => {
    const id = idIn(value);
    if (id === null) return malformed('not an Avro record with a schema id');
    const reading = readings.get(id);
    return reading === undefined ? null : read(value, reading);
  };

  return {
    encode: createEncoder(writingsOf({ registry, history }, written), format),
    decodeNow,
    typeOf: (value) => {
      const id = idIn(value);
      return id === null ? null : (readings.get(id)?.as.name ?? null);
    },
    decode: async (value) => {
      const decoded = decodeNow(value);
      if (decoded !== null) return decoded;
      const reading = await ask(idIn(value) ?? 0);
      return typeof reading === 'string' ? unknownSchema(reading) : read(value, reading);
    },
  };
}

/** The encodings of each message by the format of the installation, for every format that changes one. */
function writingsOf(
  { registry, history }: { readonly registry: SchemaRegistry; readonly history: readonly SchemaVersion[] },
  newest: ReadonlyMap<string, Writing>,
): (format: number) => ReadonlyMap<string, Writing> {
  const writings = new Map<SchemaVersion, Writing>();
  for (const schema of writableSchemas(history)) {
    const { name, version, text } = schema;
    const id = registry.idOf(name, version);
    const current = newest.get(name);
    writings.set(schema, current?.id === id ? current : new LazyEncoding(id, name, text));
  }
  const newestFormat = Math.max(0, ...history.map((schema) => schema.format ?? 0));
  const byFormat = new Map<number, ReadonlyMap<string, Writing>>();
  return (format) => {
    const found = byFormat.get(Math.min(format, newestFormat));
    if (found !== undefined) return found;
    const current = [...currentSchemas(history, format)];
    const made = new Map(current.map(([name, schema]) => [name, writings.get(schema)!] as const));
    byFormat.set(Math.min(format, newestFormat), made);
    return made;
  };
}

/**
 * Messages are written one behind another into a slab and returned as views of it: an ArrayBuffer for each costs more
 * than its encoding. A view keeps its slab alive, hence small slabs.
 */
function createEncoder(
  writingsIn: (format: number) => ReadonlyMap<string, Writing>,
  format: () => number,
): (message: Message) => Uint8Array {
  let slab = Buffer.alloc(SLAB_BYTES);
  let start = 0;
  return (message) => {
    const mine = writingsIn(format()).get(message.type);
    if (mine === undefined) throw new TypeError(`no schema for ${String(message.type)}`);
    const wire = wireForm(message);
    let end = mine.type.encode(wire, slab, start + HEADER_BYTES);
    if (end < 0) {
      const bytes = slab.length - end - start;
      slab = Buffer.alloc(Math.max(SLAB_BYTES, bytes));
      start = 0;
      end = mine.type.encode(wire, slab, HEADER_BYTES);
    }
    slab[start] = 0;
    slab.writeInt32BE(mine.id, start + 1);
    const view = new Uint8Array(slab.buffer, slab.byteOffset + start, end - start);
    start = end;
    return view;
  };
}

/** The Avro package accepts bytes as `Buffer` only. */
function wireForm(message: Message): unknown {
  if (message.type === 'TimerSet') return { ...message, payload: bufferOver(message.payload) };
  if (message.type === 'DeadLetter') return { ...message, value: bufferOver(message.value) };
  return message;
}

function bufferOver(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function idIn(value: Uint8Array): number | null {
  if (value.length < HEADER_BYTES || value[0] !== 0) return null;
  return (value[1]! << 24) | (value[2]! << 16) | (value[3]! << 8) | value[4]!;
}

/** A schema that we can't read comes from a newer release: its records are held back, never dropped. */
function readingOf(text: string, written: ReadonlyMap<string, MessageEncoding>, ours: boolean): Reading | string {
  try {
    const writer = avroTypeOf(text);
    const as = [...written].find(([name]) => writer.name === `${SCHEMA_NAMESPACE}.${name}`)?.[1];
    if (as === undefined) return `${writer.name ?? 'a schema without a name'} is no message of this release`;
    return { as, resolver: as.type.createResolver(writer), ours };
  } catch (error) {
    return `its schema can't be read as ours: ${(error as Error).message}`;
  }
}

function read(value: Uint8Array, { as, resolver, ours }: Reading): DecodeResult {
  try {
    const { value: record, offset } = as.type.decode(bufferOver(value), HEADER_BYTES, resolver ?? undefined);
    if (offset !== value.length) return malformed(offset < 0 ? 'cut short' : `${value.length - offset} bytes too many`);
    return { ok: true, message: as.shape(record) as unknown as Message };
  } catch (error) {
    const detail = (error as Error).message;
    return error instanceof UnknownWord && !ours ? unknownSchema(detail) : malformed(detail);
  }
}

function malformed(detail: string): DecodeResult {
  return { ok: false, why: 'malformed', detail };
}

function unknownSchema(detail: string): DecodeResult {
  return { ok: false, why: 'unknown-schema', detail };
}
