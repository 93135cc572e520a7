import { Readable } from 'node:stream';
import { beforeEach, expect, test } from 'vitest';
import { createMemoryBlobStore } from '#adapters/memory/blob-store.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import type { Asset } from '#domain/media/asset.ts';
import { blobsOf, originalBlob } from '#domain/media/blob-names.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import type { TableStore } from '#ports/table-store.ts';
import { assetRow } from '#tables/repositories/assets.ts';
import { BODY_FORMAT, encodeBody } from '#tables/rows/body.ts';
import { ASSETS } from '#tables/declarations/tables.ts';
import { createUploadRows, type UploadRows } from '#tables/repositories/uploads.ts';
import { findOrphans, removeOrphans, SAFE_AGE_MS } from './orphans.ts';

const idOf = (number: number) => `01a20000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const [NOBODYS, REMOVED, RESERVED, READY, ATTACHED] = [1, 2, 3, 4, 5].map(idOf) as [
  string,
  string,
  string,
  string,
  string,
];

let now: number;
let blobs: BlobStore;
let store: TableStore;
let uploads: UploadRows;
const reporter = createMemoryReporter();
let version = 1;

const keep = (name: string) => blobs.put(name, Readable.from([Buffer.from('xy')]), { maxBytes: 2 });
const names = async () => (await blobs.list('', { after: null, limit: 1000 })).map(({ name }) => name);

async function assetIs(id: string, about: Partial<Asset>): Promise<void> {
  const { value, ...row } = assetRow({ id, workspaceId: 'w', origin: 'upload', blob: null, ...about } as Asset);
  await store.upsert(ASSETS, [{ ...row, body: encodeBody(value), format: BODY_FORMAT, timestamp: version++ }]);
}

const arrive = (id: string, name: string) =>
  uploads.arrive(id, { blob: originalBlob(id, name), bytes: 2, sha256: 'a' });

beforeEach(async () => {
  now = 0;
  blobs = createMemoryBlobStore(() => now);
  store = createMemoryTableStore();
  const ids = createSeededIds(1);
  uploads = createUploadRows(store, () => ids.token());
  await assetIs(REMOVED, { state: 'removed' });
  await assetIs(RESERVED, { state: 'reserved' });
  await assetIs(READY, { state: 'ready', blob: originalBlob(READY, 'b') });
  await assetIs(ATTACHED, { state: 'attached', blob: originalBlob(ATTACHED, 'b'), postId: 'p' });
  for (const id of [NOBODYS, REMOVED, RESERVED, READY, ATTACHED]) {
    for (const name of ['a', 'b']) await keep(originalBlob(id, name));
    await keep(`${blobsOf(id)}renditions/r`);
  }
  await arrive(RESERVED, 'b');
  await keep('elsewhere/x');
});

const options = () => ({ blobs, store, uploads, reporter });
const NEEDED = [
  ...[RESERVED, READY, ATTACHED].flatMap((id) => [originalBlob(id, 'b'), `${blobsOf(id)}renditions/r`]),
  'elsewhere/x',
];

test('what nothing names goes once it is old, and nothing that a file of a Workspace needs, a scheduled Post’s least of all', async () => {
  now = SAFE_AGE_MS;
  await removeOrphans(options());
  expect((await names()).length).toBe(16);
  now += 1;
  await removeOrphans(options());
  expect(await names()).toEqual(NEEDED);
  expect(reporter.of('orphan-scan-ended').at(-1)?.facts).toMatchObject({ removed: 9, bytes: 18 });
  await removeOrphans(options());
  expect(reporter.of('orphan-scan-ended').at(-1)?.facts).toMatchObject({ removed: 0 });
});

test('looked for page by page they are the same, each with its reason, and nothing changes', async () => {
  now = SAFE_AGE_MS + 1;
  const before = await names();
  const found: [string, string][] = [];
  for (let after: string | null = null; ;) {
    const page: Awaited<ReturnType<typeof findOrphans>> = await findOrphans(options(), { after, limit: 2 });
    found.push(...page.orphans.map(({ name, why }): [string, string] => [name, why]));
    if (page.next === null) break;
    after = page.next;
  }
  expect(found.map(([name]) => name)).toEqual(before.filter((name) => !NEEDED.includes(name)));
  expect(new Set(found.map(([name, why]) => `${name.split('/')[1]} ${why}`))).toEqual(
    new Set([
      `${NOBODYS} no asset`,
      `${REMOVED} asset removed`,
      ...[RESERVED, READY, ATTACHED].map((id) => `${id} replaced`),
    ]),
  );
  expect(await names()).toEqual(before);
});
