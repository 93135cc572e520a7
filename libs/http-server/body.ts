import type { IncomingMessage } from 'node:http';

/** More than any form, or any request of OAuth, needs. */
const MAX_SMALL_BODY_BYTES = 64 * 1024;

/**
 * The body of a request that is small by nature. Null: it is larger than 64 KB. Rejects when the client goes away while
 * it is sending.
 */
export async function smallBodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_SMALL_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
