import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { createServerIdentity } from '#testing/test-certificates.ts';
import { GATEWAY } from './network/addresses.ts';

const NAME = 'files.test';

/** A server of a customer that has one picture, which pods reach and trust as if it were on the internet. */
export interface FileServer extends AsyncDisposable {
  readonly pictureUrl: string;
  /** PEM of the authority that pods have to trust. */
  readonly ca: string;
  /** The setting by which they reach it. */
  readonly override: string;
}

export async function startFileServer(): Promise<FileServer> {
  const identity = createServerIdentity([NAME]);
  const { bytes, contentType } = MEDIA_FIXTURES.photo;
  const server = createServer({ key: identity.key, cert: identity.certificate }, (request, answer) => {
    if (request.url !== '/photo.jpg') return void answer.writeHead(404).end();
    answer.writeHead(200, { 'content-type': contentType, 'content-length': bytes.length });
    answer.end(request.method === 'HEAD' ? undefined : bytes);
  });
  await once(server.listen(0, GATEWAY), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    pictureUrl: `https://${NAME}/photo.jpg`,
    ca: identity.ca,
    override: `${NAME}=${GATEWAY}:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
