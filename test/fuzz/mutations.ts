import fc, { type Arbitrary } from 'fast-check';

/** Numbers at which readers go wrong: the ends of their widths, and what is next to them. */
const EDGES = [0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff];

const byteEdit = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), at: fc.nat(), value: fc.integer({ min: 0, max: 255 }) }),
  fc.record({
    kind: fc.constant('number' as const),
    at: fc.nat(),
    value: fc.oneof(fc.constantFrom(...EDGES), fc.integer({ min: 0, max: 0xffffffff })),
    width: fc.constantFrom(2, 4),
    isLittle: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat(), count: fc.integer({ min: 1, max: 64 }) }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), bytes: fc.uint8Array({ maxLength: 16 }) }),
  fc.record({
    kind: fc.constant('repeat' as const),
    at: fc.nat(),
    count: fc.integer({ min: 1, max: 256 }),
    times: fc.integer({ min: 1, max: 64 }),
  }),
);
type ByteEdit = typeof byteEdit extends Arbitrary<infer Edit> ? Edit : never;

/** One of the samples with up to 12 edits. */
export function mutatedBytes(samples: Arbitrary<Uint8Array>): Arbitrary<Buffer> {
  return fc
    .tuple(samples, fc.array(byteEdit, { maxLength: 12 }))
    .map(([sample, edits]) => edits.reduce(edited, Buffer.from(sample)));
}

function edited(bytes: Buffer, edit: ByteEdit): Buffer {
  const at = bytes.length === 0 ? 0 : edit.at % bytes.length;
  switch (edit.kind) {
    case 'set':
      if (bytes.length > 0) bytes[at] = edit.value;
      return bytes;
    case 'number': {
      const { width, isLittle } = edit;
      if (at + width > bytes.length) return bytes;
      const value = edit.value % 2 ** (8 * width);
      if (isLittle) bytes.writeUIntLE(value, at, width);
      else bytes.writeUIntBE(value, at, width);
      return bytes;
    }
    case 'remove':
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + edit.count)]);
    case 'cut':
      return bytes.subarray(0, at);
    case 'insert':
      return Buffer.concat([bytes.subarray(0, at), edit.bytes, bytes.subarray(at)]);
    case 'repeat': {
      const part = bytes.subarray(at, at + edit.count);
      return Buffer.concat([
        bytes.subarray(0, at),
        ...Array.from({ length: edit.times }, () => part),
        bytes.subarray(at),
      ]);
    }
  }
}

/** Texts that parsers, stores and languages treat as something else. */
const WORDS = [
  ...['', ' ', '\0', '\ud800', '\udc00', '\ufeff', '\u202e', '\u0300', '\u{1f600}', '"', "'", '\\', '%', '%00', '\r\n'],
  ...['null', 'NaN', '-0', '1e999', '9007199254740993', '0x10', '-1', '__proto__', 'constructor', 'toString'],
  ...['../../etc/passwd', '<script>', '${x}', '{{x}}', '[object Object]', 'true', '+00:00', '2026-02-30'],
];

/** Of any code points, halves of pairs too. Made of numbers, which is many times faster than `fc.string` of units. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xff }), fc.integer({ min: 0, max: 0x10ffff })), { maxLength: 20 })
  .map((points) => String.fromCodePoint(...points));

const MOST_CHARACTERS = 5_000;

const word = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 2, arbitrary: anyText },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...WORDS, 'a'), fc.integer({ min: 2, max: MOST_CHARACTERS }))
      .map(([each, characters]) => each.repeat(Math.ceil(characters / Math.max(1, each.length)))),
  },
);

const textEdit = fc.record({
  at: fc.nat(),
  remove: fc.oneof({ weight: 3, arbitrary: fc.nat(4) }, { weight: 1, arbitrary: fc.nat(1_000) }),
  insert: word,
});

/** One of the samples with up to 6 edits, and at times any text at all. */
export function mutatedText(samples: Arbitrary<string>): Arbitrary<string> {
  const changed = fc.tuple(samples, fc.array(textEdit, { maxLength: 6 })).map(([sample, edits]) =>
    edits.reduce((text, { at, remove, insert }) => {
      const from = at % (text.length + 1);
      return text.slice(0, from) + insert + text.slice(from + remove);
    }, sample),
  );
  return fc.oneof({ weight: 6, arbitrary: changed }, { weight: 1, arbitrary: word });
}

const hostileValue: Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: word },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(null, true, 0, -1, 0.5, 1e308, 2 ** 53 + 2, -(2 ** 31) - 1, {}, [], [[]]),
  },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3, stringUnit: 'binary-ascii' }) },
  { weight: 1, arbitrary: fc.integer({ min: 2, max: 500 }).map((depth) => nested(depth)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...WORDS), fc.integer({ min: 2, max: 300 }))
      .map(([each, times]) => new Array<string>(times).fill(each)),
  },
);

function nested(depth: number): unknown {
  let value: unknown = [];
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

const jsonEdit = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('replace' as const), at: fc.nat(), value: hostileValue }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), at: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('add' as const), at: fc.nat(), name: word, value: hostileValue }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('repeat' as const), at: fc.nat(), times: fc.nat(200) }) },
);
type JsonEdit = typeof jsonEdit extends Arbitrary<infer Edit> ? Edit : never;

/** One of the samples, which are plain JSON, with up to 4 edits anywhere in it. */
export function mutatedJson(samples: Arbitrary<unknown>): Arbitrary<unknown> {
  return fc
    .tuple(samples, fc.array(jsonEdit, { minLength: 1, maxLength: 4 }))
    .map(([sample, edits]) => edits.reduce(editedJson, copyOf(sample)));
}

/** Edits change values in place. Deep ones are too much for structuredClone. */
function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

interface Place {
  readonly of: Record<string, unknown>;
  readonly key: string;
}

function editedJson(root: unknown, edit: JsonEdit): unknown {
  const holder = { root };
  const places = placesIn(holder);
  const { of, key } = places[edit.at % places.length]!;
  const present = of[key];
  if (edit.kind === 'replace') of[key] = copyOf(edit.value);
  else if (edit.kind === 'remove' && of !== (holder as object)) {
    if (Array.isArray(of)) of.splice(Number(key), 1);
    else delete of[key];
  } else if (edit.kind === 'add' && isObject(present)) {
    // Defined, as an assignment to __proto__ is something else.
    const value = { value: copyOf(edit.value), enumerable: true, configurable: true, writable: true };
    if (!Array.isArray(present)) Object.defineProperty(present, edit.name, value);
  } else if (edit.kind === 'repeat' && Array.isArray(present) && present.length > 0)
    for (let i = 0; i < edit.times; i++) present.push(copyOf(present[i % present.length]));
  return holder.root;
}

/** Every value with what holds it. Deep ones that an edit has put there are left as they are. */
function placesIn(holder: object): readonly Place[] {
  const places: Place[] = [];
  const visit = (of: Record<string, unknown>, depth: number): void => {
    for (const key of Object.keys(of)) {
      places.push({ of, key });
      if (isObject(of[key]) && depth < 12) visit(of[key] as Record<string, unknown>, depth + 1);
    }
  };
  visit(holder as Record<string, unknown>, 0);
  return places;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The text of a request's body: mostly JSON of the samples, mutated; at times no JSON any more. */
export function mutatedBody(samples: Arbitrary<unknown>): Arbitrary<string> {
  const json = mutatedJson(samples).map((value) => JSON.stringify(value) ?? '');
  return fc.oneof({ weight: 5, arbitrary: json }, { weight: 1, arbitrary: mutatedText(json) });
}
