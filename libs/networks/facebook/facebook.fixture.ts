import { prepareOn, publicationOf, renditionOf } from '#testing/publication.ts';
import { jsonAnswer, scriptedNetwork, type Scripted, type ScriptedStep } from '#testing/scripted-network.ts';
import type { HttpRequest } from '#ports/http-client.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import type { NetworkEndpoints, Publication } from '../contract/adapter.ts';
import { createFacebookAdapter } from './adapter.ts';

export const ARMED_AT = Date.UTC(2026, 10, 20, 12);
export const GRAPH = 'https://graph.test/v25.0';
export const VIDEO = 'https://video.test/v25.0';

export const ENDPOINTS: NetworkEndpoints = {
  api: 'https://graph.test',
  authorize: 'https://dialog.test',
  site: 'https://www.facebook.com',
  hosts: { video: 'https://video.test' },
  clientId: 'app',
  clientSecret: 'hush',
};

export const adapter = createFacebookAdapter(ENDPOINTS);

export const photo = (name: string, more: Partial<Rendition> = {}): Rendition =>
  renditionOf(Buffer.from(`jpeg of ${name}`), { kind: 'image', contentType: 'image/jpeg', sha256: name, ...more });

/** A video whose byte at each place is known, so that no test holds one in memory. */
export function video(bytes: number, more: Partial<Rendition> = {}): Rendition {
  const small = renditionOf(new Uint8Array(), { kind: 'video', contentType: 'video/mp4', sha256: 'v1', ...more });
  return {
    ...small,
    width: 1920,
    height: 1080,
    durationMs: 20_000,
    ...more,
    bytes,
    read: async (from, to) => new Uint8Array(to - from),
  };
}

export const upright = (bytes: number, more: Partial<Rendition> = {}): Rendition =>
  video(bytes, { width: 1080, height: 1920, ...more });

export function work(media: readonly Rendition[], script: readonly ScriptedStep[], more: Partial<Publication> = {}) {
  const network = scriptedNetwork(...script);
  return {
    publication: publicationOf({ http: network.http, text: 'Hello & 見て', media, now: ARMED_AT, ...more }),
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
  const { answer } = await prepareOn(adapter, publication, from, 100);
  return { answer, asked, handle: answer.handle ?? null };
}

export const id = (value: string) => jsonAnswer(200, { id: value });
export const success = (more: object = {}) => jsonAnswer(200, { success: true, ...more });
export const refusal = (status: number, code: number, subcode?: number, more: object = {}) =>
  jsonAnswer(status, {
    error: { message: 'm', code, ...(subcode === undefined ? {} : { error_subcode: subcode }), ...more },
  });
/** Answers after which a publish request is sent again, and how `failure.retry` calls each. */
export const SENT_AGAIN_AFTER: readonly (readonly [string, Scripted, string])[] = [
  ['a limit', refusal(400, 32), 'later'],
  ['no connection', { cut: 'before' }, 'later'],
  ['a token that is refused', refusal(400, 190), 'refresh'],
];
export const jsonOf = (request: HttpRequest | undefined): unknown => JSON.parse(String(request?.body));
/** The parts of a multipart body, the file's as its length and start. */
export const textOf = (request: HttpRequest | undefined): string =>
  Buffer.from(request?.body as Uint8Array)
    .toString('latin1')
    .slice(0, 600);
