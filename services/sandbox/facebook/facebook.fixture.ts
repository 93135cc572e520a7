import { createMemoryDownload } from '#adapters/memory/download.ts';
import { MEDIA_FIXTURES, type FixtureName } from '#testing/media-fixtures.ts';
import {
  codeFrom,
  createHarness,
  REDIRECT,
  type SandboxAsk,
  type SandboxHarness,
  type SeenItem,
} from '../sandbox.fixture.ts';
import type { SandboxOptions } from '../sandbox.ts';
import { SANDBOX_APP } from '../simulators.ts';

export const API = '/sim/facebook/v25.0';
export const DAY_MS = 24 * 3_600_000;
/** Longer than any processing takes in tests, and longer than a publication takes to appear in lists. */
export const PROCESSED_MS = 1_000;
export const SCOPES = 'pages_show_list,pages_read_engagement,pages_manage_posts';

const MEDIA = 'https://media.test';
export const fileUrl = (name: string): string => `${MEDIA}/${name}`;

/** A Page, with the token of the person who manages it. */
export interface OwnPage {
  readonly token: string;
  readonly pageId: string;
  readonly personToken: string;
}

/** With the fixtures at `fileUrl` of their names, and other files at theirs. */
export function facebookHarness(
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

export function dialogUrl(extra: Readonly<Record<string, string>> = {}): string {
  const call = {
    response_type: 'code',
    client_id: SANDBOX_APP.clientId,
    redirect_uri: REDIRECT,
    scope: SCOPES,
    state: 's1',
  };
  return `${API}/dialog/oauth?${new URLSearchParams({ ...call, auto_approve: '1', account_name: 'Bakery', ...extra })}`;
}

const app = { client_id: SANDBOX_APP.clientId, client_secret: SANDBOX_APP.clientSecret };
export const codeQuery = (code: string): Readonly<Record<string, string>> => ({ ...app, redirect_uri: REDIRECT, code });
export const exchangeQuery = (token: string): Readonly<Record<string, string>> => ({
  ...app,
  grant_type: 'fb_exchange_token',
  fb_exchange_token: token,
});

export function get(
  harness: SandboxHarness,
  path: string,
  query: Readonly<Record<string, string>> = {},
  ask: SandboxAsk = {},
): Promise<SeenItem> {
  return harness.ask('GET', `${API}/${path}?${new URLSearchParams(query)}`, ask);
}

/** A person's short-lived token. */
export async function shortToken(
  harness: SandboxHarness,
  extra: Readonly<Record<string, string>> = {},
): Promise<string> {
  return (await get(harness, 'oauth/access_token', codeQuery(await codeFrom(harness, dialogUrl(extra))))).body
    .access_token;
}

/** A person's token of sixty days. */
export async function personToken(
  harness: SandboxHarness,
  extra: Readonly<Record<string, string>> = {},
): Promise<string> {
  return (await get(harness, 'oauth/access_token', exchangeQuery(await shortToken(harness, extra)))).body.access_token;
}

/** All Pages of a new sign-in. */
export async function signInPages(
  harness: SandboxHarness,
  extra: Readonly<Record<string, string>> = {},
): Promise<readonly OwnPage[]> {
  const token = await personToken(harness, extra);
  const { body } = await get(harness, 'me/accounts', { fields: 'id,access_token' }, { token });
  return body.data.map((page: { readonly id: string; readonly access_token: string }) => ({
    token: page.access_token,
    pageId: page.id,
    personToken: token,
  }));
}

export async function signInPage(
  harness: SandboxHarness,
  extra: Readonly<Record<string, string>> = {},
): Promise<OwnPage> {
  return (await signInPages(harness, extra))[0]!;
}

export async function facebook(
  more: Readonly<Record<string, Uint8Array>> = {},
): Promise<{ readonly harness: SandboxHarness; readonly page: OwnPage }> {
  const harness = facebookHarness(more);
  return { harness, page: await signInPage(harness) };
}

/** An edge of the Page. */
export function post(
  harness: SandboxHarness,
  { pageId, token }: OwnPage,
  edge: string,
  ask: SandboxAsk,
): Promise<SeenItem> {
  return harness.ask('POST', `${API}/${pageId}/${edge}`, { token, ...ask });
}

/** An object, or an edge, by `fields`. */
export function read(
  harness: SandboxHarness,
  { token }: OwnPage,
  path: string,
  fields: string,
  query: Readonly<Record<string, string>> = {},
): Promise<SeenItem> {
  return get(harness, path, { ...(fields === '' ? {} : { fields }), ...query }, { token });
}

/** The id of an unpublished photo. */
export async function photo(
  harness: SandboxHarness,
  page: OwnPage,
  name: FixtureName = 'photo',
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { status, text, body } = await post(harness, page, 'photos', {
    form: { url: fileUrl(name), published: 'false', ...more },
  });
  if (status !== 200) throw new Error(text);
  return body.id;
}

export const attached = (...ids: readonly string[]): readonly object[] => ids.map((id) => ({ media_fbid: id }));

/** The id of an unpublished post. */
export async function draft(
  harness: SandboxHarness,
  page: OwnPage,
  message: string,
  ...photoIds: readonly string[]
): Promise<string> {
  const { status, text, body } = await post(harness, page, 'feed', {
    json: { message, published: false, ...(photoIds.length === 0 ? {} : { attached_media: attached(...photoIds) }) },
  });
  if (status !== 200) throw new Error(text);
  return body.id;
}

export function publish(harness: SandboxHarness, { token }: OwnPage, postId: string): Promise<SeenItem> {
  return harness.ask('POST', `${API}/${postId}`, { token, json: { is_published: true } });
}

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

/** A multipart body with a file in it. */
export function partsOf(
  fields: Readonly<Record<string, string>>,
  file?: { readonly name: string; readonly bytes: Uint8Array },
): FormData {
  const parts = new FormData();
  for (const [name, value] of Object.entries(fields)) parts.set(name, value);
  if (file !== undefined) parts.set(file.name, new Blob([new Uint8Array(file.bytes)]), 'file');
  return parts;
}

export interface FacebookSession {
  readonly upload_session_id: string;
  readonly video_id: string;
}

export async function startSession(harness: SandboxHarness, page: OwnPage, size: number): Promise<FacebookSession> {
  const { status, text, body } = await post(harness, page, 'videos', {
    form: { upload_phase: 'start', file_size: String(size) },
  });
  if (status !== 200) throw new Error(text);
  return body;
}

export function transfer(
  harness: SandboxHarness,
  page: OwnPage,
  { upload_session_id }: FacebookSession,
  offset: number,
  bytes: Uint8Array,
): Promise<SeenItem> {
  const fields = { upload_phase: 'transfer', upload_session_id, start_offset: String(offset) };
  return post(harness, page, 'videos', { parts: partsOf(fields, { name: 'video_file_chunk', bytes }) });
}

export function finish(
  harness: SandboxHarness,
  page: OwnPage,
  { upload_session_id }: FacebookSession,
  more: Readonly<Record<string, string>> = {},
): Promise<SeenItem> {
  return post(harness, page, 'videos', {
    form: { upload_phase: 'finish', upload_session_id, published: 'true', ...more },
  });
}

/** A complete feed video of those bytes. */
export async function uploaded(
  harness: SandboxHarness,
  page: OwnPage,
  bytes: Uint8Array = MEDIA_FIXTURES.film.bytes,
): Promise<FacebookSession> {
  const session = await startSession(harness, page, bytes.length);
  const { status, text } = await transfer(harness, page, session, 0, bytes);
  if (status !== 200) throw new Error(text);
  return session;
}

export type Edge = 'video_reels' | 'video_stories';

export interface Upload {
  readonly video_id: string;
  readonly upload_url: string;
}

export async function startUpload(harness: SandboxHarness, page: OwnPage, edge: Edge): Promise<Upload> {
  return (await post(harness, page, edge, { form: { upload_phase: 'start' } })).body;
}

export function send(
  harness: SandboxHarness,
  { token }: OwnPage,
  { upload_url }: Upload,
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>>,
): Promise<SeenItem> {
  return harness.ask('POST', upload_url, { raw: bytes, headers: { Authorization: `OAuth ${token}`, ...headers } });
}

/** A complete reel or Story of those bytes. */
export async function sent(
  harness: SandboxHarness,
  page: OwnPage,
  edge: Edge,
  bytes: Uint8Array = MEDIA_FIXTURES.reel.bytes,
): Promise<Upload> {
  const upload = await startUpload(harness, page, edge);
  const { status, text } = await send(harness, page, upload, bytes, { offset: '0', file_size: String(bytes.length) });
  if (status !== 200) throw new Error(text);
  return upload;
}

export function finishUpload(
  harness: SandboxHarness,
  page: OwnPage,
  edge: Edge,
  { video_id }: Upload,
  more: Readonly<Record<string, string>> = {},
): Promise<SeenItem> {
  const state: Readonly<Record<string, string>> = edge === 'video_reels' ? { video_state: 'PUBLISHED' } : {};
  return post(harness, page, edge, { form: { upload_phase: 'finish', video_id, ...state, ...more } });
}
