import { Readable } from 'node:stream';
import { beforeEach, expect, test } from 'vitest';
import { createMemoryBlobStore } from '#adapters/memory/blob-store.ts';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryLog, type MemoryLog } from '#adapters/memory/log.ts';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import type { Asset } from '#domain/media/asset.ts';
import { blobsOf, originalBlob } from '#domain/media/blob-names.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import { assetRow } from '#tables/repositories/assets.ts';
import { BODY_FORMAT, encodeBody } from '#tables/rows/body.ts';
import { ASSETS } from '#tables/declarations/tables.ts';
import { MEDIA_REMOVALS, TOPICS } from '#tables/declarations/topics.ts';
import { createUploadRows, type UploadRows } from '#tables/repositories/uploads.ts';
import { createRemovalService } from './removal-service.ts';

const WORKSPACE = '01a20000-0000-7000-8000-000000000001';
const ID = '01a20000-0000-7000-8000-000000000002';
const OTHER = '01a20000-0000-7000-8000-000000000003';
const codec = createCodec({ registry: createBuiltInRegistry() });

let clock: MemoryClock;
let store: TableStore;
let log: MemoryLog;
let reporter: MemoryReporter;
let blobs: BlobStore;
let uploads: UploadRows;
let version = 1;

beforeEach(async () => {
  clock = createMemoryClock();
  store = createMemoryTableStore({ clock });
  log = createMemoryLog({ topics: TOPICS, clock });
  reporter = createMemoryReporter();
  blobs = createMemoryBlobStore();
  const ids = createSeededIds(1);
  uploads = createUploadRows(store, () => ids.token());
  const options = { store, log, codec, clock, reporter, ids, uploads };
  await createRemovalService({
    ...options,
    blobs: { list: (prefix, page) => blobs.list(prefix, page), delete: (name) => blobs.delete(name) },
  }).start();
});

async function assetIs(state: Asset['state'], id = ID): Promise<void> {
  const asset = { id, workspaceId: WORKSPACE, state, origin: 'upload' } as Asset;
  const { value, ...row } = assetRow(asset);
  await store.upsert(ASSETS, [{ ...row, body: encodeBody(value), format: BODY_FORMAT, timestamp: version++ }]);
}

const keep = (name: string) => blobs.put(name, Readable.from([Buffer.from('x')]), { maxBytes: 1 });
const names = async () => (await blobs.list('', { after: null, limit: 1000 })).map(({ name }) => name);

async function removeFiles(assetId = ID): Promise<void> {
  await log.append(MEDIA_REMOVALS.name, [
    { key: assetId, value: codec.encode({ type: 'RemoveFiles', workspaceId: WORKSPACE, assetId }) },
  ]);
}

async function letPass(done: () => boolean): Promise<void> {
  for (let passed = 0; passed < 2_000 && !done(); passed++) await clock.advance(10);
  expect(done()).toBe(true);
}

test('all that is stored of a removed asset goes, however much it is, and nothing of another one', async () => {
  for (let index = 0; index < 250; index++) await keep(`${blobsOf(ID)}renditions/r${index}`);
  await keep(originalBlob(ID, '1'));
  await keep(originalBlob(OTHER, '1'));
  await assetIs('removed');
  await removeFiles();
  await letPass(() => reporter.of('asset-files-removed').length === 1);
  expect([await names(), reporter.of('asset-files-removed')[0]?.facts['blobs']]).toEqual([
    [originalBlob(OTHER, '1')],
    251,
  ]);
});

test('a file that is still being uploaded does not come to count, so that ingress deletes it', async () => {
  await assetIs('removed');
  await removeFiles();
  await letPass(() => reporter.of('asset-files-removed').length === 1);
  expect(await uploads.arrive(ID, { blob: originalBlob(ID, '2'), bytes: 1, sha256: 'a' })).toEqual({
    taken: false,
    by: { state: 'gone' },
  });
});

test.each(['reserved', 'ready', 'attached'] as const)(
  'an asset that is %s keeps its files, though a record names it',
  async (state) => {
    await keep(originalBlob(ID, '1'));
    await assetIs(state);
    await removeFiles();
    await letPass(() => reporter.of('asset-removal-ignored').length === 1);
    expect(await names()).toEqual([originalBlob(ID, '1')]);
    expect(await uploads.find(ID)).toBeNull();
  },
);

test('a store that is away for a while delays it; what was deleted before is no matter', async () => {
  const options = Array.from({ length: 5 }, (_, index) => `${blobsOf(ID)}renditions/r${index}`);
  for (const name of options) await keep(name);
  await assetIs('removed');
  let deleted = 0;
  const { delete: remove } = blobs;
  Object.assign(blobs, {
    delete: async (name: string) => {
      if (++deleted === 3) throw new PortError('unavailable', 'the store is away');
      await remove(name);
    },
  });
  await removeFiles();
  await letPass(() => reporter.of('asset-files-removed').length === 1);
  expect([await names(), deleted]).toEqual([[], 6]);
});
