import { MAX_FILE_BYTES, type AcceptedType } from '#domain/media/file-facts.ts';
import type { Clock } from '#ports/clock.ts';
import { SIGNATURE_BYTES, signatureOf } from '#ports/file-signature.ts';
import { HttpFailure } from '#ports/http-client.ts';
import { UnsafeAddress, type PublicAnswer, type PublicHttp } from '#ports/public-http.ts';
import { answered, empty, isNoFile, noAnswer, packed, redirects, serves, tooLarge } from './address-words.ts';
import { readContentType } from './content-type.ts';

export type Inspection =
  /** `bytes`: null where the address does not tell. */
  | { readonly kind: 'acceptable'; readonly contentType: AcceptedType; readonly bytes: number | null }
  /** Not an address on the public internet. `detail` is for a person, as below. */
  | { readonly kind: 'unsafe'; readonly detail: string }
  | { readonly kind: 'unacceptable'; readonly detail: string };

export interface InspectOptions {
  readonly http: PublicHttp;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** For both questions together; 5 seconds when left out. */
  readonly timeoutMs?: number;
  /** Ends it early, as its time would. */
  readonly signal?: AbortSignal;
}

/**
 * What stands at an address, without fetching it: asked with HEAD, and where that does not tell both type and size,
 * with a GET for the first few bytes. Many stores refuse HEAD for an address that was signed for GET, and some answer
 * it with another status than GET.
 */
export async function inspectAddress(
  url: string,
  { http, clock, timeoutMs = 5_000, signal }: InspectOptions,
): Promise<Inspection> {
  const until = clock.monotonic() + timeoutMs;
  const ending = signal === undefined ? {} : { signal };
  try {
    const head = judgeHead(await http.send({ method: 'HEAD', url, timeoutMs, ...ending }));
    if (head !== 'ask again') return head;
    const leftMs = Math.max(1, Math.round(until - clock.monotonic()));
    return await judgeStart(
      await http.send({
        method: 'GET',
        url,
        headers: { range: `bytes=0-${SIGNATURE_BYTES - 1}` },
        timeoutMs: leftMs,
        ...ending,
      }),
    );
  } catch (error) {
    if (error instanceof UnsafeAddress) return { kind: 'unsafe', detail: error.message };
    if (error instanceof HttpFailure) return unacceptable(noAnswer(error.message));
    throw error;
  }
}

function judgeHead({ status, headers }: PublicAnswer): Inspection | 'ask again' {
  if (isRedirect(status)) return unacceptable(redirects);
  const type = readContentType(headers['content-type']);
  const bytes = integerOf(headers['content-length']);
  // An empty answer to HEAD may only mean that the server counts what it sends, which is nothing.
  if (status !== 200 || type === 'unsaid' || bytes === null || bytes === 0) return 'ask again';
  return judge({
    type: 'other' in type ? type.other : type.accepted,
    isAccepted: 'accepted' in type,
    bytes,
    encoding: headers['content-encoding'],
  });
}

async function judgeStart({ status, headers, body }: PublicAnswer): Promise<Inspection> {
  const start = await firstOf(body);
  if (isRedirect(status)) return unacceptable(redirects);
  // A range of an empty file can't be had.
  if (status === 416) return unacceptable(empty);
  if (status !== 200 && status !== 206) return unacceptable(answered(status));
  const whole =
    status === 206 ? /^bytes \d+-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '')?.[1] : headers['content-length'];
  const bytes = integerOf(whole);
  const type = readContentType(headers['content-type']);
  const encoding = headers['content-encoding'];
  if (type !== 'unsaid')
    return judge({
      type: 'other' in type ? type.other : type.accepted,
      isAccepted: 'accepted' in type,
      bytes,
      encoding,
    });
  if (start.length === 0) return unacceptable(empty);
  const found = signatureOf(start);
  return found.kind === 'refused'
    ? unacceptable(isNoFile)
    : judge({ type: found.contentType, isAccepted: true, bytes, encoding });
}

interface Seen {
  readonly type: string;
  readonly isAccepted: boolean;
  readonly bytes: number | null;
  readonly encoding: string | undefined;
}

function judge({ type, isAccepted, bytes, encoding }: Seen): Inspection {
  if (!isAccepted) return unacceptable(serves(type));
  if (isPacked(encoding)) return unacceptable(packed);
  if (bytes !== null && bytes > MAX_FILE_BYTES) return unacceptable(tooLarge);
  if (bytes === 0) return unacceptable(empty);
  return { kind: 'acceptable', contentType: type as AcceptedType, bytes };
}

/** At most `SIGNATURE_BYTES`; leaving the body ends the connection, for servers that send all of it. */
async function firstOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  let start: Uint8Array = new Uint8Array();
  for await (const piece of body) {
    start = Buffer.concat([start, piece]).subarray(0, SIGNATURE_BYTES);
    if (start.length === SIGNATURE_BYTES) break;
  }
  return start;
}

export function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

export function isPacked(encoding: string | undefined): boolean {
  return encoding !== undefined && !['', 'identity'].includes(encoding.trim().toLowerCase());
}

/** Null for what is no whole number, or one that no file has. */
export function integerOf(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text.trim()) ? Number(text) : null;
}

function unacceptable(detail: string): Inspection {
  return { kind: 'unacceptable', detail };
}
