import type { Clock } from '#ports/clock.ts';

const MAX_BYTES = 1024;
/** A body that is longer on its way is not waited for: the status is the answer. */
const WITHIN_MS = 1_000;
/** What a receiver may repeat to us of what only it and its owner should know. */
const SECRETS = [
  /\b(?:whsec|crier|sk|pk|ghp|xox[a-z])_[\w-]{8,}/gi,
  /\b(?:bearer|basic)\s+[\w.+/=~-]{8,}/gi,
  /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  /\bv1=[0-9a-f]{16,}/gi,
  /[^\s@"'<>]+@[^\s@"'<>]+\.[a-z]{2,}/gi,
];
const NAMED =
  /(["']?\b(?:authorization|cookie|password|passwd|secret|token|api[_-]?key)\b["']?\s*[:=]\s*)("[^"]*"?|'[^']*'?|[^\s,;&}]+)/gi;
const UNSHOWN = /[\u0000-\u001f\u007f-\u009f\ufffd\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;

/**
 * The first KB of an answer's body, as text that may be shown to an operator; then the connection is let go. Never
 * rejects, and takes at most a second.
 */
export async function excerptOf(body: AsyncIterable<Uint8Array>, clock: Pick<Clock, 'after'>): Promise<string> {
  const pieces: Uint8Array[] = [];
  const reader = body[Symbol.asyncIterator]();
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(WITHIN_MS, resolve);
  await Promise.race([late, readInto(pieces, reader).catch(() => {})]);
  cancel();
  // A body that never ends, or hangs, is not waited for: leaving it ends its connection.
  void Promise.resolve(reader.return?.()).catch(() => {});
  return shown(Buffer.concat(pieces).subarray(0, MAX_BYTES));
}

async function readInto(pieces: Uint8Array[], reader: AsyncIterator<Uint8Array>): Promise<void> {
  for (let bytes = 0; bytes < MAX_BYTES;) {
    const next = await reader.next();
    if (next.done === true) return;
    pieces.push(next.value);
    bytes += next.value.length;
  }
}

function shown(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes).replace(UNSHOWN, ' ').trim();
  return SECRETS.reduce((left, secret) => left.replace(secret, '...'), text).replace(NAMED, '$1...');
}
