import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { readSchemaHistory } from '#codec/schema-history.ts';
import { anyMessage } from '#testing/arbitrary-messages.ts';
import { fuzzTarget } from '../fuzz-target.ts';
import { mutatedBytes } from '../mutations.ts';

/** A record whose number of tries takes more than 32 bits. */
function longInt(): Buffer {
  const codec = createCodec({ registry: createBuiltInRegistry(readSchemaHistory()) });
  const job = { type: 'PrepareMedia', workspaceId: ID, postId: ID, tries: 0 } as const;
  const record = Buffer.from(codec.encode(job));
  assert.equal(record.at(-1), 0, 'its last field is its tries');
  return Buffer.concat([record.subarray(0, -1), Buffer.from([0xff, 0xff, 0xff, 0xff, 0x7f])]);
}

const ID = '01890000-0000-7000-8000-000000000100';

export const avroRecords = fuzzTarget<Buffer>({
  name: 'avro-records',
  holds: 'a record of the log is a message, which can be encoded again, or is reported as none',
  cases: 3_000,
  open: async () => {
    const history = readSchemaHistory();
    const codec = createCodec({ registry: createBuiltInRegistry(history), history });
    const ids = history.map(({ id }) => id);
    const records = anyMessage.map((message) => codec.encode(message));
    /** The record says that it is of another version, or of another message. */
    const ofOtherSchemas = fc.tuple(records, fc.constantFrom(...ids)).map(([record, id]) => {
      const copy = Buffer.from(record);
      copy.writeInt32BE(id, 1);
      return copy;
    });
    return {
      inputs: mutatedBytes(fc.oneof(records, ofOtherSchemas)),
      crashes: { 'an int has more than 32 bits': longInt() },
      sizeOf: (record) => record.length,
      check: async (record) => {
        const decoded = await codec.decode(record);
        if (!decoded.ok) {
          assert(decoded.why === 'malformed' || decoded.why === 'unknown-schema', `why is ${decoded.why}`);
          return;
        }
        const again = await codec.decode(codec.encode(decoded.message));
        assert(again.ok, 'what was decoded is encoded as something that is not');
        assert.deepEqual(again.message, decoded.message);
      },
    };
  },
});
