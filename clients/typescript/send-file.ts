import { errorOfAnswer, type CrierError } from './crier-error.ts';
import { noAnswer } from './transport.ts';
import type { UploadContent } from './upload-source.ts';

export interface SendFileOptions {
  readonly url: string;
  readonly content: UploadContent;
  readonly stream: ReadableStream<Uint8Array>;
  readonly fetch: typeof fetch;
  readonly onSent: (bytes: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One PUT of all bytes: null once they are stored, else what went wrong. Browsers send no stream over HTTP/1.1, so
 * there XMLHttpRequest sends the file and tells the progress. Rejects when the signal is aborted.
 */
export function sendFile(options: SendFileOptions): Promise<CrierError | null> {
  const { XMLHttpRequest: Request } = globalThis as { XMLHttpRequest?: new () => UploadingRequest };
  return Request !== undefined && options.content.blob !== null
    ? sendByBrowser(new Request(), options.content.blob, options)
    : sendByFetch(options);
}

async function sendByFetch({
  url,
  content,
  stream,
  fetch: send,
  onSent,
  signal,
}: SendFileOptions): Promise<CrierError | null> {
  try {
    const answer = await send(url, {
      method: 'PUT',
      headers: { 'Content-Type': content.type },
      body: inPieces(stream, onSent) as unknown as NonNullable<RequestInit['body']>,
      duplex: 'half',
      redirect: 'error',
      ...(signal === undefined ? {} : { signal }),
    } as RequestInit);
    const text = await answer.text();
    return answer.ok ? null : errorOfAnswer(answer, text);
  } catch (error) {
    signal?.throwIfAborted();
    return noAnswer(new URL(url).origin, error);
  }
}

const PIECE_BYTES = 128 * 1024;

/** The same bytes in small pieces, told as each is taken: a file in memory would otherwise be one step of progress. */
function inPieces(stream: ReadableStream<Uint8Array>, onTaken: (bytes: number) => void): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  let rest = new Uint8Array(0);
  let taken = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        while (rest.length === 0) {
          const { value, done } = await reader.read();
          if (done) return controller.close();
          rest = value as Uint8Array<ArrayBuffer>;
        }
        const piece = rest.subarray(0, PIECE_BYTES);
        rest = rest.subarray(PIECE_BYTES);
        taken += piece.length;
        onTaken(taken);
        controller.enqueue(piece);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** What of a browser's XMLHttpRequest is used. */
interface UploadingRequest {
  readonly status: number;
  readonly responseText: string;
  readonly upload: { onprogress: ((event: { readonly loaded: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getResponseHeader(name: string): string | null;
  send(body: Blob): void;
  abort(): void;
}

function sendByBrowser(
  request: UploadingRequest,
  blob: Blob,
  { url, content, onSent, signal }: SendFileOptions,
): Promise<CrierError | null> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = (): void => request.abort();
    signal?.addEventListener('abort', stop, { once: true });
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => {
      signal?.removeEventListener('abort', stop);
      if (request.status >= 200 && request.status < 300) resolve(null);
      else resolve(errorOfAnswer(answerOf(request), request.responseText));
    };
    request.onerror = () => resolve(noAnswer(new URL(url).origin, new Error('the connection was lost')));
    request.onabort = () => reject(signal!.reason as Error);
    request.open('PUT', url);
    request.setRequestHeader('Content-Type', content.type);
    request.send(blob);
  });
}

function answerOf(request: UploadingRequest): Response {
  const headers = new Headers();
  for (const name of ['retry-after', 'x-request-id']) {
    const value = request.getResponseHeader(name);
    if (value !== null) headers.set(name, value);
  }
  return new Response(null, { status: request.status, headers });
}
