import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';

/** `photo` serves a picture, `hook` takes an event; both at once. */
export const FRIENDLY = ['photo', 'hook'] as const;
/**
 * `silent` answers nothing; `slow` says that it has a picture and sends it as slowly as is borne; `heavy` serves a
 * picture of many bytes that is refused once it was looked into, so that no conversion follows; `late` takes an event
 * after some seconds. While they are to do no harm, they answer 404 at once.
 */
export const HARMFUL = ['silent', 'slow', 'heavy', 'late'] as const;
export type HostKind = (typeof FRIENDLY)[number] | (typeof HARMFUL)[number];

/** What the process of the harmful ones is told. */
export type HostsOrder =
  | { readonly kind: 'open'; readonly certificate: string; readonly key: string }
  | { readonly kind: 'harm'; readonly isHarmful: boolean };
export interface HostsReady {
  readonly port: number;
}

export interface AnsweringHosts {
  readonly port: number;
  setHarmful(isHarmful: boolean): void;
  close(): Promise<void>;
}

const LATE_MS = 8_000;
const SLOW_BYTES = 8_000_000;
const PIECE = Buffer.alloc(40_000, 'p');
const PIECE_EVERY_MS = 1_000;

/** All kinds at one port, told apart by the name that is asked for. `onEvent` is called with what `hook` receives. */
export async function openHosts({
  certificate,
  key,
  onEvent = () => {},
}: {
  readonly certificate: string;
  readonly key: string;
  readonly onEvent?: (eventId: string) => void;
}): Promise<AnsweringHosts> {
  const harmed = new Set<ServerResponse>();
  let isHarmful = false;
  const harm = (response: ServerResponse, begin: () => void): void => {
    if (!isHarmful) return void response.writeHead(404).end();
    harmed.add(response.on('close', () => harmed.delete(response)));
    begin();
  };
  const answerers: Readonly<Record<HostKind, (request: IncomingMessage, response: ServerResponse) => void>> = {
    photo: ({ method }, response) => sendPicture(response, PHOTO, method === 'HEAD'),
    hook: (request, response) =>
      void text(request)
        .then((body) => {
          if (request.method === 'POST') onEvent((JSON.parse(body) as { readonly id: string }).id);
          response.writeHead(204).end();
        })
        .catch(() => response.destroy()),
    silent: (_request, response) => harm(response, () => {}),
    slow: ({ method }, response) => harm(response, () => sendSlowly(response, method === 'HEAD')),
    heavy: ({ method }, response) => harm(response, () => sendPicture(response, HEAVY, method === 'HEAD')),
    late: (request, response) => {
      request.resume();
      harm(response, () => void setTimeout(() => response.writeHead(204).end(), LATE_MS).unref());
    },
  };
  const server = createServer({ cert: certificate, key }, (request, response) => {
    response.on('error', () => {});
    const kind = /^([a-z]+)\d+\./.exec(request.headers.host ?? '')?.[1] as HostKind | undefined;
    const answerer = kind === undefined ? undefined : answerers[kind];
    if (answerer === undefined) response.writeHead(404).end();
    else answerer(request, response);
  });
  server.on('tlsClientError', () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    setHarmful: (harms) => {
      isHarmful = harms;
      if (!harms) for (const response of harmed) response.destroy();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const { bytes: PHOTO, contentType: PHOTO_TYPE } = MEDIA_FIXTURES.photo;

const HEAVY_BYTES = 1_000_000;
const HEAVY = heavyPicture();

/** A JPEG whose header says that it has a thousand million pixels, which only a look at all of its bytes tells. */
function heavyPicture(): Buffer {
  const startOfFrame = Buffer.from([0xff, 0xc0]);
  const sideAt = 5;
  const bytes = Buffer.concat([PHOTO], HEAVY_BYTES);
  const at = bytes.indexOf(startOfFrame);
  if (at < 0) throw new Error('the photo is no baseline JPEG');
  bytes.fill(0x7f, at + sideAt, at + sideAt + 4);
  return bytes;
}

function sendPicture(response: ServerResponse, bytes: Uint8Array, isHead: boolean): void {
  response.writeHead(200, { 'content-type': PHOTO_TYPE, 'content-length': bytes.length });
  response.end(isHead ? undefined : bytes);
}

function sendSlowly(response: ServerResponse, isHead: boolean): void {
  response.writeHead(200, { 'content-type': PHOTO_TYPE, 'content-length': SLOW_BYTES });
  if (isHead) return void response.end();
  // A file that begins as a picture does: what is none is given up at its first bytes.
  response.write(PHOTO);
  const next = setInterval(() => response.write(PIECE), PIECE_EVERY_MS);
  response.on('close', () => clearInterval(next));
}
