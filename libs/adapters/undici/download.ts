import { Agent, request } from 'undici';
import type { Download } from '#ports/download.ts';

const CONNECT_TIMEOUT_MS = 10_000;

/** Files over http and https, streamed. */
export function createDownload(): Download & { close(): Promise<void> } {
  const agent = new Agent({ allowH2: false, connect: { timeout: CONNECT_TIMEOUT_MS } });
  return {
    async get({ url, timeoutMs }) {
      const { statusCode, headers, body } = await request(url, {
        dispatcher: agent,
        signal: AbortSignal.timeout(timeoutMs),
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const type = [headers['content-type'] ?? ''].flat()[0]!;
      return { status: statusCode, contentType: type.split(';')[0]!.trim().toLowerCase(), body };
    },
    close: () => agent.destroy(),
  };
}
