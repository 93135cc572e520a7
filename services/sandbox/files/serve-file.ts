import { refused } from '../control-fields.ts';
import type { SandboxAnswer, Incoming } from '../exchange.ts';
import type { Files, SandboxFile } from './files.ts';

export const filePath = (sha256: string): string => `/sandbox/files/${sha256}`;

/** An answer may have fewer bytes than requested, which keeps a video out of memory. */
const MAX_SPAN_BYTES = 8_388_608;

interface Span {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** The range that a Range header requests; null when there is none or it is invalid, which is treated as absent. */
function spanOf(range: string, { bytes }: SandboxFile): Span | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range) ?? [];
  if (first === '' && last === '') return null;
  if (first === '') return { from: Math.max(0, bytes - Number(last)), to: bytes };
  return {
    from: Number(first),
    to: Math.min(bytes, Number(first) + MAX_SPAN_BYTES, last === '' ? Infinity : Number(last) + 1),
  };
}

/** A file as it was received, for the pages that show it: players request it in ranges. */
export function serveFile(request: Incoming, sha256: string, files: Files): SandboxAnswer {
  const file = files.get(sha256);
  if (file === null) return refused(404, 'not_found', 'There is no such file.');
  const headers = {
    'content-type': file.contentType || 'application/octet-stream',
    'content-security-policy': "default-src 'none'",
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=31536000, immutable',
  };
  const span = spanOf(request.header('range'), file);
  if (span === null) return { status: 200, headers, body: files.read(sha256, 0, file.bytes) };
  if (span.from >= span.to)
    return { status: 416, headers: { ...headers, 'content-range': `bytes */${file.bytes}` }, body: '' };
  return {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${span.from}-${span.to - 1}/${file.bytes}` },
    body: files.read(sha256, span.from, span.to),
  };
}
