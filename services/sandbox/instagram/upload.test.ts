import { describe, expect, test } from 'vitest';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import type { SandboxHarness, SeenItem, SignedIn } from '../sandbox.fixture.ts';
import {
  create,
  instagram,
  item,
  live,
  mediaOf,
  publish,
  read,
  ready,
  signInInstagram,
  statusOf,
} from './instagram.fixture.ts';

const { bytes } = MEDIA_FIXTURES.reel;
const DAY_MS = 24 * 3_600_000;

interface Container {
  readonly id: string;
  readonly uri: string;
}

async function begin(
  harness: SandboxHarness,
  who: SignedIn,
  form: Readonly<Record<string, string>> = { media_type: 'REELS', caption: 'Sent' },
): Promise<Container> {
  const { status, text, body } = await create(harness, who, { upload_type: 'resumable', ...form });
  if (status !== 200) throw new Error(text);
  return body;
}

function send(
  harness: SandboxHarness,
  who: SignedIn,
  uri: string,
  piece: Uint8Array,
  headers: Readonly<Record<string, string>>,
): Promise<SeenItem> {
  return harness.ask('POST', uri, { raw: piece, headers: { Authorization: `OAuth ${who.token}`, ...headers } });
}

const sendAll = (harness: SandboxHarness, who: SignedIn, uri: string, all: Uint8Array = bytes) =>
  send(harness, who, uri, all, { offset: '0', file_size: String(all.length) });

const DONE = { success: true, message: 'Upload successful.' };

describe('bytes sent to a container', () => {
  test.each([
    ['reel', { media_type: 'REELS', caption: 'Sent' }, 'feed'],
    ['Story', { media_type: 'STORIES' }, 'story'],
  ])('become a %s', async (_what, form, placement) => {
    const { harness, who } = await instagram();
    const { id, uri } = await begin(harness, who, form);
    expect(uri).toBe(`http://sandbox.test/sim/instagram/ig-api-upload/v25.0/${id}`);
    await harness.clock.advance(60_000);
    expect(await statusOf(harness, who, id)).toBe('IN_PROGRESS');
    expect((await sendAll(harness, who, uri)).body).toEqual(DONE);
    expect(await statusOf(harness, who, id)).toBe('IN_PROGRESS');
    await harness.clock.advance(200);
    expect((await publish(harness, who, id)).status).toBe(200);
    expect(await live(harness)).toEqual([expect.objectContaining({ placement, media: mediaOf('reel') })]);
  });

  test('become an item of a carousel', async () => {
    const { harness, who } = await instagram();
    const { id, uri } = await begin(harness, who, { is_carousel_item: 'true', media_type: 'VIDEO' });
    await sendAll(harness, who, uri);
    const other = await ready(harness, who, item('photo'));
    await publish(harness, who, await ready(harness, who, { media_type: 'CAROUSEL', children: `${id},${other}` }));
    expect(await live(harness)).toEqual([expect.objectContaining({ media: mediaOf('reel', 'photo') })]);
  });

  test('continue where they ended, begin anew at 0, and skip nothing', async () => {
    const { harness, who } = await instagram();
    const { id, uri } = await begin(harness, who);
    const size = { file_size: String(bytes.length) };
    const offset = async (at: number, piece: Uint8Array) =>
      (await send(harness, who, uri, piece, { offset: String(at), ...size })).body;
    expect(await offset(0, bytes.subarray(500, 3_000))).toEqual(DONE);
    expect(await offset(0, bytes.subarray(0, 1_000))).toEqual(DONE);
    for (const wrong of [999, 1_001, 2_500])
      expect(await offset(wrong, bytes.subarray(1_000))).toEqual({
        debug_info: { retriable: true, type: 'OffsetInvalidError', message: expect.stringContaining('1000') },
      });
    expect(await offset(1_000, bytes.subarray(1_000))).toEqual(DONE);
    expect(await sendAll(harness, who, uri, new Uint8Array(10))).toMatchObject({ status: 200, body: DONE });
    await harness.clock.advance(200);
    await publish(harness, who, id);
    expect(await live(harness)).toEqual([expect.objectContaining({ media: mediaOf('reel') })]);
  });

  test('that are no video are refused, and the container has failed', async () => {
    const { harness, who } = await instagram();
    const { id, uri } = await begin(harness, who);
    expect(await sendAll(harness, who, uri, MEDIA_FIXTURES.photo.bytes)).toMatchObject({
      status: 400,
      body: { debug_info: { retriable: false, type: 'ProcessingFailedError', message: 'Request processing failed' } },
    });
    expect((await read(harness, who, id, 'status_code,status')).body).toEqual({
      id,
      status_code: 'ERROR',
      status: 'Error: Media upload has failed with error code 2207026',
    });
  });

  test('with a cover after their end fail in processing', async () => {
    const { harness, who } = await instagram();
    const { id, uri } = await begin(harness, who, { media_type: 'REELS', thumb_offset: '4001' });
    expect((await sendAll(harness, who, uri)).body).toEqual(DONE);
    await harness.clock.advance(200);
    expect((await read(harness, who, id, 'status')).body.status).toContain('2207057');
  });
});

describe('an upload is refused', () => {
  test.each([
    ['without a size', { offset: '0' }],
    ['of more than its size', { offset: '0', file_size: '10' }],
    ['of a size that is too large', { offset: '0', file_size: '2000000000' }],
    ['without an offset', { file_size: String(bytes.length) }],
    ['with an offset that is no number', { offset: '-5', file_size: String(bytes.length) }],
  ])('%s', async (_what, headers) => {
    const { harness, who } = await instagram();
    const { id, uri } = await begin(harness, who);
    expect(await send(harness, who, uri, bytes, headers)).toMatchObject({
      status: 400,
      body: { debug_info: { type: expect.stringMatching(/Error$/) } },
    });
    expect(await statusOf(harness, who, id)).toBe('IN_PROGRESS');
    expect((await sendAll(harness, who, uri)).body).toEqual(DONE);
  });

  test('to a container that is fetched, of another account, expired, or not there', async () => {
    const { harness, who } = await instagram();
    const fetched = await ready(harness, who, item('photo'));
    const old = await begin(harness, who);
    await harness.clock.advance(DAY_MS);
    const others = await begin(harness, await signInInstagram(harness));
    const gone = { status: 404, body: { debug_info: { retriable: false, type: 'ResourceNotFoundError' } } };
    for (const uri of [
      others.uri,
      old.uri,
      others.uri.replace(others.id, fetched),
      others.uri.replace(others.id, '123'),
    ])
      expect(await sendAll(harness, who, uri)).toMatchObject(gone);
  });

  test('without a token that lives', async () => {
    const { harness, who } = await instagram();
    const { uri } = await begin(harness, who);
    expect((await sendAll(harness, { ...who, token: 'dead' }, uri)).body.error.code).toBe(190);
  });
});
