import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MEDIA_FIXTURES } from './media-fixtures.ts';

/** Serves the fixtures on this machine, at `{url}/{sha256}`, for Networks that fetch. */
export class MediaServer implements AsyncDisposable {
  readonly #server = createServer((request, response) => {
    const found = Object.values(MEDIA_FIXTURES).find(({ sha256 }) => request.url === `/${sha256}`);
    if (found === undefined) response.writeHead(404).end();
    else
      response
        .writeHead(200, { 'content-type': found.contentType, 'content-length': found.bytes.length })
        .end(request.method === 'HEAD' ? undefined : found.bytes);
  });

  static async start(): Promise<MediaServer> {
    const made = new MediaServer();
    made.#server.listen(0, '127.0.0.1');
    await once(made.#server, 'listening');
    return made;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
