import { createMemoryDownload } from '#adapters/memory/download.ts';
import { MEDIA_FIXTURES, type FixtureName } from '#testing/media-fixtures.ts';
import {
  codeFrom,
  createHarness,
  REDIRECT,
  setFault,
  type SandboxHarness,
  type SeenItem,
  type SignedIn,
} from '../sandbox.fixture.ts';
import type { SandboxOptions } from '../sandbox.ts';
import { SANDBOX_APP } from '../simulators.ts';

const API = '/sim/tiktok/v2';
/** Longer than any processing takes in tests. */
export const PROCESSED_MS = 1_000;

export const fileUrl = (name: string): string => `https://media.test/${name}`;

/** With the fixtures at `fileUrl` of their names, and other files at their addresses. */
export function tiktokHarness(
  more: Readonly<Record<string, Uint8Array>> = {},
  options: Partial<SandboxOptions> = {},
): SandboxHarness {
  const fixtures = Object.entries(MEDIA_FIXTURES).map(
    ([name, { bytes, contentType }]) => [fileUrl(name), { bytes, contentType }] as const,
  );
  const others = Object.entries(more).map(
    ([url, bytes]) => [url, { bytes, contentType: 'application/octet-stream' }] as const,
  );
  return createHarness({ download: createMemoryDownload(new Map([...fixtures, ...others])), ...options });
}

export const ALL_SCOPES = 'user.info.basic,user.info.profile,video.publish,video.list';

export function tiktokAuthorizeUrl(extra: Readonly<Record<string, string>> = {}): string {
  const asked = {
    response_type: 'code',
    client_key: SANDBOX_APP.clientId,
    redirect_uri: REDIRECT,
    scope: ALL_SCOPES,
    state: 's1',
  };
  return `${API}/auth/authorize/?${new URLSearchParams({ ...asked, auto_approve: '1', account_name: 'Mia', ...extra })}`;
}

const APP_KEYS = { client_key: SANDBOX_APP.clientId, client_secret: SANDBOX_APP.clientSecret };

export const tiktokCodeForm = (code: string) => ({
  ...APP_KEYS,
  code,
  grant_type: 'authorization_code',
  redirect_uri: REDIRECT,
});
export const tiktokRefreshForm = (refreshToken: string) => ({
  ...APP_KEYS,
  grant_type: 'refresh_token',
  refresh_token: refreshToken,
});

export const token = (harness: SandboxHarness, form: Readonly<Record<string, string>>): Promise<SeenItem> =>
  harness.ask('POST', `${API}/oauth/token/`, { form });
export const revoke = (harness: SandboxHarness, form: Readonly<Record<string, string>>): Promise<SeenItem> =>
  harness.ask('POST', `${API}/oauth/revoke/`, { form: { ...APP_KEYS, ...form } });

export async function signInTiktok(
  harness: SandboxHarness,
  extra: Readonly<Record<string, string>> = {},
): Promise<SignedIn> {
  const { body } = await token(harness, tiktokCodeForm(await codeFrom(harness, tiktokAuthorizeUrl(extra))));
  const info = await harness.ask('GET', `${API}/user/info/?fields=username`, { token: body.access_token });
  return {
    token: body.access_token,
    refreshToken: body.refresh_token,
    accountId: body.open_id,
    username: info.body.data.user?.username ?? '',
  };
}

export async function tiktok(
  more: Readonly<Record<string, Uint8Array>> = {},
): Promise<{ readonly harness: SandboxHarness; readonly who: SignedIn }> {
  const harness = tiktokHarness(more);
  return { harness, who: await signInTiktok(harness) };
}

/** A call of the API, below /v2/post/publish/. */
export function call(
  harness: SandboxHarness,
  who: Pick<SignedIn, 'token'>,
  path: string,
  json: unknown = {},
): Promise<SeenItem> {
  return harness.ask('POST', `${API}/post/publish/${path}/`, { token: who.token, json });
}

const postInfo = {
  title: 'Hello #world',
  privacy_level: 'PUBLIC_TO_EVERYONE',
  disable_comment: false,
  disable_duet: false,
  disable_stitch: false,
};

/** The smallest request that announces a video of that size, in one piece by default. */
export const announced = (size: number, chunkSize = size, chunks = Math.floor(size / chunkSize)) => ({
  source: 'FILE_UPLOAD',
  video_size: size,
  chunk_size: chunkSize,
  total_chunk_count: chunks,
});

export const videoInit = (source: object, info: object = {}) => ({
  post_info: { ...postInfo, ...info },
  source_info: source,
});

export function photoInit(urls: readonly unknown[], info: object = {}, more: object = {}) {
  const about = {
    title: 'Short',
    description: 'Long',
    privacy_level: 'PUBLIC_TO_EVERYONE',
    disable_comment: false,
    auto_add_music: true,
  };
  const source = { source: 'PULL_FROM_URL', photo_images: urls, photo_cover_index: 0 };
  return {
    media_type: 'PHOTO',
    post_mode: 'DIRECT_POST',
    post_info: { ...about, ...info },
    source_info: source,
    ...more,
  };
}

export interface StartedUpload {
  readonly publish_id: string;
  readonly upload_url: string;
}

export async function begin(
  harness: SandboxHarness,
  who: SignedIn,
  size: number = MEDIA_FIXTURES.reel.bytes.length,
  chunkSize = size,
  info: object = {},
): Promise<StartedUpload> {
  const { body, text } = await call(harness, who, 'video/init', videoInit(announced(size, chunkSize), info));
  if (body.error.code !== 'ok') throw new Error(text);
  return body.data;
}

/** A chunk, or everything from `from` on. */
export function put(
  harness: SandboxHarness,
  url: string,
  bytes: Uint8Array,
  from = 0,
  to = bytes.length,
  headers: Readonly<Record<string, string>> = {},
): Promise<SeenItem> {
  const about = { 'Content-Type': 'video/mp4', 'Content-Range': `bytes ${from}-${to - 1}/${bytes.length}` };
  return harness.ask('PUT', url, { raw: bytes.subarray(from, to), headers: { ...about, ...headers } });
}

export async function published(
  harness: SandboxHarness,
  who: SignedIn,
  name: FixtureName = 'reel',
  info: object = {},
): Promise<string> {
  const { bytes } = MEDIA_FIXTURES[name];
  const { publish_id: id, upload_url: url } = await begin(harness, who, bytes.length, bytes.length, info);
  const { status } = await put(harness, url, bytes);
  if (status !== 201) throw new Error(`The upload was answered with ${status}.`);
  return id;
}

export const look = (harness: SandboxHarness, who: SignedIn, publishId: unknown): Promise<SeenItem> =>
  call(harness, who, 'status/fetch', { publish_id: publishId });

export async function statusOf(
  harness: SandboxHarness,
  who: SignedIn,
  publishId: string,
): Promise<{
  readonly status: string;
  readonly fail_reason: string;
  readonly uploaded_bytes: number;
  readonly downloaded_bytes: number;
}> {
  return (await look(harness, who, publishId)).body.data;
}

/** The ids as they were written, because a JSON parser would round them. */
export async function postIdsOf(harness: SandboxHarness, who: SignedIn, publishId: string): Promise<string> {
  return /"publicaly_available_post_id":\[(.*?)\]/.exec((await look(harness, who, publishId)).text)![1]!;
}

export function list(
  harness: SandboxHarness,
  who: SignedIn,
  fields = 'id,create_time,share_url,title,video_description,duration',
  body: object = {},
): Promise<SeenItem> {
  return harness.ask('POST', `${API}/video/list/?fields=${fields}`, { token: who.token, json: body });
}

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

export const fault = (harness: SandboxHarness, name: string, more: object = {}): Promise<void> =>
  setFault(harness, { network: 'tiktok', fault: name, ...more });
export const faultsLeft = async (harness: SandboxHarness): Promise<readonly object[]> =>
  (await harness.ask('GET', '/sandbox/faults')).body.faults;
