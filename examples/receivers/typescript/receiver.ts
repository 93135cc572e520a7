// A receiver of Crier's webhooks in one file, without dependencies. Run it with Node 22.18 or later:
//   WEBHOOK_SECRET=whsec_... PORT=3000 node receiver.ts
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';

const OLDEST_SECONDS = 5 * 60;
const MAX_BODY_BYTES = 1024 * 1024;
const MAX_REMEMBERED = 10_000;

/**
 * Whether `body` was signed with `secret` in the last five minutes. `header`: `t=<seconds>,v1=<hex>`, with a second v1
 * while a secret is being replaced.
 */
export function isGenuine(header: string, body: Uint8Array, secret: string, nowSeconds: number): boolean {
  const parts = header.split(',').map((part) => part.trim().split('=', 2));
  const at = parts.find(([name]) => name === 't')?.[1] ?? '';
  // The check is in both directions: a time far in the future would stay valid for long.
  if (!/^\d{1,12}$/.test(at) || Math.abs(nowSeconds - Number(at)) > OLDEST_SECONDS) return false;
  // The signature covers the bytes as received: JSON that was parsed and written again has other bytes. The key is the
  // whole secret, including `whsec_`.
  const expected = createHmac('sha256', secret).update(`${at}.`).update(body).digest();
  return parts.some(([name, value = '']) => {
    const signature = name === 'v1' && /^[0-9a-f]{64}$/.test(value) ? Buffer.from(value, 'hex') : null;
    // Compared in constant time: the duration must not reveal how much of a guess was right.
    return signature !== null && timingSafeEqual(signature, expected);
  });
}

/**
 * An event is delivered at least once, so it may come again. In a real receiver, store the ids in a database, in the
 * same transaction as your work.
 */
const seen = new Set<string>();
function isNew(id: string): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  if (seen.size > MAX_REMEMBERED) seen.delete(seen.values().next().value!);
  return true;
}

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    // The body is read to its end, so that the sender gets the answer.
    if (bytes <= MAX_BODY_BYTES) pieces.push(piece);
  }
  return bytes > MAX_BODY_BYTES ? null : Buffer.concat(pieces);
}

async function answer(request: IncomingMessage, secret: string): Promise<number> {
  // Crier sends HEAD when the endpoint is registered.
  if (request.method !== 'POST') return 204;
  const body = await readBody(request);
  if (body === null) return 413;
  if (!isGenuine(String(request.headers['service-signature'] ?? ''), body, secret, Date.now() / 1000)) return 401;
  const event = JSON.parse(body.toString()) as { id: string; type: string };
  if (isNew(event.id)) {
    // Your work goes here. Keep it short, or put it in a queue: an answer after more than ten seconds counts as none.
    console.log(`event ${event.type} ${event.id}`);
  }
  return 204;
}

const secret = process.env['WEBHOOK_SECRET'] ?? '';
if (secret === '') throw new Error('Set WEBHOOK_SECRET to the secret that registering the endpoint answered with.');
const server = createServer((request, response) => {
  answer(request, secret).then(
    (status) => response.writeHead(status).end(),
    () => response.writeHead(400).end(),
  );
});
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(`listening on http://127.0.0.1:${address.port}`);
});
