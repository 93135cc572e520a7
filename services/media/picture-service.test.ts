import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { filesystemScratchDisk } from '#adapters/filesystem/scratch-disk.ts';
import { createMemoryBlobStore } from '#adapters/memory/blob-store.ts';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryLog, type MemoryLog } from '#adapters/memory/log.ts';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { PICTURE_BLOBS, pictureBlob } from '#domain/channel/picture.ts';
import type { CopyPicture, Message } from '#messages/messages.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import { HttpFailure } from '#ports/http-client.ts';
import { UnsafeAddress, type PublicAnswer } from '#ports/public-http.ts';
import type { TableStore } from '#ports/table-store.ts';
import { WORKSPACE_VIEWS } from '#tables/declarations/tables.ts';
import { CHANNEL_PICTURES, shardOf, TOPICS, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { createDueTimers, minuteOf } from '#tables/repositories/due.ts';
import { CHANNELS_VIEW } from '#tables/repositories/workspaces.ts';
import { BODY_FORMAT, encodeBody } from '#tables/rows/body.ts';
import { createRealMediaTools } from '#testing/media-tools.ts';
import { copyPicture, type CopyPictureOptions } from './copy-picture.ts';
import { MAX_PICTURE_BYTES } from './fetch-picture.ts';
import { createPictureService } from './picture-service.ts';

const WORKSPACE = '01a20000-0000-7000-8000-000000000001';
const CHANNEL = '01a20000-0000-7000-8000-000000000002';
const codec = createCodec({ registry: createBuiltInRegistry() });
const tools = createRealMediaTools();
const folder = mkdtempSync(join(tmpdir(), 'crier-test-pictures-'));
afterAll(async () => {
  await tools.close();
  rmSync(folder, { recursive: true, force: true });
});

let clock: MemoryClock;
let store: TableStore;
let log: MemoryLog;
let reporter: MemoryReporter;
let blobs: BlobStore;
let order: CopyPicture;
let version = 1;
let answer: Buffer | Partial<PublicAnswer> | Error;

async function picture(width: number, height: number): Promise<Buffer> {
  const background = { r: 200, g: 30, b: 30 };
  return sharp({ create: { width, height, channels: 3, background } })
    .withExif({ IFD0: { Artist: 'someone' } })
    .png()
    .toBuffer();
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += 65_536) yield bytes.subarray(from, from + 65_536);
}

const http: CopyPictureOptions['http'] = {
  async send() {
    if (answer instanceof Error) throw answer;
    const whole = { status: 200, headers: {}, body: piecesOf(Buffer.isBuffer(answer) ? answer : Buffer.from('')) };
    return Buffer.isBuffer(answer) ? whole : { ...whole, ...answer };
  },
};

const optionsOf = () => ({
  ...{ store, log, codec, clock, reporter, ids: createSeededIds(1), due: createDueTimers(store), blobs, tools, http },
  disk: filesystemScratchDisk,
  scratchFolder: folder,
});

beforeEach(async () => {
  clock = createMemoryClock();
  store = createMemoryTableStore({ clock });
  log = createMemoryLog({ topics: TOPICS, clock });
  reporter = createMemoryReporter();
  blobs = createMemoryBlobStore();
  answer = await picture(1_000, 500);
  const round = { connectedAt: clock.now(), askedAt: clock.now(), url: 'https://pictures.test/ada.png', tries: 0 };
  order = { type: 'CopyPicture', workspaceId: WORKSPACE, channelId: CHANNEL, ...round };
  await channelIs({ state: 'connected', connectedAt: clock.now() });
});

async function channelIs(about: object): Promise<void> {
  const body = encodeBody({ [CHANNEL]: { id: CHANNEL, network: 'x', ...about } });
  const key = { partition: [WORKSPACE], clustering: CHANNELS_VIEW };
  await store.upsert(WORKSPACE_VIEWS, [{ ...key, body, format: BODY_FORMAT, timestamp: version++ }]);
}

const copy = (signal = new AbortController().signal) => copyPicture(order, { ...optionsOf(), signal });
const names = async () => (await blobs.list('', { after: null, limit: 100 })).map(({ name }) => name);
const outcomes = () => reporter.of('picture-copy-ended').map(({ facts }) => facts['outcome']);

async function messagesOf(topic: { readonly name: string; readonly partitions: number }): Promise<readonly Message[]> {
  const records = Array.from({ length: topic.partitions }, (_, partition) =>
    log.control.records({ topic: topic.name, partition }),
  ).flat();
  const decoded = await Promise.all(records.map(({ value }) => codec.decode(value)));
  return decoded.flatMap((each) => (each.ok ? [each.message] : []));
}

function blobOf(bytes: Buffer): string {
  return pictureBlob(CHANNEL, order.askedAt, createHash('sha256').update(bytes).digest('hex'));
}

test('a picture is made anew, small and without what else its file holds, stored and reported', async () => {
  await copy();
  const blob = blobOf(answer as Buffer);
  expect(await names()).toEqual([blob]);
  const stored = await buffer(await blobs.get(blob));
  const { format, width, height, exif } = await sharp(stored).metadata();
  expect([format, width, height, exif]).toEqual(['jpeg', 400, 200, undefined]);
  expect(await messagesOf(WORKSPACE_COMMANDS)).toMatchObject([{ type: 'PictureCopied', channelId: CHANNEL, blob }]);
});

test('an order that is carried out again after a crash stores the same name', async () => {
  await copy();
  await copy();
  expect(await names()).toHaveLength(1);
});

test('the picture that is shown already is not stored again', async () => {
  const blob = blobOf(answer as Buffer);
  await channelIs({ state: 'connected', connectedAt: clock.now(), picture: { blob, askedAt: 1 } });
  await copy();
  expect([await names(), outcomes()]).toEqual([[], ['unchanged']]);
});

test.each([
  ['a page', Buffer.from('<!doctype html><p>log in'), 'refused'],
  ['a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'), 'refused'],
  ['bytes that only begin as a picture', Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), Buffer.alloc(99)]), 'refused'],
  ['more bytes than a picture of an account has', Buffer.alloc(MAX_PICTURE_BYTES + 1), 'refused'],
  ['an answer that there is none', { status: 404 }, 'refused'],
  ['an address that must not be requested', new UnsafeAddress('not public'), 'refused'],
  ['an answer of trouble', { status: 503 }, 'unreachable'],
  ['no answer', new HttpFailure('no answer', true), 'unreachable'],
])('%s stores nothing', async (_what, given, outcome) => {
  answer = given;
  await copy();
  expect([await names(), await messagesOf(WORKSPACE_COMMANDS), outcomes()]).toEqual([[], [], [outcome]]);
});

test('an address that can not be reached is asked again later, a few times', async () => {
  answer = new HttpFailure('no answer', false);
  const waits: number[] = [];
  for (let tries = 0; tries < 6; tries++) {
    order = { ...order, tries };
    await copy();
    for (const waitMs of [60_000, 600_000, 3_600_000]) {
      const minute = minuteOf(clock.now() + waitMs);
      const timers = await createDueTimers(store).read(shardOf(WORKSPACE), minute, null, 10);
      if (timers.some(({ dueAt }) => dueAt === clock.now() + waitMs)) waits.push(waitMs);
    }
  }
  expect(new Set(waits)).toEqual(new Set([60_000, 600_000, 3_600_000]));
  expect(outcomes()).toHaveLength(6);
});

test.each([
  ['is disconnected', { state: 'not_connected' }],
  ['was connected again', { state: 'connected', connectedAt: 1 }],
])('nothing is fetched for a Channel that %s', async (_what, about) => {
  await channelIs({ connectedAt: clock.now(), ...about });
  await copy();
  expect([await names(), outcomes()]).toEqual([[], []]);
});

test('a copy that no Channel names is deleted, and one that a Channel names is kept', async () => {
  const [shown, replaced] = [`${PICTURE_BLOBS}${CHANNEL}/2-b`, `${PICTURE_BLOBS}${CHANNEL}/1-a`];
  for (const name of [shown, replaced]) await blobs.put(name, Readable.from([Buffer.from('x')]), { maxBytes: 1 });
  await channelIs({ state: 'connected', connectedAt: clock.now(), picture: { blob: shown, askedAt: 2 } });
  await createPictureService(optionsOf()).start();
  for (const blob of [shown, replaced]) {
    const value = codec.encode({ type: 'RemovePicture', workspaceId: WORKSPACE, channelId: CHANNEL, blob });
    await log.append(CHANNEL_PICTURES.name, [{ key: CHANNEL, value }]);
  }
  for (let passed = 0; passed < 2_000 && (await names()).length > 1; passed++) await clock.advance(10);
  expect([await names(), reporter.failures()]).toEqual([[shown], []]);
});
