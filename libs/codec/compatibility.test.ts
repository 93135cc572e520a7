import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NETWORKS, PLACEMENTS } from '#domain/network.ts';
import { PLANS } from '#domain/plan/plan.ts';
import { FAILURE_REASONS } from '#schemas/http/variant-words.ts';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import { arbitraryMessages } from '#testing/arbitrary-messages.ts';
import { conflictsBetween } from './compatibility.ts';
import { changesAgainst, lockSchemas } from './lock.ts';
import { currentSchemas, fingerprintOf, readSchemaHistory, SCHEMA_FOLDER } from './schema-history.ts';

type Field = Record<string, unknown> & { name: string };
const history = readSchemaHistory();

describe('the schemas of this release', () => {
  it('are all frozen in the history; else run: npx node libs/codec/lock.ts', () => {
    const { added, conflicts } = changesAgainst(history, SCHEMA_FOLDER);
    expect(conflicts, 'a release before this one could not run beside it').toEqual([]);
    expect(added.map(({ name }) => `${name}.avsc changed: run npx node libs/codec/lock.ts`)).toEqual([]);
  });

  it('has one schema for each message', () => {
    expect([...currentSchemas(history).keys()].sort()).toEqual(Object.keys(arbitraryMessages).sort());
  });

  it('have ids and versions without gaps or repeats, and the contents they had when they were frozen', () => {
    expect(history.map(({ id }) => id)).toEqual(history.map((_, i) => i + 1));
    for (const { name, version } of history) {
      expect(history.filter((other) => other.name === name && other.version === Math.max(1, version - 1))).toHaveLength(
        1,
      );
    }
    for (const { fingerprint, text } of history) expect(fingerprintOf(text)).toBe(fingerprint);
    expect(readdirSync(new URL('history/', SCHEMA_FOLDER))).toHaveLength(history.length);
  });

  it('are FULL_TRANSITIVE: every two versions of a message read each other', () => {
    for (const older of history) {
      const newer = history.filter(({ name, version }) => name === older.name && version > older.version);
      expect(
        newer.flatMap(({ text }) => conflictsBetween(older.text, text)),
        older.name,
      ).toEqual([]);
    }
  });

  it('say what they are for', () => {
    for (const { name, text } of currentSchemas(history).values()) {
      expect(JSON.parse(text), name).toMatchObject({
        type: 'record',
        name,
        namespace: 'crier',
        doc: expect.stringMatching(/\.$/),
      });
    }
  });

  it('know the same words as the domain', () => {
    const words = (message: string, field: string) => {
      const fields = JSON.parse(currentSchemas(history).get(message)?.text ?? '{}').fields as Field[];
      return fields.find(({ name }) => name === field)?.['vocabulary'];
    };
    for (const message of ['ConnectChannel', 'PublishVariant', 'ReadMetrics', 'KeepConnection'])
      expect(words(message, 'network')).toEqual([...NETWORKS]);
    for (const message of ['CreateWorkspace', 'SetPlan']) expect(words(message, 'plan')).toEqual([...PLANS]);
    expect(words('PublishVariant', 'placement')).toEqual([...PLACEMENTS]);
    expect(words('CreateKey', 'permissions')).toEqual([...PERMISSIONS]);
    expect(words('PublishFailed', 'reason')).toEqual(FAILURE_REASONS.filter((reason) => reason !== 'unconfirmed'));
  });
});

describe('a change to a schema', () => {
  const part = (vocabulary: string[]) => {
    const fields = [{ name: 'kind', type: 'string', vocabulary }];
    return { type: 'array', items: { type: 'record', name: 'Part', fields } };
  };
  const base = {
    type: 'record',
    name: 'Thing',
    namespace: 'crier',
    fields: [
      { name: 'id', type: 'string' },
      { name: 'count', type: 'int' },
      { name: 'kind', type: 'string', vocabulary: ['a', 'b'] },
      { name: 'note', type: ['null', 'string'], default: null },
      { name: 'parts', type: part(['c']) },
    ] as Field[],
  };
  const field = (name: string, change: object) => {
    const fields = base.fields.map((own) => (own.name === name ? { ...own, ...change } : own));
    return { ...base, fields };
  };
  const without = (name: string) => ({ ...base, fields: base.fields.filter((own) => own.name !== name) });
  const withField = (added: object) => ({ ...base, fields: [...base.fields, added] });
  const conflicts = (changed: object) => conflictsBetween(JSON.stringify(base), JSON.stringify(changed));

  it.each([
    ['an optional field is added', withField({ name: 'more', type: ['null', 'long'], default: null })],
    ['a field with a default is added', withField({ name: 'more', type: 'string', default: '' })],
    ['an optional field is removed', without('note')],
    ['a word is added', field('kind', { vocabulary: ['a', 'b', 'c'] })],
    ['a word is added further in', field('parts', { type: part(['c', 'd']) })],
    ['a vocabulary is dropped', field('kind', { vocabulary: undefined })],
    ['a mandatory text gets a default that means absent', field('id', { default: '', omitWhenEmpty: true })],
    ['it is explained', { ...base, doc: 'A thing.' }],
  ])('is accepted when %s', (_, changed) => {
    expect(conflicts(changed)).toEqual([]);
  });

  it.each([
    ['a field without a default is added', withField({ name: 'more', type: 'string' }), "the newer release can't read"],
    ['a field without a default is removed', without('id'), "the older release can't read"],
    ['a field is renamed', field('id', { name: 'key' }), "can't read"],
    ['a type is widened', field('count', { type: 'long' }), "the older release can't read"],
    ['a type is exchanged', field('count', { type: 'string' }), "can't read"],
    [
      'a field is made optional',
      field('id', { type: ['null', 'string'], default: null }),
      "the older release can't read",
    ],
    ['a field is made mandatory', field('note', { type: 'string' }), "the newer release can't read"],
    ['it is renamed', { ...base, name: 'Matter' }, "can't read"],
    ['a word is taken away', field('kind', { vocabulary: ['a'] }), 'kind no longer knows "b"'],
    ['a word is taken away further in', field('parts', { type: part([]) }), 'parts.kind no longer knows "c"'],
    ['free text gets a vocabulary', field('id', { vocabulary: ['a'] }), 'id was free text'],
    ['null comes to mean absent', field('note', { omitWhenNull: true }), 'note changed what null means'],
  ])('is detected when %s', (_, changed, said) => {
    expect(conflicts(changed).join('\n')).toContain(said);
  });

  it('is detected when an empty text no longer means absent', () => {
    const absent = JSON.stringify(field('id', { default: '', omitWhenEmpty: true }));
    const said = conflictsBetween(absent, JSON.stringify(field('id', { default: '' })));
    expect(said).toEqual(['id changed what an empty text means']);
  });
});

describe('lock.ts', () => {
  let folder: URL;
  beforeEach(() => {
    const path = mkdtempSync(join(tmpdir(), 'schemas-'));
    cpSync(SCHEMA_FOLDER, path, { recursive: true });
    folder = pathToFileURL(`${path}/`);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function edit(name: string, change: (fields: Field[]) => void): void {
    const file = new URL(`${name}.avsc`, folder);
    const schema = JSON.parse(readFileSync(file, 'utf8'));
    change(schema.fields);
    writeFileSync(file, JSON.stringify(schema, null, 2));
  }

  it('adds a version under the next id, once, and leaves all others alone', () => {
    edit('PlanDue', (fields) => fields.push({ name: 'because', type: ['null', 'string'], default: null }));
    expect(lockSchemas(folder)).toMatchObject({
      conflicts: [],
      added: [{ id: history.length + 1, name: 'PlanDue', version: 2 }],
    });
    expect(lockSchemas(folder)).toEqual({ conflicts: [], added: [] });
    expect(readSchemaHistory(folder).slice(0, -1)).toEqual(history);
    expect(readSchemaHistory(folder).at(-1)?.text).toContain('because');
  });

  it('writes nothing when a change would be incompatible, even with an old version only', () => {
    edit('PlanDue', (fields) => fields.push({ name: 'because', type: ['null', 'string'], default: null }));
    lockSchemas(folder);
    edit('PlanDue', (fields) => {
      fields.pop();
      fields.push({ name: 'because', type: ['null', 'long'], default: null });
    });
    const before = readSchemaHistory(folder);
    const { conflicts } = lockSchemas(folder);
    expect(conflicts.join('\n')).toContain('PlanDue.avsc with version 2');
    expect(readSchemaHistory(folder)).toEqual(before);
  });

  it('names the format from which a version is written, and takes no new word or message within a generation', () => {
    edit('PlanDue', (fields) => fields.push({ name: 'because', type: ['null', 'string'], default: null }));
    expect(lockSchemas(folder, undefined, { format: 2, writesFrom: 1 }).added).toMatchObject([{ format: 2 }]);
    expect(currentSchemas(readSchemaHistory(folder), 1).get('PlanDue')?.version).toBe(1);
    expect(currentSchemas(readSchemaHistory(folder), 2).get('PlanDue')?.version).toBe(2);

    edit('MarkChannel', (fields) => {
      for (const field of fields)
        if (field['vocabulary'] !== undefined) (field['vocabulary'] as string[]).push('paused');
    });
    const known = JSON.parse(readFileSync(new URL('PlanDue.avsc', folder), 'utf8'));
    writeFileSync(new URL('TrialDue.avsc', folder), JSON.stringify({ ...known, name: 'TrialDue' }));
    expect(lockSchemas(folder, undefined, { format: 3, writesFrom: 2 }).conflicts).toEqual([
      'MarkChannel.avsc has the new word state "paused": that begins a generation of formats',
      'TrialDue.avsc is a new message: that begins a generation of formats',
    ]);
    expect(lockSchemas(folder, undefined, { format: 100, writesFrom: 2 })).toMatchObject({
      conflicts: [],
      added: [
        { name: 'MarkChannel', format: 100 },
        { name: 'TrialDue', format: 100 },
      ],
    });
  });

  it('counts a rewording as no change', () => {
    edit('PlanDue', (fields) => Object.assign(fields[0] as Field, { doc: 'Whose.' }));
    expect(lockSchemas(folder)).toEqual({ conflicts: [], added: [] });
  });
});
