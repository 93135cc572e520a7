import { SIGNATURE_BYTES, signatureOf } from '#ports/file-signature.ts';
import { HttpFailure } from '#ports/http-client.ts';
import type { PictureType } from '#ports/media-tools.ts';
import { UnsafeAddress, type PublicHttp } from '#ports/public-http.ts';

/** Networks show them small; a file of this size is none that a Network made. */
export const MAX_PICTURE_BYTES = 4 * 1024 * 1024;
const TIMEOUT_MS = 20_000;

export type FetchedPicture =
  | { readonly kind: 'fetched'; readonly bytes: Uint8Array; readonly contentType: PictureType }
  /** No picture is there that can be shown: asking again gives the same. */
  | { readonly kind: 'refused'; readonly detail: string }
  /** Not to be had now; it may be later. */
  | { readonly kind: 'unreachable'; readonly detail: string };

/** The picture at an address that a Network named, as a whole: it is small. `signal` ends it early. */
export async function fetchPicture(http: PublicHttp, url: string, signal: AbortSignal): Promise<FetchedPicture> {
  try {
    const { status, body } = await http.send({ method: 'GET', url, timeoutMs: TIMEOUT_MS, signal });
    if (status >= 500 || [408, 425, 429].includes(status))
      return { kind: 'unreachable', detail: `The address answered ${status}.` };
    if (status !== 200) return { kind: 'refused', detail: `The address answered ${status}.` };
    const chunks: Uint8Array[] = [];
    let count = 0;
    for await (const chunk of body) {
      chunks.push(chunk);
      count += chunk.length;
      if (count > MAX_PICTURE_BYTES)
        return { kind: 'refused', detail: `The picture has more than ${MAX_PICTURE_BYTES} bytes.` };
    }
    return judged(Buffer.concat(chunks));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnsafeAddress) return { kind: 'refused', detail: error.message };
    if (error instanceof HttpFailure) return { kind: 'unreachable', detail: error.message };
    throw error;
  }
}

function judged(bytes: Uint8Array): FetchedPicture {
  const found = signatureOf(bytes.subarray(0, SIGNATURE_BYTES));
  if (found.kind === 'refused') return { kind: 'refused', detail: found.words };
  const { contentType } = found;
  return isPicture(contentType)
    ? { kind: 'fetched', bytes, contentType }
    : { kind: 'refused', detail: `The address has ${contentType}, which is no picture.` };
}

function isPicture(contentType: string): contentType is PictureType {
  return contentType.startsWith('image/');
}
