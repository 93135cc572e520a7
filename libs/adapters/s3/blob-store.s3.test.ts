import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { CreateMultipartUploadCommand, ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, describe, expect, it, test } from 'vitest';
import { blobStoreSuite } from '#port-suites/blob-store.ts';
import { startObjectStorage } from '#testing/engines/object-storage.ts';
import { createS3BlobStore, type S3Options } from './blob-store.ts';

const engine = await startObjectStorage().catch((error: Error) => error);

if (engine instanceof Error) {
  if (process.env['CRIER_REQUIRE_CLUSTER'] === '1') throw engine;
  describe('object storage', () => {
    it(`can't be started here: ${engine.message.split('\n')[0]}`, (context) => context.skip());
  });
} else {
  const { endpoint, region, bucket, accessKeyId, secretAccessKey } = engine;
  const credentials = { accessKeyId, secretAccessKey };
  const options: S3Options = { endpoint, region, bucket, credentials, pathStyle: true };
  afterAll(() => engine.stop());

  blobStoreSuite('object storage', async () => {
    const store = createS3BlobStore(options);
    return { store, close: async () => store.close() };
  });

  const client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
  const underWay = async () =>
    ((await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))).Uploads ?? []).length;

  test('a put of many parts that breaks off leaves no part behind', async () => {
    const store = createS3BlobStore(options);
    const source = Readable.from(
      (async function* () {
        for (let sent = 0; sent < 30; sent++) yield randomBytes(1_000_000);
        throw new Error('the client went away');
      })(),
    );
    await expect(store.put('s3/broken', source, { maxBytes: 100_000_000 })).rejects.toThrow('the client went away');
    expect([await store.head('s3/broken'), await underWay()]).toEqual([null, 0]);
    store.close();
  });

  test('old parts that a crash left are removed', async () => {
    const store = createS3BlobStore(options);
    await client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: 's3/crashed' }));
    // This server reports that each of them was begun in 2010.
    const [aDay, aCentury] = [86_400_000, 100 * 365 * 86_400_000];
    expect([await store.removeUnfinished(aCentury), await underWay()]).toEqual([0, 1]);
    expect([await store.removeUnfinished(aDay), await underWay()]).toEqual([1, 0]);
    store.close();
  });

  test('a missing bucket and an unreachable store are both reported', async () => {
    await createS3BlobStore(options).check();
    for (const wrong of [
      { ...options, bucket: 'another-one' },
      { ...options, endpoint: 'http://127.0.0.1:1' },
    ]) {
      await expect(createS3BlobStore(wrong).check()).rejects.toMatchObject({ name: 'PortError', kind: 'unavailable' });
    }
    const away = createS3BlobStore({ ...options, endpoint: 'http://127.0.0.1:1' });
    await expect(away.head('a')).rejects.toMatchObject({ name: 'PortError', kind: 'unavailable' });
    const source = Readable.from([Buffer.from('x')]);
    await expect(away.put('a', source, { maxBytes: 1 })).rejects.toMatchObject({ name: 'PortError', kind: 'unknown' });
    expect(source.destroyed).toBe(true);
  });
}
