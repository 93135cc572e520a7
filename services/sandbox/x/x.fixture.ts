import { MEDIA_FIXTURES, type FixtureName } from '#testing/media-fixtures.ts';
import type { SandboxHarness, SeenItem, SignedIn } from '../sandbox.fixture.ts';

/** Longer than processing takes in tests. */
export const PROCESSED_MS = 100;
export const CHUNK_BYTES = 20_000;

const UPLOAD = '/sim/x/2/media/upload';

export function form(fields: Readonly<Record<string, string>>, media?: Uint8Array): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.set(name, value);
  if (media !== undefined) made.set('media', new Blob([new Uint8Array(media)]), 'media');
  return made;
}

export function uploadImage(
  harness: SandboxHarness,
  who: SignedIn,
  bytes: Uint8Array,
  fields: Readonly<Record<string, string>> = {},
): Promise<SeenItem> {
  return harness.ask('POST', UPLOAD, {
    token: who.token,
    parts: form({ media_category: 'tweet_image', ...fields }, bytes),
  });
}

export function initialize(harness: SandboxHarness, who: SignedIn, announced: object): Promise<SeenItem> {
  return harness.ask('POST', `${UPLOAD}/initialize`, { token: who.token, json: announced });
}

export function append(
  harness: SandboxHarness,
  who: SignedIn,
  id: string,
  index: number | string,
  bytes: Uint8Array,
): Promise<SeenItem> {
  return harness.ask('POST', `${UPLOAD}/${id}/append`, {
    token: who.token,
    parts: form({ segment_index: String(index) }, bytes),
  });
}

export const finalize = (harness: SandboxHarness, who: SignedIn, id: string): Promise<SeenItem> =>
  harness.ask('POST', `${UPLOAD}/${id}/finalize`, { token: who.token });

export const status = (harness: SandboxHarness, who: SignedIn, id: string): Promise<SeenItem> =>
  harness.ask('GET', `${UPLOAD}?command=STATUS&media_id=${id}`, { token: who.token });

export function describeMedium(harness: SandboxHarness, who: SignedIn, id: string, text: string): Promise<SeenItem> {
  return harness.ask('POST', '/sim/x/2/media/metadata', {
    token: who.token,
    json: { id, metadata: { alt_text: { text } } },
  });
}

export function post(
  harness: SandboxHarness,
  who: SignedIn,
  text: string | undefined,
  mediaIds: readonly string[],
): Promise<SeenItem> {
  return harness.ask('POST', '/sim/x/2/tweets', { token: who.token, json: { text, media: { media_ids: mediaIds } } });
}

/** All bytes in segments, and the answer to finalizing. */
export async function uploadInSegments(
  harness: SandboxHarness,
  who: SignedIn,
  bytes: Uint8Array,
  category: string,
  type: string,
): Promise<SeenItem> {
  const { body } = await initialize(harness, who, {
    media_category: category,
    media_type: type,
    total_bytes: bytes.length,
  });
  for (let at = 0, index = 0; at < bytes.length; at += CHUNK_BYTES, index++)
    await append(harness, who, body.data.id, index, bytes.subarray(at, at + CHUNK_BYTES));
  return finalize(harness, who, body.data.id);
}

export const uploadFilm = (harness: SandboxHarness, who: SignedIn, bytes: Uint8Array): Promise<SeenItem> =>
  uploadInSegments(harness, who, bytes, 'tweet_video', 'video/mp4');

/** The id of a fixture that a post may show. */
export async function readyMedium(harness: SandboxHarness, who: SignedIn, name: FixtureName): Promise<string> {
  const { bytes, kind } = MEDIA_FIXTURES[name];
  const { body } = kind === 'image' ? await uploadImage(harness, who, bytes) : await uploadFilm(harness, who, bytes);
  await harness.clock.advance(PROCESSED_MS);
  return body.data.id;
}

/** The beginning of a GIF, which is all that is checked. */
export function gifOf(width: number, height: number): Uint8Array {
  const bytes = Buffer.alloc(40);
  bytes.write('GIF89a', 'latin1');
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

/** A video whose header states that length. */
export function filmLasting(durationMs: number): Uint8Array {
  const bytes = Buffer.from(MEDIA_FIXTURES.reel.bytes);
  const header = bytes.indexOf('mvhd', 0, 'latin1') + 4;
  bytes.writeUInt32BE((durationMs * bytes.readUInt32BE(header + 12)) / 1000, header + 16);
  return bytes;
}
