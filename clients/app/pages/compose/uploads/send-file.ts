/** What became of sending a file. `lost`: no answer came, and nobody knows how much arrived. */
export type Sending =
  | { readonly kind: 'sent' }
  | { readonly kind: 'lost' }
  /** `code` and `message`: the error object of REST. */
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly message: string };

export interface SendFileOptions {
  /** The `uploadUrl` of a reservation. */
  readonly url: string;
  readonly contentType: string;
  readonly file: Blob;
  readonly signal: AbortSignal;
  readonly onProgress: (sentBytes: number) => void;
}

/**
 * Sends the bytes by PUT. XMLHttpRequest, as fetch tells no browser how much was sent. The address is asked at the
 * origin of the page, which is all that its policy allows: Crier serves both. Rejects only when `signal` aborts.
 */
export function sendFile({ url, contentType, file, signal, onProgress }: SendFileOptions): Promise<Sending> {
  const { pathname, search } = new URL(url, window.location.href);
  const { promise, resolve, reject } = Promise.withResolvers<Sending>();
  const request = new XMLHttpRequest();
  request.open('PUT', pathname + search);
  request.setRequestHeader('Content-Type', contentType);
  request.upload.addEventListener('progress', ({ loaded }) => onProgress(Math.min(loaded, file.size)));
  request.addEventListener('load', () => resolve(outcomeOf(request)));
  for (const event of ['error', 'timeout'] as const) request.addEventListener(event, () => resolve({ kind: 'lost' }));
  request.addEventListener('abort', () => reject(signal.reason as Error));
  const abort = () => request.abort();
  signal.addEventListener('abort', abort);
  request.send(file);
  return promise.finally(() => signal.removeEventListener('abort', abort));
}

function outcomeOf({ status, responseText }: XMLHttpRequest): Sending {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  // A server or a proxy that is busy: the same bytes may pass in a moment.
  if (status === 0 || status === 408 || status === 429 || status >= 500) return { kind: 'lost' };
  return { kind: 'refused', status, ...problemIn(responseText) };
}

const NO_WORDS = 'The file was refused without a reason. Try again; if it happens again, tell the operator.';

function problemIn(body: string): { readonly code: string; readonly message: string } {
  try {
    const { error } = JSON.parse(body) as { readonly error?: { readonly code?: string; readonly message?: string } };
    return { code: error?.code ?? 'unexpected', message: error?.message ?? NO_WORDS };
  } catch {
    return { code: 'unexpected', message: NO_WORDS };
  }
}
