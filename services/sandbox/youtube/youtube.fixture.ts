import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import type { FixtureName } from '#testing/media-fixtures.ts';
import { codeFrom, createBench, REDIRECT, setFault } from '../sandbox.fixture.ts';
import type { SandboxHarness, SeenItem, SignedIn } from '../sandbox.fixture.ts';
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
  const asked = {
    response_type: 'code',
    client_id: SANDBOX_APP.clientId,
    redirect_uri: REDIRECT,
    scope: SCOPES,
    state: 's1',
    access_type: 'offline',
    prompt: 'consent',
    include_granted_scopes: 'true',
  };
  return `${SIM}/o/oauth2/v2/auth?${new URLSearchParams({ ...asked, auto_approve: '1', account_name: 'Noor', ...extra })}`;
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
export const token = (bench: SandboxHarness, form: Readonly<Record<string, string>>): Promise<SeenItem> =>
  bench.ask('POST', `${SIM}/token`, { form });

export async function signInYoutube(
  bench: SandboxHarness,
  extra: Readonly<Record<string, string>> = {},
): Promise<SignedIn> {
  const { body } = await token(bench, youtubeCodeForm(await codeFrom(bench, youtubeAuthUrl(extra))));
  const channels = await bench.ask('GET', `${DATA}/channels?part=snippet&mine=true`, { token: body.access_token });
  const channel = channels.body.items?.[0];
  return {
    token: body.access_token,
    refreshToken: body.refresh_token ?? '',
    accountId: channel?.id ?? '',
    username: channel?.snippet.customUrl ?? '',
  };
}

/** Access tokens expire; tests that take longer sign in again. */
export const again = (bench: SandboxHarness, who: SignedIn): Promise<SignedIn> =>
  signInYoutube(bench, { account: who.accountId });

export async function youtube(
  options: Partial<SandboxOptions> = {},
): Promise<{ readonly bench: SandboxHarness; readonly who: SignedIn }> {
  const bench = createBench(options);
  return { bench, who: await signInYoutube(bench) };
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
  bench: SandboxHarness,
  who: Pick<SignedIn, 'token'>,
  size: number,
  { body = metadata(), query, headers = {} }: Start = {},
): Promise<SeenItem> {
  const asked = query ?? 'uploadType=resumable&part=snippet,status&notifySubscribers=true';
  const about = { 'X-Upload-Content-Type': 'video/mp4', 'X-Upload-Content-Length': String(size), ...headers };
  return bench.ask('POST', `${UPLOAD_URL}?${asked}`, { token: who.token, json: body, headers: about });
}

/** Starts an upload and returns its address. */
export async function begin(
  bench: SandboxHarness,
  who: SignedIn,
  size: number = MEDIA_FIXTURES.film.bytes.length,
  body: unknown = metadata(),
): Promise<string> {
  const { status, headers, text } = await start(bench, who, size, { body });
  if (status !== 200) throw new Error(text);
  return headers['location']!;
}

export function put(
  bench: SandboxHarness,
  url: string,
  bytes: Uint8Array,
  range = '',
  headers: Readonly<Record<string, string>> = {},
): Promise<SeenItem> {
  return bench.ask('PUT', url, {
    raw: bytes,
    headers: { ...(range === '' ? {} : { 'Content-Range': range }), ...headers },
  });
}

export const chunk = (
  bench: SandboxHarness,
  url: string,
  all: Uint8Array,
  from: number,
  to: number,
): Promise<SeenItem> => put(bench, url, all.subarray(from, to), `bytes ${from}-${to - 1}/${all.length}`);
export const question = (bench: SandboxHarness, url: string, total: number | '*'): Promise<SeenItem> =>
  put(bench, url, new Uint8Array(), `bytes */${total}`);

/** The id of a completely uploaded video. */
export async function uploaded(
  bench: SandboxHarness,
  who: SignedIn,
  name: FixtureName = 'film',
  body: unknown = metadata(),
): Promise<string> {
  const { bytes } = MEDIA_FIXTURES[name];
  const { status, text, body: video } = await put(bench, await begin(bench, who, bytes.length, body), bytes);
  if (status !== 201) throw new Error(`${status} ${text}`);
  return video.id;
}

export function get(
  bench: SandboxHarness,
  who: Pick<SignedIn, 'token'>,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<SeenItem> {
  return bench.ask('GET', `${DATA}/${path}?${new URLSearchParams(query)}`, { token: who.token });
}

export async function videoOf(
  bench: SandboxHarness,
  who: SignedIn,
  id: string,
  part = 'status,processingDetails',
): Promise<any> {
  return (await get(bench, who, 'videos', { part, id })).body.items[0];
}

export function uploads(
  bench: SandboxHarness,
  who: SignedIn,
  more: Readonly<Record<string, string>> = {},
): Promise<SeenItem> {
  return get(bench, who, 'playlistItems', {
    part: 'snippet,contentDetails',
    playlistId: `UU${who.accountId}`,
    maxResults: '25',
    ...more,
  });
}

export const METRICS =
  'views,likes,comments,shares,estimatedMinutesWatched,averageViewDuration,averageViewPercentage,subscribersGained';

export function report(
  bench: SandboxHarness,
  who: Pick<SignedIn, 'token'>,
  query: Readonly<Record<string, string>>,
): Promise<SeenItem> {
  const asked = { ids: 'channel==MINE', startDate: '2026-11-01', endDate: '2027-12-31', metrics: METRICS, ...query };
  return bench.ask(
    'GET',
    `${SIM}/v2/reports?${new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== ''))}`,
    { token: who.token },
  );
}

export async function live(bench: SandboxHarness): Promise<readonly any[]> {
  return (await bench.ask('GET', '/sandbox/items')).body.items;
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

export const fault = (bench: SandboxHarness, name: string, more: object = {}): Promise<void> =>
  setFault(bench, { network: 'youtube', fault: name, ...more });
export const faultsLeft = async (bench: SandboxHarness): Promise<readonly object[]> =>
  (await bench.ask('GET', '/sandbox/faults')).body.faults;
export const setLimits = (bench: SandboxHarness, limits: object): Promise<SeenItem> =>
  bench.ask('POST', '/sandbox/limits', { json: { network: 'youtube', limits } });
