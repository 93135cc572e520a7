import { expect, test } from 'vitest';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { VARIANT_FILES } from '../declarations/tables.ts';
import { replacing } from '../rows/replace-row.ts';
import { createRenditionRows, type StoredFile } from './renditions.ts';

const file: StoredFile = {
  ...{ kind: 'video', contentType: 'video/mp4', bytes: 5, sha256: 'a', width: 1, height: 1, durationMs: 1 },
  blob: 'b',
};
const picture: StoredFile = { ...file, kind: 'image', contentType: 'image/jpeg', durationMs: null, blob: 'c' };

test('the files of a Variant are as they were said last, with and without a cover', async () => {
  const rows = createRenditionRows(createMemoryTableStore({}), () => 'a token');
  expect(await rows.filesOf('p', 'v')).toBe(null);
  for (const files of [
    { files: [file], cover: picture },
    { files: [file], cover: null },
  ]) {
    await rows.setFiles('p', 'v', files);
    expect(await rows.filesOf('p', 'v')).toEqual(files);
  }
});

test('a row from before there were covers is read as files without one', async () => {
  const store = createMemoryTableStore({});
  const write = replacing(['p'], ['v'], { over: null, value: [file], token: 'a token' });
  await store.compareAndSet(VARIANT_FILES, write);
  expect(await createRenditionRows(store, () => '').filesOf('p', 'v')).toEqual({ files: [file], cover: null });
});
