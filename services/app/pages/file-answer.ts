import type { Request, Response } from 'express';
import type { BuiltFile, ContentEncoding } from './built-app.ts';

const YEAR_SECONDS = 31_536_000;
/** Best first. */
const ENCODINGS: readonly ContentEncoding[] = ['br', 'gzip'];

/** Sends a file in the smallest form that the browser takes, or only that it has not changed. */
export function sendFile(
  request: Request,
  response: Response,
  file: BuiltFile,
  guards: Readonly<Record<string, string>>,
): void {
  const encoding = ENCODINGS.find((one) => file.encoded[one] !== undefined && accepts(request, one));
  const content = (encoding === undefined ? undefined : file.encoded[encoding]) ?? file.content;
  response.set({
    ...guards,
    'Cache-Control': file.isImmutable ? `public, max-age=${YEAR_SECONDS}, immutable` : 'private, no-cache',
    // Each form is a thing of its own for caches between us and the browser.
    ETag: `"${file.etag}${encoding === undefined ? '' : `-${encoding}`}"`,
    Vary: 'Accept-Encoding',
  });
  if (request.fresh) return void response.writeHead(304).end();
  response.writeHead(200, {
    'Content-Type': file.contentType,
    'Content-Length': content.length,
    ...(encoding !== undefined && { 'Content-Encoding': encoding }),
  });
  response.end(request.method === 'HEAD' ? undefined : content);
}

/** Sends the page of the app, which tells of the person: no browser and no proxy keeps it. */
export function sendAppPage(
  request: Request,
  response: Response,
  html: string,
  guards: Readonly<Record<string, string>>,
): void {
  const content = Buffer.from(html);
  response.writeHead(200, {
    ...guards,
    'Cache-Control': 'no-store',
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': content.length,
  });
  response.end(request.method === 'HEAD' ? undefined : content);
}

/** Whether the browser takes it; one that names no encodings takes none. */
function accepts(request: Request, encoding: ContentEncoding): boolean {
  return request.headers['accept-encoding'] !== undefined && request.acceptsEncodings(encoding) === encoding;
}
