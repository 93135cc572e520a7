import type { HttpRequest } from '#ports/http-client.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import { prepareOn, publicationOf, renditionOf } from '#testing/publication.ts';
import { jsonAnswer, scriptedNetwork, type Scripted, type ScriptedStep } from '#testing/scripted-network.ts';
import type { NetworkEndpoints, Publication } from '../contract/adapter.ts';
import { createYouTubeAdapter } from './adapter.ts';

export const NOW = Date.UTC(2026, 10, 20, 12);
export const API = 'https://yt.test/youtube/v3';
export const UPLOAD = 'https://yt.test/upload/youtube/v3';
export const SESSION = 'https://www.googleapis.com/upload/youtube/v3/videos?uploadType=resumable&upload_id=hushhush';
export const PART = 8 * 1024 * 1024;

export const endpoints: NetworkEndpoints = {
  api: API,
  authorize: 'https://yt.test/o/oauth2/v2/auth',
  site: 'https://www.youtube.com',
  hosts: { token: 'https://yt.test/token', upload: UPLOAD, analytics: 'https://yt.test/v2' },
  clientId: 'app',
  clientSecret: 'app-secret',
};

export const adapter = createYouTubeAdapter(endpoints);

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
  const facts = { uploads: 'UU7' };
  return {
    publication: publicationOf({
      http: network.http,
      accessToken: 'ya29.secret',
      accountFacts: facts,
      text: 'Hello 見て. More.',
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

export const begun = (location: string | null = SESSION): Scripted => ({
  status: 200,
  headers: location === null ? {} : { location },
  body: '',
});
/** A session that has so many bytes. */
export const has = (received: number): Scripted => ({
  status: 308,
  headers: received === 0 ? {} : { range: `bytes=0-${received - 1}` },
  body: '',
});
export const whole = (status = 201, id: string | null = 'vid1', privacyStatus = 'public') =>
  jsonAnswer(status, {
    kind: 'youtube#video',
    ...(id === null ? {} : { id }),
    status: { uploadStatus: 'uploaded', privacyStatus },
  });
export const nothing = (status: number): Scripted => ({ status, headers: {}, body: '' });
export const refusal = (
  status: number,
  reason: string,
  message = 'm',
  headers: Readonly<Record<string, string>> = {},
) => jsonAnswer(status, { error: { code: status, message, errors: [{ message, domain: 'd', reason }] } }, headers);
export const seen = (uploadStatus: string, more: object = {}, processingStatus = 'processing') =>
  jsonAnswer(200, {
    items: [
      {
        id: 'vid1',
        status: { uploadStatus, privacyStatus: 'public', ...more },
        processingDetails: { processingStatus },
      },
    ],
  });
export const unseen = jsonAnswer(200, { items: [] });

export const handleOf = (more: object = {}): string =>
  JSON.stringify({
    session: SESSION,
    file: 'v1',
    bytes: 1_000,
    from: 0,
    toldAt: NOW,
    corrections: 0,
    since: NOW,
    video: null,
    ...more,
  });
export const jsonOf = (request: HttpRequest | undefined): any => JSON.parse(String(request?.body));
export const rangesOf = (asked: readonly HttpRequest[]): readonly string[] =>
  asked.flatMap(({ headers }) => headers?.['content-range'] ?? []);
export const pathsOf = (asked: readonly HttpRequest[]): readonly string[] =>
  asked.map(({ method, url }) => `${method} ${new URL(url).pathname}`);
