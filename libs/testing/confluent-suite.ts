import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createCodec } from '#codec/avro-codec.ts';
import { createConfluentRegistry, registerSchemas } from '#codec/registry/confluent.ts';
import { subjectOf } from '#codec/registry/http-answers.ts';
import { fingerprintOf, readSchemaHistory, type SchemaVersion } from '#codec/schema-history.ts';
import { anyMessage } from './arbitrary-messages.ts';

const history = readSchemaHistory();

/** What this project needs of any server with the Confluent API. `url` is called when the tests run. */
export function confluentSuite(name: string, url: () => string): void {
  describe(name, () => {
    let ids: ReadonlyMap<string, number>;
    beforeAll(async () => {
      ids = new Map((await registerSchemas({ url: url() })).map((schema) => [schema.name, schema.id]));
    });

    it('gives every message an id of its own, and the same ids when they are registered again', async () => {
      expect(new Set(ids.values()).size).toBe(new Set(history.map(({ name }) => name)).size);
      const again = await registerSchemas({ url: url() });
      expect(new Map(again.map((schema) => [schema.name, schema.id]))).toEqual(ids);
    });

    it('holds every subject to FULL_TRANSITIVE', async () => {
      for (const { name: message } of history) {
        const answer = await fetch(`${url()}/config/${subjectOf(message)}`);
        expect(await answer.json()).toEqual({ compatibilityLevel: 'FULL_TRANSITIVE' });
      }
    });

    it('lets a start find the ids, and records written with them be decoded', async () => {
      const registry = await createConfluentRegistry({ url: url() });
      for (const { name: message } of history) expect(registry.idOf(message)).toBe(ids.get(message));
      const codec = createCodec({ registry });
      for (const message of fc.sample(anyMessage, { numRuns: 100, seed: 3 })) {
        expect(codec.decodeNow(codec.encode(message))).toStrictEqual({ ok: true, message });
      }
    });

    it('lets a release read an unknown schema by its id', async () => {
      const cancelled = history.filter((schema) => schema.name === 'CancelPost');
      const registry = await createConfluentRegistry({ url: url(), history: cancelled });
      const text = await registry.schemaOf(ids.get('MarkChannel') as number);
      expect(JSON.parse(text ?? 'null')).toMatchObject({
        type: 'record',
        name: expect.stringContaining('MarkChannel'),
      });
    });

    it('has no schema for an id that was never given', async () => {
      const registry = await createConfluentRegistry({ url: url() });
      expect(await registry.schemaOf(2_000_000_000)).toBeNull();
    });

    it('refuses a version that older releases could not read, and a start that needs it', async () => {
      const broken = brokenVersion();
      await expect(registerSchemas({ url: url(), history: [broken] })).rejects.toMatchObject({
        name: 'PortError',
        kind: 'refused',
      });
      const start = createConfluentRegistry({ url: url(), history: [...history, broken] });
      await expect(start).rejects.toMatchObject({
        name: 'PortError',
        kind: 'refused',
        message: expect.stringContaining('migrate'),
      });
    });
  });
}

function brokenVersion(): SchemaVersion {
  const old = history.find((schema) => schema.name === 'CancelPost') as SchemaVersion;
  const schema = JSON.parse(old.text);
  schema.fields.push({ name: 'because', type: 'string' });
  const text = JSON.stringify(schema);
  return { ...old, id: 9_000, version: 99, text, fingerprint: fingerprintOf(text) };
}
