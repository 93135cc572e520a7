import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { createServerIdentity } from '#testing/test-certificates.ts';
import type { Settings } from '../crier-server.ts';

/**
 * Hosts that tenants name, all of them one server. `photo` serves a picture; `silent` answers nothing; `slow` says that
 * it has a picture and sends it as slowly as is borne; `hook` answers at once, `late` after some seconds.
 */
export type HostKind = 'photo' | 'silent' | 'slow' | 'hook' | 'late';

export interface TenantHosts {
  /** Settings by which a server of Crier finds and trusts them. */
  readonly settings: Settings;
  /** Each number is a host of its own. */
  urlOf(kind: HostKind, number: number, path?: string): string;
  /** Resolves when `hook` has received the event. Rejects past the deadline. */
  arrived(eventId: string, withinMs: number): Promise<void>;
  /** From now on, or no longer, the hosts of an attack do harm; otherwise they answer 404 at once. */
  setHarmful(isHarmful: boolean): void;
  close(): Promise<void>;
}

const HOSTS = 64;
const LATE_MS = 8_000;
const SLOW_BYTES = 8_000_000;
const PIECE = Buffer.alloc(40_000, 'p');
const PIECE_EVERY_MS = 1_000;

export async function startTenantHosts(): Promise<TenantHosts> {
  const folder = mkdtempSync(join(tmpdir(), 'crier-bench-hosts-'));
  const authority = join(folder, 'authority.pem');
  const identity = createServerIdentity(['tenants.test', '*.tenants.test']);
  writeFileSync(authority, identity.ca);
  const arrivals = new Map<string, PromiseWithResolvers<void>>();
  const arrivalOf = (eventId: string): PromiseWithResolvers<void> => {
    const known = arrivals.get(eventId) ?? Promise.withResolvers<void>();
    arrivals.set(eventId, known);
    return known;
  };
  const harmful = new Set<ServerResponse>();
  let isHarmful = false;
  const harm = (response: ServerResponse, begin: () => void): void => {
    if (!isHarmful) return void response.writeHead(404).end();
    harmful.add(response.on('close', () => harmful.delete(response)));
    begin();
  };
  const answerers: Readonly<Record<HostKind, (request: IncomingMessage, response: ServerResponse) => void>> = {
    photo: ({ method }, response) => sendPhoto(response, method === 'HEAD'),
    silent: (_request, response) => harm(response, () => {}),
    slow: ({ method }, response) => harm(response, () => sendSlowly(response, method === 'HEAD')),
    hook: (request, response) =>
      void text(request)
        .then((body) => {
          if (request.method === 'POST') arrivalOf((JSON.parse(body) as { readonly id: string }).id).resolve();
          response.writeHead(204).end();
        })
        .catch(() => response.destroy()),
    late: (request, response) => {
      request.resume();
      harm(response, () => void setTimeout(() => response.writeHead(204).end(), LATE_MS).unref());
    },
  };
  const server = createServer({ cert: identity.certificate, key: identity.key }, (request, response) => {
    response.on('error', () => {});
    const kind = /^([a-z]+)\d+\./.exec(request.headers.host ?? '')?.[1] as HostKind | undefined;
    const answerer = kind === undefined ? undefined : answerers[kind];
    if (answerer === undefined) response.writeHead(404).end();
    else answerer(request, response);
  });
  server.on('tlsClientError', () => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const kinds = Object.keys(answerers) as HostKind[];
  const names = kinds.flatMap((kind) => Array.from({ length: HOSTS }, (_, number) => `${kind}${number}.tenants.test`));
  return {
    settings: {
      CRIER_EGRESS_OVERRIDES: names.map((name) => `${name}=127.0.0.1:${port}`).join(),
      NODE_EXTRA_CA_CERTS: authority,
    },
    urlOf: (kind, number, path = '/') => `https://${kind}${number % HOSTS}.tenants.test${path}`,
    arrived: async (eventId, withinMs) => {
      const { promise, reject } = arrivalOf(eventId);
      const late = setTimeout(() => reject(new Error(`an event did not arrive within ${withinMs} ms`)), withinMs);
      await promise.finally(() => {
        clearTimeout(late);
        arrivals.delete(eventId);
      });
    },
    setHarmful: (harms) => {
      isHarmful = harms;
      if (!harms) for (const response of harmful) response.destroy();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true });
    },
  };
}

const { bytes: PHOTO, contentType: PHOTO_TYPE } = MEDIA_FIXTURES.photo;

function sendPhoto(response: ServerResponse, isHead: boolean): void {
  response.writeHead(200, { 'content-type': PHOTO_TYPE, 'content-length': PHOTO.length });
  response.end(isHead ? undefined : PHOTO);
}

function sendSlowly(response: ServerResponse, isHead: boolean): void {
  response.writeHead(200, { 'content-type': PHOTO_TYPE, 'content-length': SLOW_BYTES });
  if (isHead) return void response.end();
  // A file that begins as a picture does: what is none is given up at its first bytes.
  response.write(PHOTO);
  const next = setInterval(() => response.write(PIECE), PIECE_EVERY_MS);
  response.on('close', () => clearInterval(next));
}
