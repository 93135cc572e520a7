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

const SIM = '/sim/youtube';
const DATA = `${SIM}/youtube/v3`;
export const UPLOAD_URL = `${SIM}/upload/youtube/v3/videos`;
/** Longer than any processing takes in tests. */
export const PROCESSED_MS = 1_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

const AUTH = 'https://www.googleapis.com/auth/';
export const SCOPES = `${AUTH}youtube.upload ${AUTH}youtube.readonly ${AUTH}yt-analytics.readonly`;

export function youtubeAuthUrl(extra: Readonly<Record<string, string>> = {}): string {
  const call = {
    response_type: 'code',
    client_id: SANDBOX_APP.clientId,
    redirect_uri: REDIRECT,
    scope: SCOPES,
    state: 's1',
    access_type: 'offline',
    prompt: 'consent',
    include_granted_scopes: 'true',
  };
  return `${SIM}/o/oauth2/v2/auth?${new URLSearchParams({ ...call, auto_approve: '1', account_name: 'Noor', ...extra })}`;
}

const CLIENT = { client_id: SANDBOX_APP.clientId, client_secret: SANDBOX_APP.clientSecret };

export const youtubeCodeForm = (code: string) => ({
  ...CLIENT,
  code,
  grant_type: 'authorization_code',
  redirect_uri: REDIRECT,
});
export const youtubeRefreshForm = (refreshToken: string) => ({
  ...CLIENT,
  grant_type: 'refresh_token',
  refresh_token: refreshToken,
});
export const token = (harness: SandboxHarness, form: Readonly<Record<string, string>>): Promise<SeenItem> =>
  harness.ask('POST', `${SIM}/token`, { form });

export async function signInYoutube(
  harness: SandboxHarness,
  extra: Readonly<Record<string, string>> = {},
): Promise<SignedIn> {
  const { body } = await token(harness, youtubeCodeForm(await codeFrom(harness, youtubeAuthUrl(extra))));
  const channels = await harness.ask('GET', `${DATA}/channels?part=snippet&mine=true`, { token: body.access_token });
  const channel = channels.body.items?.[0];
  return {
    token: body.access_token,
    refreshToken: body.refresh_token ?? '',
    accountId: channel?.id ?? '',
    username: channel?.snippet.customUrl ?? '',
  };
}

/** Access tokens expire; tests that take longer sign in again. */
export const again = (harness: SandboxHarness, who: SignedIn): Promise<SignedIn> =>
  signInYoutube(harness, { account: who.accountId });

export async function youtube(
  options: Partial<SandboxOptions> = {},
): Promise<{ readonly harness: SandboxHarness; readonly who: SignedIn }> {
  const harness = createHarness(options);
  return { harness, who: await signInYoutube(harness) };
}

export const metadata = (snippet: object = {}, status: object = {}) => ({
  snippet: { title: 'A film', description: 'What it shows', categoryId: '22', ...snippet },
  status: { privacyStatus: 'public', selfDeclaredMadeForKids: false, ...status },
});

export interface Start {
  readonly body?: unknown;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function start(
  harness: SandboxHarness,
  who: Pick<SignedIn, 'token'>,
  size: number,
  { body = metadata(), query, headers = {} }: Start = {},
): Promise<SeenItem> {
  const call = query ?? 'uploadType=resumable&part=snippet,status&notifySubscribers=true';
  const about = { 'X-Upload-Content-Type': 'video/mp4', 'X-Upload-Content-Length': String(size), ...headers };
  return harness.ask('POST', `${UPLOAD_URL}?${call}`, { token: who.token, json: body, headers: about });
}

/** Starts an upload and returns its address. */
export async function begin(
  harness: SandboxHarness,
  who: SignedIn,
  size: number = MEDIA_FIXTURES.film.bytes.length,
  body: unknown = metadata(),
): Promise<string> {
  const { status, headers, text } = await start(harness, who, size, { body });
  if (status !== 200) throw new Error(text);
  return headers['location']!;
}

export function put(
  harness: SandboxHarness,
  url: string,
  bytes: Uint8Array,
  range = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<SeenItem> {
  return harness.ask('PUT', url, {
    raw: bytes,
    headers: { ...(range === '' ? {} : { 'Content-Range': range }), ...headers },
  });
}

export const chunk = (
  harness: SandboxHarness,
  url: string,
  all: Uint8Array,
  from: number,
  to: number,
): Promise<SeenItem> => put(harness, url, all.subarray(from, to), `bytes ${from}-${to - 1}/${all.length}`);
export const question = (harness: SandboxHarness, url: string, total: number | '*'): Promise<SeenItem> =>
  put(harness, url, new Uint8Array(), `bytes */${total}`);

/** The id of a completely uploaded video. */
export async function uploaded(
  harness: SandboxHarness,
  who: SignedIn,
  name: FixtureName = 'film',
  body: unknown = metadata(),
): Promise<string> {
  const { bytes } = MEDIA_FIXTURES[name];
  const { status, text, body: video } = await put(harness, await begin(harness, who, bytes.length, body), bytes);
  if (status !== 201) throw new Error(`${status} ${text}`);
  return video.id;
}

export function get(
  harness: SandboxHarness,
  who: Pick<SignedIn, 'token'>,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<SeenItem> {
  return harness.ask('GET', `${DATA}/${path}?${new URLSearchParams(query)}`, { token: who.token });
}

/** With every scope that the product can ask for. */
const MANAGING_SCOPES = `${SCOPES} ${AUTH}youtube.force-ssl`;

/** A call of the Data API with a JSON body. */
export function send(
  harness: SandboxHarness,
  who: Pick<SignedIn, 'token'>,
  path: string,
  json: unknown,
  part = 'snippet',
): Promise<SeenItem> {
  return harness.ask('POST', `${DATA}/${path}?part=${part}`, { token: who.token, json });
}

export const setApp = (harness: SandboxHarness, to: object): Promise<SeenItem> =>
  harness.ask('POST', '/sandbox/apps', { json: { network: 'youtube', ...to } });

/** A channel whose person allowed everything that the product can ask for. */
export async function managedYoutube(
  options: Partial<SandboxOptions> = {},
): Promise<{ readonly harness: SandboxHarness; readonly who: SignedIn }> {
  const harness = createHarness(options);
  return { harness, who: await signInYoutube(harness, { scope: MANAGING_SCOPES }) };
}

export async function videoOf(
  harness: SandboxHarness,
  who: SignedIn,
  id: string,
  part = 'status,processingDetails',
): Promise<any> {
  return (await get(harness, who, 'videos', { part, id })).body.items[0];
}

export function uploads(
  harness: SandboxHarness,
  who: SignedIn,
  more: Readonly<Record<string, string>> = {},
): Promise<SeenItem> {
  return get(harness, who, 'playlistItems', {
    part: 'snippet,contentDetails',
    playlistId: `UU${who.accountId}`,
    maxResults: '25',
    ...more,
  });
}

export const METRICS =
  'views,likes,comments,shares,estimatedMinutesWatched,averageViewDuration,averageViewPercentage,subscribersGained';

export function report(
  harness: SandboxHarness,
  who: Pick<SignedIn, 'token'>,
  query: Readonly<Record<string, string>>,
): Promise<SeenItem> {
  const call = { ids: 'channel==MINE', startDate: '2026-11-01', endDate: '2027-12-31', metrics: METRICS, ...query };
  return harness.ask(
    'GET',
    `${SIM}/v2/reports?${new URLSearchParams(Object.entries(call).filter(([, value]) => value !== ''))}`,
    { token: who.token },
  );
}

export async function live(harness: SandboxHarness): Promise<readonly any[]> {
  return (await harness.ask('GET', '/sandbox/items')).body.items;
}

export function mediaOf(name: FixtureName): readonly object[] {
  return [
    {
      sha256: MEDIA_FIXTURES[name].sha256,
      bytes: MEDIA_FIXTURES[name].bytes.length,
      contentType: MEDIA_FIXTURES[name].contentType,
    },
  ];
}

export const fault = (harness: SandboxHarness, name: string, more: object = {}): Promise<void> =>
  setFault(harness, { network: 'youtube', fault: name, ...more });
export const faultsLeft = async (harness: SandboxHarness): Promise<readonly object[]> =>
  (await harness.ask('GET', '/sandbox/faults')).body.faults;
export const setLimits = (harness: SandboxHarness, limits: object): Promise<SeenItem> =>
  harness.ask('POST', '/sandbox/limits', { json: { network: 'youtube', limits } });
