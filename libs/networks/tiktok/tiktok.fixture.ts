import type { HttpRequest } from '#ports/http-client.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import { prepareOn, publicationOf, renditionOf } from '#testing/publication.ts';
import { jsonAnswer, scriptedNetwork, type Scripted, type ScriptedStep } from '#testing/scripted-network.ts';
import type { Publication } from '../contract/adapter.ts';
import { createTikTokAdapter } from './adapter.ts';

export const NOW = Date.UTC(2026, 10, 20, 12);
export const API = 'https://tiktok.test';
export const UPLOAD_URL = 'https://open-upload.tiktokapis.com/video/?upload_id=1&upload_token=hushhush';
export const CHUNK = 8 * 1024 * 1024;

export const adapter = createTikTokAdapter({
  api: API,
  authorize: 'https://tiktok.test/auth/',
  site: 'https://www.tiktok.com',
  hosts: {},
  clientId: 'app',
  clientSecret: 'hush',
});

export const photo = (name: string, more: Partial<Rendition> = {}): Rendition =>
  renditionOf(Buffer.from(`jpeg of ${name}`), { kind: 'image', contentType: 'image/jpeg', sha256: name, ...more });

/** A video of so many bytes, none of them held in memory. */
export function video(bytes: number, more: Partial<Rendition> = {}): Rendition {
  const small = renditionOf(new Uint8Array(), { kind: 'video', contentType: 'video/mp4', sha256: 'v1' });
  return {
    ...small,
    width: 1080,
    height: 1920,
    durationMs: 20_000,
    ...more,
    bytes,
    read: more.read ?? (async (from, to) => new Uint8Array(to - from)),
  };
}

export function work(media: readonly Rendition[], script: readonly ScriptedStep[], more: Partial<Publication> = {}) {
  const network = scriptedNetwork(...script);
  return {
    publication: publicationOf({
      http: network.http,
      accessToken: 'act.secret',
      text: 'Hello 見て',
      options: { privacy: 'public' },
      media,
      now: NOW,
      ...more,
    }),
    asked: network.asked,
  };
}

/** Prepares until nothing more happens at once, as the publisher does. */
export async function prepareAll(
  media: readonly Rendition[],
  script: readonly ScriptedStep[],
  more: Partial<Publication> = {},
  from: string | null = null,
) {
  const { publication, asked } = work(media, script, more);
  const { answer, handles } = await prepareOn(adapter, publication, from, 399);
  return { answer, asked, steps: handles.length + 1 };
}

export const ok = (data: object) => jsonAnswer(200, { data, error: { code: 'ok', message: '', log_id: 'l' } });
export const refusal = (status: number, code: string, message = 'm') =>
  jsonAnswer(status, { data: {}, error: { code, message, log_id: 'l' } });
export const creator = (more: object = {}) =>
  ok({
    creator_username: 'ada.l',
    privacy_level_options: ['PUBLIC_TO_EVERYONE', 'MUTUAL_FOLLOW_FRIENDS', 'SELF_ONLY'],
    comment_disabled: false,
    duet_disabled: true,
    stitch_disabled: false,
    max_video_post_duration_sec: 300,
    ...more,
  });
export const begun = (more: object = {}) => ok({ publish_id: 'v_pub_file~1', upload_url: UPLOAD_URL, ...more });
export const status = (word: string, more: object = {}) =>
  ok({
    status: word,
    fail_reason: '',
    publicaly_available_post_id: [],
    uploaded_bytes: 0,
    downloaded_bytes: 0,
    ...more,
  });
/** An answer of the upload host; `received`: how many bytes it has. */
export const taken = (code: number, received?: number, total = 20 * CHUNK): Scripted => ({
  status: code,
  headers: received === undefined ? {} : { 'content-range': `bytes 0-${received - 1}/${total}` },
  body: '',
});

export const videoHandle = (more: object = {}): string =>
  JSON.stringify({
    kind: 'video',
    publishId: 'v_pub_file~1',
    uploadUrl: UPLOAD_URL,
    file: 'v1',
    bytes: 1_000,
    chunkBytes: 1_000,
    from: 0,
    corrections: 0,
    gone: false,
    creator: 'ada.l',
    privacy: 'PUBLIC_TO_EVERYONE',
    since: NOW,
    ...more,
  });
export const photosHandle = (more: object = {}): string =>
  JSON.stringify({
    kind: 'photos',
    publishId: null,
    isCommentOff: false,
    creator: 'ada.l',
    privacy: 'PUBLIC_TO_EVERYONE',
    since: NOW,
    ...more,
  });
export const jsonOf = (request: HttpRequest | undefined): any => JSON.parse(String(request?.body));
export const pathsOf = (asked: readonly HttpRequest[]): readonly string[] =>
  asked.map(({ method, url }) => `${method} ${new URL(url).pathname}`);
