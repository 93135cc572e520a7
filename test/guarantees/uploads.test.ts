import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { request, type ClientRequest } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { soak } from '#testing/engines/environment.ts';
import { MEDIA_FIXTURES, type MediaFixture } from '#testing/media-fixtures.ts';
import { until } from '#testing/until.ts';

const MEGABYTE = 1024 ** 2;
const LARGE_BYTES = soak() ? 2 * 1024 * MEGABYTE : 256 * MEGABYTE;
const MAX_GROWTH_BYTES = 100 * MEGABYTE;

interface Reservation {
  readonly assetId: string;
  readonly uploadUrl: string;
}

describe('a file that is uploaded', () => {
  let crier: CrierUnderTest;
  beforeAll(async () => {
    crier = await CrierUnderTest.start({ env: { CRIER_REQUESTS_PER_MINUTE: '0' } });
  });
  afterAll(() => crier[Symbol.asyncDispose]());

  const reserve = async (contentType: string, bytes: number): Promise<Reservation> =>
    (await crier.api().send('POST', '/api/media', { filename: 'a file', contentType, bytes })).body.data;
  const complete = ({ assetId }: Reservation) => crier.api().send('POST', `/api/media/${assetId}/complete`);
  const remove = ({ assetId }: Reservation) => crier.api().send('DELETE', `/api/media/${assetId}`);
  const stored = async () => (await crier.api().send('GET', '/api/usage')).body.data.used.storageBytes;
  const filesOf = ({ assetId }: Reservation) => files(join(crier.dataDir, 'blobs', 'assets', assetId));
  const unfinished = () => files(join(crier.dataDir, 'blobs', '.incoming'));

  async function sent({ bytes, contentType }: MediaFixture): Promise<Reservation> {
    const reserved = await reserve(contentType, bytes.length);
    const put = begin(reserved, contentType, bytes.length);
    put.end(bytes);
    expect(await statusOf(put)).toBe(204);
    return reserved;
  }

  test('is identified by its bytes once completed, and its storage is free and its bytes are gone once removed', async () => {
    for (const fixture of [MEDIA_FIXTURES.photo, MEDIA_FIXTURES.picture, MEDIA_FIXTURES.reel]) {
      const reserved = await sent(fixture);
      const { kind, contentType, bytes } = fixture;
      expect((await complete(reserved)).body.data).toEqual({
        assetId: reserved.assetId,
        kind,
        contentType,
        bytes: bytes.length,
      });
      expect([await stored(), filesOf(reserved).length]).toEqual([bytes.length, 1]);
      expect((await remove(reserved)).status).toBe(204);
      expect(await stored()).toBe(0);
      await until(() => filesOf(reserved).length === 0, { what: 'its bytes gone' });
    }
  });

  test('and declared as another type of its kind is accepted as what it is; one of the other kind, or of no known type, is not', async () => {
    const picture = MEDIA_FIXTURES.picture;
    const called = await sent({ ...picture, contentType: 'image/jpeg' });
    expect((await complete(called)).body.data.contentType).toBe('image/png');
    expect((await remove(called)).status).toBe(204);
    for (const wrong of [
      { ...picture, contentType: 'video/mp4' },
      { ...picture, bytes: Buffer.from('<html>no picture at all</html>') },
    ]) {
      const reserved = await sent(wrong);
      const answer = await complete(reserved);
      expect([answer.status, answer.body.error.code, await stored()]).toEqual([422, 'media_unacceptable', 0]);
      await until(() => filesOf(reserved).length === 0, { what: 'its bytes gone' });
    }
  });

  test(
    `of ${LARGE_BYTES / MEGABYTE} MB passes through in little memory, and one that breaks off leaves nothing`,
    { timeout: 300_000 },
    async () => {
      const reserved = await reserve('video/mp4', LARGE_BYTES);
      await pushed(begin(reserved, 'video/mp4', LARGE_BYTES), 16 * MEGABYTE).then((put) => put.destroy());
      await until(() => unfinished().length === 0, { what: 'no file of the broken one' });
      const before = residentBytes(crier.pid!);
      let most = before;
      const put = begin(reserved, 'video/mp4', LARGE_BYTES);
      const status = statusOf(put);
      await pushed(put, LARGE_BYTES, () => (most = Math.max(most, residentBytes(crier.pid!))));
      put.end();
      expect(await status).toBe(204);
      expect(most - before).toBeLessThan(MAX_GROWTH_BYTES);
      expect(filesOf(reserved).length).toBe(1);
      expect((await remove(reserved)).status).toBe(204);
      await until(() => filesOf(reserved).length === 0, { what: 'its bytes gone' });
    },
  );

  test('outlives a kill -9 once it has arrived, is sent again otherwise, and no partial file is left', async () => {
    const { photo, square, wideshot } = MEDIA_FIXTURES;
    const [done, arrived] = [await sent(photo), await sent(square)];
    expect((await complete(done)).status).toBe(200);
    const broken = await reserve(wideshot.contentType, wideshot.bytes.length);
    const put = begin(broken, wideshot.contentType, wideshot.bytes.length);
    put.write(wideshot.bytes.subarray(0, 1_000));
    await until(() => unfinished().length === 1, { what: 'a file on its way' });
    await crier.restart('kill');
    expect(unfinished()).toEqual([]);
    expect((await complete(done)).body.data.assetId).toBe(done.assetId);
    expect((await complete(arrived)).body.data).toMatchObject({ bytes: square.bytes.length, kind: 'image' });
    const again = begin(broken, wideshot.contentType, wideshot.bytes.length);
    again.end(wideshot.bytes);
    expect(await statusOf(again)).toBe(204);
    expect((await complete(broken)).status).toBe(200);
    expect(await stored()).toBe(photo.bytes.length + square.bytes.length + wideshot.bytes.length);
    for (const reserved of [done, arrived, broken]) expect((await remove(reserved)).status).toBe(204);
    expect(await stored()).toBe(0);
  });

  test('and never completed is removed when its window is over, and one that no Post used a week later', async () => {
    const [forgotten, unused] = [await sent(MEDIA_FIXTURES.photo), await sent(MEDIA_FIXTURES.square)];
    expect((await complete(unused)).status).toBe(200);
    await crier.admin().advance(15 * 60_000);
    await until(async () => (await stored()) === MEDIA_FIXTURES.square.bytes.length, {
      what: 'the storage of the forgotten one',
    });
    expect((await complete(forgotten)).body.error.code).toBe('upload_incomplete');
    await crier.admin().advance(7 * 86_400_000);
    await until(async () => (await stored()) === 0, { what: 'the storage of the unused one' });
    for (const reserved of [forgotten, unused])
      await until(() => filesOf(reserved).length === 0, { what: 'the bytes gone' });
  });
});

function files(folder: string): string[] {
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
    : [];
}

function begin({ uploadUrl }: Reservation, contentType: string, bytes: number): ClientRequest {
  const put = request(uploadUrl, { method: 'PUT', headers: { 'Content-Type': contentType, 'Content-Length': bytes } });
  return put.on('error', () => {});
}

function statusOf(put: ClientRequest): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    put.on('response', (response) => resolve(response.resume().statusCode));
    put.on('close', () => reject(new Error('no answer')));
  });
}

/** Writes that many bytes, no faster than they are accepted, and samples now and then. */
async function pushed(put: ClientRequest, bytes: number, look: () => void = () => {}): Promise<ClientRequest> {
  const piece = Buffer.alloc(MEGABYTE, 7);
  let wake = (): void => {};
  put.on('drain', () => wake()).on('close', () => wake());
  for (let done = 0; done < bytes; done += piece.length) {
    if (done % (8 * MEGABYTE) === 0) look();
    if (!put.write(piece)) await new Promise<void>((resolve) => (wake = resolve));
    if (put.destroyed) break;
  }
  return put;
}

/** Linux's own figure for the memory of a process. */
function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024;
}
