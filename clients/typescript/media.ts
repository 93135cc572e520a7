import type { CompletedUpload, MediaUpload } from './api.ts';
import { CrierError } from './crier-error.ts';
import type { CallOptions } from './posts.ts';
import { sendFile } from './send-file.ts';
import { isTransient, type Transport } from './transport.ts';
import { contentOf, type UploadContent, type UploadSource } from './upload-source.ts';

export type UploadOptions = UploadSource &
  CallOptions & {
    /** For people. Left out: the name of the file. */
    readonly filename?: string;
    /** image/jpeg, image/png, image/webp, video/mp4 or video/quicktime. Left out: told by the name. */
    readonly contentType?: string;
    /** Told as bytes leave this machine; begins again from 0 when a lost connection makes the upload begin again. */
    readonly onProgress?: (progress: UploadProgress) => void;
  };

export interface UploadProgress {
  readonly sentBytes: number;
  readonly totalBytes: number;
}

/**
 * A file that is wanted no more may take this long to be removed before the failure is reported; so may the answer to
 * its reservation, which names what to remove.
 */
const REMOVE_TIMEOUT_MS = 5_000;

/** Files: reserved, sent and completed in one call. */
export class Media {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Uploads a file, to be named by its `assetId` in one Post. A lost connection begins the file again, as long as its
   * source can be read again. When it fails or is aborted, nothing of it is kept.
   */
  async upload(options: UploadOptions): Promise<CompletedUpload> {
    const content = await contentOf(options, options);
    const file = { filename: content.name, contentType: content.type, bytes: content.size };
    const { assetId, uploadUrl } = await abortedLater(options.signal, REMOVE_TIMEOUT_MS, (signal) =>
      this.reserve(file, { signal }),
    );
    try {
      options.signal?.throwIfAborted();
      await this.#send(uploadUrl, content, options);
      return await this.complete(assetId, options);
    } catch (error) {
      await this.remove(assetId, { signal: AbortSignal.timeout(REMOVE_TIMEOUT_MS) }).catch(() => {});
      throw error;
    }
  }

  /** The first step of an upload: an address that takes the file for a quarter of an hour. */
  async reserve(
    file: { readonly filename: string; readonly contentType: string; readonly bytes: number },
    { signal }: CallOptions = {},
  ): Promise<MediaUpload> {
    const { filename, contentType, bytes } = file;
    const { body } = await this.#transport.send<{ data: MediaUpload }>('create-media-upload', {
      body: { filename, contentType, bytes },
      signal,
    });
    return body.data;
  }

  /** The last step: confirms that the file arrived. */
  async complete(id: string, { signal }: CallOptions = {}): Promise<CompletedUpload> {
    const { body } = await this.#transport.send<{ data: CompletedUpload }>('complete-media-upload', {
      path: { id },
      signal,
    });
    return body.data;
  }

  /** Removes an upload that no Post has. One that is gone already is no failure. */
  async remove(id: string, { signal }: CallOptions = {}): Promise<void> {
    await this.#transport.send('remove-media-upload', { path: { id }, signal }).catch((error: unknown) => {
      if (!(error instanceof CrierError) || error.code !== 'not_found') throw error;
    });
  }

  async #send(url: string, content: UploadContent, { onProgress, signal }: UploadOptions): Promise<void> {
    for (let retries = 0; ; retries++) {
      const stream = content.open();
      if (stream === null)
        throw new CrierError({
          status: null,
          code: 'no_answer',
          message:
            'The connection was lost, and a stream can be sent once only. Give a function that makes the stream.',
        });
      const trouble = await sendFile({
        url,
        content,
        stream,
        fetch: this.#transport.fetch,
        onSent: (sentBytes) => onProgress?.({ sentBytes, totalBytes: content.size }),
        signal,
      });
      if (trouble === null) return;
      if (!isTransient(trouble)) throw trouble;
      await this.#transport.waitAfter(trouble, retries, signal);
    }
  }
}

/** Gives the call a signal that follows `signal` by so many ms. Rejects when that one is aborted already. */
async function abortedLater<T>(
  signal: AbortSignal | undefined,
  ms: number,
  call: (later: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const later = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (): void => void (timer = setTimeout(() => later.abort(signal!.reason), ms));
  signal?.addEventListener('abort', wait, { once: true });
  try {
    return await call(later.signal);
  } finally {
    signal?.removeEventListener('abort', wait);
    clearTimeout(timer);
  }
}
