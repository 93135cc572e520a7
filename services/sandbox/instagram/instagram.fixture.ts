import { createMemoryDownload } from '#adapters/memory/download.ts';
import { MEDIA_FIXTURES, type FixtureName } from '#testing/media-fixtures.ts';
import {
  codeFrom,
  createHarness,
  REDIRECT,
  type SandboxHarness,
  type SeenItem,
  type SignedIn,
} from '../sandbox.fixture.ts';
import type { SandboxOptions } from '../sandbox.ts';
import { SANDBOX_APP } from '../simulators.ts';

export const API = '/sim/instagram/v25.0';
/** Longer than any processing takes in tests. */
export const PROCESSED_MS = 1_000;

const MEDIA = 'https://media.test';
export const fileUrl = (name: string): string => `${MEDIA}/${name}`;

/** With the fixtures at `fileUrl` of their names, and other files at theirs. */
export function instagramHarness(
  more: Readonly<Record<string, Uint8Array>> = {},
  options: Partial<SandboxOptions> = {},
): SandboxHarness {
  const fixtures = Object.entries(MEDIA_FIXTURES).map(
    ([name, { bytes, contentType }]) => [fileUrl(name), { bytes, contentType }] as const,
  );
  const others = Object.entries(more).map(
    ([name, bytes]) => [fileUrl(name), { bytes, contentType: 'application/octet-stream' }] as const,
  );
  return createHarness({ download: createMemoryDownload(new Map([...fixtures, ...others])), ...options });
}

export function instagramAuthorizeUrl(extra: Readonly<Record<string, string>> = {}): string {
  const scope = 'instagram_business_basic,instagram_business_content_publish';
  const call = { response_type: 'code', client_id: SANDBOX_APP.clientId, redirect_uri: REDIRECT, scope, state: 's1' };
  return `/sim/instagram/oauth/authorize?${new URLSearchParams({ ...call, auto_approve: '1', account_name: 'Vera', ...extra })}`;
}

export const instagramCodeForm = (code: string) => ({
  client_id: SANDBOX_APP.clientId,
  client_secret: SANDBOX_APP.clientSecret,
  grant_type: 'authorization_code',
  redirect_uri: REDIRECT,
  code,
});

/** Exchanges a token of an hour for one of sixty days. */
export function prolong(harness: SandboxHarness, token: string): Promise<SeenItem> {
  const query = new URLSearchParams({
    grant_type: 'ig_exchange_token',
    client_secret: SANDBOX_APP.clientSecret,
    access_token: token,
  });
  return harness.ask('GET', `/sim/instagram/access_token?${query}`);
}

/** With a token of sixty days. */
export async function signInInstagram(
  harness: SandboxHarness,
  extra: Readonly<Record<string, string>> = {},
): Promise<SignedIn> {
  const code = await codeFrom(harness, instagramAuthorizeUrl(extra));
  const short = await harness.ask('POST', '/sim/instagram/oauth/access_token', { form: instagramCodeForm(code) });
  const long = await prolong(harness, short.body.data?.[0].access_token ?? short.body.access_token);
  const token: string = long.body.access_token;
  const me = await harness.ask('GET', `${API}/me?fields=user_id,username`, { token });
  return { token, refreshToken: '', accountId: me.body.user_id, username: me.body.username };
}

export async function instagram(
  more: Readonly<Record<string, Uint8Array>> = {},
): Promise<{ readonly harness: SandboxHarness; readonly who: SignedIn }> {
  const harness = instagramHarness(more);
  return { harness, who: await signInInstagram(harness) };
}

export function create(
  harness: SandboxHarness,
  who: SignedIn,
  form: Readonly<Record<string, string>>,
): Promise<SeenItem> {
  return harness.ask('POST', `${API}/${who.accountId}/media`, { token: who.token, form });
}

export function publish(harness: SandboxHarness, who: SignedIn, creationId: string): Promise<SeenItem> {
  return harness.ask('POST', `${API}/${who.accountId}/media_publish`, {
    token: who.token,
    form: { creation_id: creationId },
  });
}

/** An object, or an edge of the account, by `fields`. */
export function read(harness: SandboxHarness, who: SignedIn, path: string, fields: string): Promise<SeenItem> {
  return harness.ask('GET', `${API}/${path}?fields=${fields}`, { token: who.token });
}

export async function statusOf(harness: SandboxHarness, who: SignedIn, id: string): Promise<string> {
  return (await read(harness, who, id, 'status_code')).body.status_code;
}

/** A container after its processing; fails when it was refused. */
export async function ready(
  harness: SandboxHarness,
  who: SignedIn,
  form: Readonly<Record<string, string>>,
): Promise<string> {
  const { status, text, body } = await create(harness, who, form);
  if (status !== 200) throw new Error(text);
  await harness.clock.advance(PROCESSED_MS);
  return body.id;
}

export const photo = (name: FixtureName = 'photo') => ({ image_url: fileUrl(name) });
export const item = (name: FixtureName) => ({
  is_carousel_item: 'true',
  ...(MEDIA_FIXTURES[name].kind === 'video' ? { media_type: 'VIDEO', video_url: fileUrl(name) } : photo(name)),
});

/** The live items in the sandbox's truth. */
export async function live(harness: SandboxHarness): Promise<readonly any[]> {
  return (await harness.ask('GET', '/sandbox/items')).body.items;
}

export function mediaOf(...names: readonly FixtureName[]): readonly object[] {
  return names.map((name) => ({
    sha256: MEDIA_FIXTURES[name].sha256,
    bytes: MEDIA_FIXTURES[name].bytes.length,
    contentType: MEDIA_FIXTURES[name].contentType,
  }));
}

/** The smallest JPEG of that size, with `padding` bytes after it. */
export function jpegOf(width: number, height: number, padding = 0): Uint8Array {
  const start = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]), Buffer.from('JFIF'), Buffer.alloc(10)]);
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1, 0xff, 0xd9]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([start, frame, Buffer.alloc(padding)]);
}

function box(type: string, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

/** The headers of an MP4 of that length and size, without any picture in it. */
export function filmOf(durationMs: number, width: number, height: number): Uint8Array {
  const header = Buffer.alloc(100);
  header.writeUInt32BE(1_000, 12);
  header.writeUInt32BE(durationMs, 16);
  const track = Buffer.alloc(84);
  track.writeUInt32BE(width * 65_536, 76);
  track.writeUInt32BE(height * 65_536, 80);
  const handler = Buffer.concat([Buffer.alloc(8), Buffer.from('vide'), Buffer.alloc(13)]);
  return Buffer.concat([
    box('ftyp', Buffer.from('isom0000')),
    box('moov', box('mvhd', header), box('trak', box('tkhd', track), box('mdia', box('hdlr', handler)))),
  ]);
}
