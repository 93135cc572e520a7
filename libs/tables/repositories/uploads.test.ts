import { describe, expect, test } from 'vitest';
import { createMemoryTableStore, type TableHooks } from '#adapters/memory/table-store.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { PortError } from '#ports/errors.ts';
import { createUploadRows, type UploadedFile } from './uploads.ts';

const ID = '01890000-0000-7000-8000-000000000000';
const file = (name: string): UploadedFile => ({
  blob: `assets/${ID}/original/${name}`,
  bytes: 5,
  sha256: name.repeat(64),
});

const nothing = async (): Promise<void> => {};

function open(hooks: Partial<TableHooks> = {}, tables = new MemoryTables(), seed = 1) {
  const ids = createSeededIds(seed);
  const store = createMemoryTableStore({ tables, hooks: { before: nothing, after: nothing, ...hooks } });
  return createUploadRows(store, () => ids.token());
}

describe('of files sent to one address', () => {
  test('the last whole one counts, until one is sealed; then none replaces it', async () => {
    const rows = open();
    expect(await rows.find(ID)).toBeNull();
    expect(await rows.arrive(ID, file('a'))).toEqual({ taken: true, replaced: null });
    expect(await rows.arrive(ID, file('b'))).toEqual({ taken: true, replaced: file('a') });
    expect(await rows.seal(ID)).toEqual(file('b'));
    expect(await rows.arrive(ID, file('c'))).toEqual({ taken: false, by: { state: 'sealed', file: file('b') } });
    expect(await rows.seal(ID)).toEqual(file('b'));
  });

  test('none counts once the upload is gone, and nothing brings it back', async () => {
    const rows = open();
    await rows.arrive(ID, file('a'));
    await rows.seal(ID);
    await rows.abandon(ID);
    await rows.abandon(ID);
    expect(await rows.arrive(ID, file('b'))).toEqual({ taken: false, by: { state: 'gone' } });
    expect(await rows.seal(ID)).toBeNull();
    expect(await rows.find(ID)).toEqual({ state: 'gone' });
  });

  test('nothing is sealed where nothing came, and a file may come afterwards', async () => {
    const rows = open();
    expect(await rows.seal(ID)).toBeNull();
    expect(await rows.arrive(ID, file('a'))).toEqual({ taken: true, replaced: null });
  });

  test('of many files that arrive with a seal, one is sealed, and each other one is reported once', async () => {
    const rows = open();
    const names = ['a', 'b', 'c', 'd', 'e'];
    const [sealed, ...taken] = await Promise.all([rows.seal(ID), ...names.map((name) => rows.arrive(ID, file(name)))]);
    const last = sealed ?? (await rows.seal(ID));
    const given = taken.flatMap((each, index) =>
      each.taken ? (each.replaced === null ? [] : [each.replaced.blob]) : [file(names[index]!).blob],
    );
    expect([...given, last!.blob].toSorted()).toEqual(names.map((name) => file(name).blob));
  });
});

test.each(['before', 'after'] as const)(
  'a write whose end is not known is settled: it failed %s it was made',
  async (when) => {
    let failures = 1;
    const hook = async ({ name }: { readonly name: string }): Promise<void> => {
      if (name === 'compareAndSet' && failures-- > 0) throw new PortError('unknown', 'timed out');
    };
    const rows = open({ [when]: hook });
    expect(await rows.arrive(ID, file('a'))).toEqual({ taken: true, replaced: null });
    failures = 1;
    expect(await rows.seal(ID)).toEqual(file('a'));
    expect(await rows.find(ID)).toEqual({ state: 'sealed', file: file('a') });
  },
);

describe('a file whose row may have been written is not taken for one that no row names', () => {
  test('where the read that was to settle the write fails too', async () => {
    let isInDoubt = false;
    const rows = open({
      before: async ({ name }) => {
        if (name !== 'read' || !isInDoubt) return;
        isInDoubt = false;
        throw new PortError('unavailable', 'no replica answers');
      },
      after: async ({ name }) => {
        if (name !== 'compareAndSet') return;
        isInDoubt = true;
        throw new PortError('unknown', 'timed out');
      },
    });
    await expect(rows.arrive(ID, file('a'))).rejects.toMatchObject({ name: 'PortError', kind: 'unknown' });
    expect(await rows.find(ID)).toEqual({ state: 'arrived', file: file('a') });
  });

  test('where another file replaced it before the write was settled: whoever sent that removed its blob', async () => {
    const tables = new MemoryTables();
    const other = open({}, tables, 2);
    let isFirst = true;
    const rows = open(
      {
        after: async ({ name }) => {
          if (name !== 'compareAndSet' || !isFirst) return;
          isFirst = false;
          expect(await other.arrive(ID, file('b'))).toEqual({ taken: true, replaced: file('a') });
          throw new PortError('unknown', 'timed out');
        },
      },
      tables,
    );
    await expect(rows.arrive(ID, file('a'))).rejects.toMatchObject({ name: 'PortError', kind: 'unknown' });
    expect(await other.seal(ID)).toEqual(file('b'));
  });
});
