import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PortError } from '#ports/errors.ts';
import { anyMessage, arbitraryMessages } from '#testing/arbitrary-messages.ts';
import type { Message, MessageType } from '#messages/messages.ts';
import { createCodec } from './avro-codec.ts';
import { createBuiltInRegistry } from './registry/built-in.ts';
import type { SchemaRegistry } from './registry/schema-registry.ts';
import { currentSchemas, fingerprintOf, readSchemaHistory, type SchemaVersion } from './schema-history.ts';

const history = readSchemaHistory();
const codec = createCodec({ registry: createBuiltInRegistry(history), history });
const types = Object.keys(arbitraryMessages) as MessageType[];

const cancel: Message = {
  type: 'CancelPost',
  workspaceId: 'w',
  requestId: 'r',
  issuedAt: 1,
  notAfter: 2,
  replyTo: '',
  credential: null,
  postId: 'p',
};
const mark: Message = { type: 'MarkChannel', workspaceId: 'w', channelId: 'c', state: 'connected', seenAt: 3 };

function schemaOf(name: string): SchemaVersion {
  return currentSchemas(history).get(name) as SchemaVersion;
}

/** The history of a newer release: this one and one more version of `name`, with its schema edited. */
function withEdited(
  name: string,
  edit: (schema: { name: string; fields: Record<string, unknown>[] }) => void,
): readonly SchemaVersion[] {
  const old = schemaOf(name);
  const schema = JSON.parse(old.text);
  edit(schema);
  const text = JSON.stringify(schema);
  return [...history, { id: 900, name: schema.name, version: old.version + 1, fingerprint: fingerprintOf(text), text }];
}

/** An old release with access to the schemas that newer ones registered. */
function oldReleaseBeside(newer: readonly SchemaVersion[]) {
  const registry: SchemaRegistry = {
    idOf: createBuiltInRegistry(history).idOf,
    schemaOf: createBuiltInRegistry(newer).schemaOf,
  };
  return createCodec({ registry, history });
}

function releaseOf(newer: readonly SchemaVersion[]) {
  return createCodec({ registry: createBuiltInRegistry(newer), history: newer });
}

describe('every message', () => {
  it.each(types)('%s is decoded as it was encoded, to the last key', async (type) => {
    await fc.assert(
      fc.asyncProperty<[Message]>(arbitraryMessages[type], async (message) => {
        const decoded = await codec.decode(codec.encode(message));
        expect(decoded).toStrictEqual({ ok: true, message });
        expect(JSON.stringify(decoded.ok && decoded.message)).toBe(JSON.stringify(message));
      }),
      { numRuns: 60 },
    );
  });

  it('is decoded without a promise when its schema is known', () => {
    expect(codec.decodeNow(codec.encode(cancel))).toStrictEqual({ ok: true, message: cancel });
  });

  it('carries byte 0 and its schema id, big end first', () => {
    expect([...codec.encode(cancel).subarray(0, 5)]).toEqual([0, 0, 0, 0, schemaOf('CancelPost').id]);
  });

  it('is read from a Buffer and from a view into the middle of one', () => {
    const bytes = codec.encode(cancel);
    const around = new Uint8Array(bytes.length + 7);
    around.set(bytes, 3);
    expect(codec.decodeNow(around.subarray(3, 3 + bytes.length))).toStrictEqual({ ok: true, message: cancel });
    expect(codec.decodeNow(Buffer.from(bytes))).toStrictEqual({ ok: true, message: cancel });
  });

  it('keeps its bytes while thousands of others are encoded, one larger than a slab among them', () => {
    const messages = fc.sample(anyMessage, { numRuns: 2_000, seed: 7 });
    messages.splice(1_000, 0, {
      type: 'PublishUnconfirmed',
      workspaceId: 'w',
      variantId: 'v',
      attempt: 1,
      detail: 'é'.repeat(40_000),
    });
    const encoded = messages.map((message) => codec.encode(message));
    const back = encoded.map((bytes) => codec.decodeNow(bytes));
    expect(
      back.every((decoded, i) => decoded?.ok && JSON.stringify(decoded.message) === JSON.stringify(messages[i])),
    ).toBe(true);
  });

  it('is refused by the encoder when a field has the wrong type', () => {
    expect(() => codec.encode({ ...cancel, issuedAt: 1.5 })).toThrow();
    expect(() => codec.encode({ ...cancel, postId: undefined as never })).toThrow();
    expect(() => codec.encode({ type: 'Nothing' } as never)).toThrow('no schema');
  });
});

describe('a malformed record', () => {
  it('is malformed without the header', () => {
    for (const bytes of [
      [],
      [0],
      [0, 0, 0, 0],
      [1, 0, 0, 0, 3, 9],
      [...new TextEncoder().encode('{"type":"CancelPost"}')],
    ]) {
      expect(codec.decodeNow(Uint8Array.from(bytes))).toMatchObject({ ok: false, why: 'malformed' });
    }
  });

  it('is malformed when cut anywhere after the header, or followed by other bytes', () => {
    fc.assert(
      fc.property(anyMessage, fc.nat(), (message, where) => {
        const bytes = codec.encode(message);
        const cut = 5 + (where % (bytes.length - 5));
        expect(codec.decodeNow(bytes.slice(0, cut))).toMatchObject({ ok: false, why: 'malformed' });
        expect(codec.decodeNow(Uint8Array.from([...bytes, 0]))).toMatchObject({ ok: false, why: 'malformed' });
      }),
    );
  });

  it('never throws, hangs or fills the memory when bytes were changed', () => {
    fc.assert(
      fc.property(
        anyMessage,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        (message, changes) => {
          const bytes = codec.encode(message).slice();
          for (const [where, value] of changes) bytes[5 + (where % (bytes.length - 5))] = value;
          expect(codec.decodeNow(bytes)?.ok).toBeTypeOf('boolean');
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('is malformed when an array or map claims more items than there are bytes', () => {
    const million = 0xfe;
    const { id } = schemaOf('VariantsDue');
    const claims = [million, 0xff, 0xff, 0xff, 0x7f];
    const due = Uint8Array.from([0, 0, 0, 0, id, 2, 119, ...claims, 2, 112]);
    expect(codec.decodeNow(due)).toMatchObject({
      ok: false,
      why: 'malformed',
      detail: expect.stringContaining('items in'),
    });
  });

  it('is malformed when an int has more than 32 bits, which the encoder would refuse', () => {
    const job = codec.encode({ type: 'PrepareMedia', workspaceId: 'w', postId: 'p', tries: 0 });
    const long = Uint8Array.from([...job.slice(0, -1), 0xff, 0xff, 0xff, 0xff, 0x7f]);
    expect(codec.decodeNow(long)).toMatchObject({
      ok: false,
      why: 'malformed',
      detail: expect.stringContaining('int'),
    });
  });

  it('is malformed when a word is not in the vocabulary of our own schema', () => {
    const bytes = codec.encode({ ...mark, state: 'gone' as never });
    expect(codec.decodeNow(bytes)).toEqual({
      ok: false,
      why: 'malformed',
      detail: `MarkChannel.state can't be "gone"`,
    });
    const key = fc.sample(arbitraryMessages.CreateKey, { numRuns: 1, seed: 1 })[0] as Message;
    const excessive = codec.encode({ ...key, permissions: ['posts:schedule', 'all'] } as never);
    expect(codec.decodeNow(excessive)).toMatchObject({ ok: false, why: 'malformed' });
  });
});

describe('an old release beside a newer one', () => {
  const moreFields = withEdited('MarkChannel', (schema) => {
    schema.fields.splice(1, 0, { name: 'because', type: ['null', 'string'], default: null });
  });
  const moreWords = withEdited('MarkChannel', (schema) => {
    for (const field of schema.fields)
      if (Array.isArray(field['vocabulary'])) field['vocabulary'] = [...field['vocabulary'], 'paused'];
  });

  it("reads the newer one's records in its own shape", async () => {
    const bytes = releaseOf(moreFields).encode({ ...mark, because: 'they said so' } as never);
    const old = oldReleaseBeside(moreFields);
    expect(old.decodeNow(bytes)).toBeNull();
    expect(await old.decode(bytes)).toStrictEqual({ ok: true, message: mark });
    expect(old.decodeNow(bytes)).toStrictEqual({ ok: true, message: mark });
  });

  it('is read by the newer one, new fields at their defaults', async () => {
    const newer = releaseOf(moreFields);
    const decoded = await newer.decode(codec.encode(mark));
    expect(decoded).toEqual({ ok: true, message: { ...mark, because: null } });
  });

  it('keeps messages owed in heads, which the newer one encodes although they lack the newer fields', async () => {
    const newer = releaseOf(moreFields);
    expect(await newer.decode(newer.encode(mark))).toEqual({ ok: true, message: { ...mark, because: null } });
  });

  it('holds back a word of a newer schema instead of calling it malformed', async () => {
    const bytes = releaseOf(moreWords).encode({ ...mark, state: 'paused' as never });
    const old = oldReleaseBeside(moreWords);
    expect(await old.decode(bytes)).toMatchObject({ ok: false, why: 'unknown-schema' });
    expect(await old.decode(releaseOf(moreWords).encode(mark))).toStrictEqual({ ok: true, message: mark });
    expect(await releaseOf(moreWords).decode(bytes)).toMatchObject({ ok: true, message: { state: 'paused' } });
  });

  it('holds back a message of an unknown type', async () => {
    const newer = withEdited('PlanDue', (schema) => (schema.name = 'TrialDue'));
    const bytes = releaseOf(newer).encode({ type: 'TrialDue', workspaceId: 'w' } as never);
    const detail = expect.stringContaining('TrialDue');
    expect(await oldReleaseBeside(newer).decode(bytes)).toMatchObject({ ok: false, why: 'unknown-schema', detail });
  });

  it('holds back a record written with a schema that it can’t read as its own', async () => {
    const newer = withEdited('MarkChannel', (schema) => schema.fields.pop());
    const bytes = releaseOf(newer).encode(mark);
    expect(await oldReleaseBeside(newer).decode(bytes)).toMatchObject({ ok: false, why: 'unknown-schema' });
  });
});

describe('an unknown schema id', () => {
  const bytes = releaseOf(withEdited('MarkChannel', () => undefined)).encode(mark);

  function registryThat(answer: (id: number) => Promise<string | null>) {
    const lookUps: number[] = [];
    const registry: SchemaRegistry = {
      idOf: createBuiltInRegistry(history).idOf,
      schemaOf: (id) => {
        lookUps.push(id);
        return answer(id);
      },
    };
    return { lookUps, codec: createCodec({ registry, history }) };
  }

  it('is looked up once for all records that wait for it, then never again', async () => {
    const { lookUps, codec: reader } = registryThat(() => Promise.resolve(schemaOf('MarkChannel').text));
    const decoded = await Promise.all([reader.decode(bytes), reader.decode(bytes), reader.decode(bytes)]);
    expect(decoded).toStrictEqual(Array(3).fill({ ok: true, message: mark }));
    await reader.decode(bytes);
    expect(lookUps).toEqual([900]);
  });

  it('is unknown-schema when the registry lacks it, and decoded once it is registered', async () => {
    let text: string | null = null;
    const { codec: reader } = registryThat(() => Promise.resolve(text));
    expect(await reader.decode(bytes)).toEqual({
      ok: false,
      why: 'unknown-schema',
      detail: 'no schema 900 in the registry',
    });
    text = schemaOf('MarkChannel').text;
    expect(await reader.decode(bytes)).toStrictEqual({ ok: true, message: mark });
  });

  it('gives no verdict while the registry can’t be reached, and asks again', async () => {
    let away = true;
    const { codec: reader } = registryThat(() =>
      away ? Promise.reject(new PortError('unavailable', 'away')) : Promise.resolve(schemaOf('MarkChannel').text),
    );
    await expect(reader.decode(bytes)).rejects.toMatchObject({ name: 'PortError', kind: 'unavailable' });
    away = false;
    expect(await reader.decode(bytes)).toStrictEqual({ ok: true, message: mark });
  });
});
