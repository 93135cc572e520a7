import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createS3BlobStore } from './blob-store.ts';

const KEYS = ['a/1', 'a/2', 'a/3'];

/** Answers a listing one object at a time, and between two of them with none, as a bucket with versions may. */
function answerTo(address: string): string {
  const asked = new URL(address, 'http://any').searchParams;
  const from = Number(asked.get('continuation-token') ?? 0);
  const key = from % 2 === 0 ? undefined : KEYS[(from - 1) / 2];
  const next = from + 1;
  const isTruncated = next <= KEYS.length * 2;
  return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult>
    <IsTruncated>${isTruncated}</IsTruncated>
    ${isTruncated ? `<NextContinuationToken>${next}</NextContinuationToken>` : ''}
    ${key === undefined ? '' : `<Contents><Key>${key}</Key><Size>7</Size></Contents>`}
  </ListBucketResult>`;
}

test('an answer with fewer objects than were asked for ends a listing only where it says so', async () => {
  const server = createServer((request, response) => {
    response.setHeader('Content-Type', 'application/xml');
    response.end(answerTo(request.url ?? ''));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const store = createS3BlobStore({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'any',
    bucket: 'bucket',
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
    pathStyle: true,
  });
  const listed = async (limit: number) => (await store.list('a/', { after: null, limit })).map(({ name }) => name);
  expect(await listed(1_000)).toEqual(KEYS);
  expect(await listed(2)).toEqual(KEYS.slice(0, 2));
  store.close();
  server.close();
});
