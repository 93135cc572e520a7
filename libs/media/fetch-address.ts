import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { MAX_FILE_BYTES, type AcceptedType } from '#domain/media/file-facts.ts';
import type { Cancel, Clock } from '#ports/clock.ts';
import { SIGNATURE_BYTES, signatureOf } from '#ports/file-signature.ts';
import { HttpFailure } from '#ports/http-client.ts';
import { UnsafeAddress, type PublicAnswer, type PublicHttp } from '#ports/public-http.ts';
import {
  answered,
  empty,
  isNoFile,
  noAnswer,
  packed,
  redirects,
  serves,
  sizeWords,
  tooLarge,
} from './address-words.ts';
import { readContentType } from './content-type.ts';
import { bytesIn, MIN_ADDRESS_PACE } from './min-pace.ts';
import { integerOf, isPacked, isRedirect } from './inspect-address.ts';

export interface FetchRequest<T> {
  readonly url: string;
  /** What it said of itself when the Post was made. */
  readonly expected: { readonly contentType: AcceptedType; readonly bytes: number | null };
  /**
   * Takes the bytes, e.g. into a blob store; of content that fails half-way nothing may be kept. What it resolves with
   * is handed on.
   */
  readonly into: (content: Readable) => Promise<T>;
  /** Rejects with its reason. */
  readonly signal?: AbortSignal;
}

export type FetchResult<T> =
  | { readonly kind: 'fetched'; readonly bytes: number; readonly sha256: string; readonly stored: T }
  /** Not what was expected: asking again gives the same. `detail` is for a person, as below. */
  | { readonly kind: 'changed'; readonly detail: string }
  /** Not to be had now; it may be later. */
  | { readonly kind: 'unreachable'; readonly detail: string };

export interface FetchOptions {
  readonly http: PublicHttp;
  readonly clock: Clock;
  readonly limits?: Partial<FetchLimits>;
}

export interface FetchLimits {
  readonly maxBytes: number;
  /** Until the answer begins, and between two pieces of it. */
  readonly silenceMs: number;
  /**
   * On average, once `silenceMs` were spent waiting for pieces. Time in which `into` takes none does not count, here
   * and below.
   */
  readonly minBytesPerSecond: number;
  /**
   * How long the least is enough; what takes longer has to come at `longBytesPerSecond` from then on, or it keeps a
   * place for too long.
   */
  readonly slowMs: number;
  readonly longBytesPerSecond: number;
  /** From the look-up to the last byte. */
  readonly timeoutMs: number;
}

const KB = 1024;
const LIMITS: FetchLimits = {
  maxBytes: MAX_FILE_BYTES,
  silenceMs: MIN_ADDRESS_PACE.windowMs,
  minBytesPerSecond: MIN_ADDRESS_PACE.bytesPerSecond,
  slowMs: 300_000,
  longBytesPerSecond: KB * KB,
  timeoutMs: 3_600_000,
};

/** Fetches a file once, as a stream that is never held. Rejects with what `into` rejects with. */
export async function fetchAddress<T>(
  order: FetchRequest<T>,
  { http, clock, limits }: FetchOptions,
): Promise<FetchResult<T>> {
  order.signal?.throwIfAborted();
  const transfer = new Transfer(order, clock, { ...LIMITS, ...limits });
  try {
    return await transfer.run(http);
  } catch (error) {
    order.signal?.throwIfAborted();
    if (transfer.stopped !== null) return transfer.stopped;
    throw error;
  }
}

/**
 * One fetch: asking, then reading. `stopped` says why it ended early, whatever error the stream made of that on its
 * way.
 */
class Transfer<T> {
  stopped: Exclude<FetchResult<T>, { kind: 'fetched' }> | null = null;
  #bytes = 0;
  /** 0: not announced. */
  #announced: number;
  #isWhole = false;
  #waitedMs = 0;
  #quiet: Cancel = () => {};
  readonly #hash = createHash('sha256');
  readonly #ending = new AbortController();
  readonly #order: FetchRequest<T>;
  readonly #clock: Clock;
  readonly #limits: FetchLimits;

  constructor(order: FetchRequest<T>, clock: Clock, limits: FetchLimits) {
    this.#order = order;
    this.#clock = clock;
    this.#limits = limits;
    this.#announced = order.expected.bytes ?? 0;
  }

  async run(http: PublicHttp): Promise<FetchResult<T>> {
    const { url, into, signal } = this.#order;
    const end = (): void => this.#ending.abort();
    signal?.addEventListener('abort', end);
    try {
      const answer = await this.#waitFor(() =>
        http.send({ method: 'GET', url, timeoutMs: this.#limits.timeoutMs, signal: this.#ending.signal }),
      );
      const content = Readable.from(this.#pieces(answer), { objectMode: false });
      const stored = await into(content).finally(() => content.destroy());
      assert(this.#isWhole, 'content was taken to its end');
      return { kind: 'fetched', bytes: this.#bytes, sha256: this.#hash.digest('hex'), stored };
    } finally {
      signal?.removeEventListener('abort', end);
      this.#ending.abort();
    }
  }

  async *#pieces(answer: PublicAnswer): AsyncGenerator<Uint8Array> {
    const reader = answer.body[Symbol.asyncIterator]();
    try {
      let isTypeKnown = this.#judgeHeaders(answer);
      let start: Uint8Array = new Uint8Array();
      for (;;) {
        const { done, value } = await this.#waitFor(() => reader.next());
        if (done === true && this.#bytes === 0) this.#stop('changed', empty);
        if (!isTypeKnown) {
          start = Buffer.concat([start, value ?? new Uint8Array()]);
          isTypeKnown = start.length >= SIGNATURE_BYTES || done === true;
          if (isTypeKnown) this.#judgeStart(start);
        }
        if (done === true) break;
        this.#bytes += value.length;
        this.#judgeSize(this.#bytes);
        this.#judgePace();
        this.#hash.update(value);
        yield value;
      }
      this.#isWhole = true;
    } finally {
      await reader.return?.();
    }
  }

  /** Whether they tell the type. */
  #judgeHeaders({ status, headers }: PublicAnswer): boolean {
    if (isRedirect(status)) this.#stop('changed', redirects);
    if (status >= 500 || [408, 425, 429].includes(status)) this.#stop('unreachable', answered(status));
    if (status !== 200) this.#stop('changed', answered(status));
    if (isPacked(headers['content-encoding'])) this.#stop('changed', packed);
    const length = integerOf(headers['content-length']);
    this.#judgeSize(length ?? 0);
    this.#announced = length ?? this.#announced;
    const type = readContentType(headers['content-type']);
    if (type === 'unsaid') return false;
    if ('other' in type) this.#stop('changed', serves(type.other));
    this.#judgeType(type.accepted);
    return true;
  }

  #judgeStart(start: Uint8Array): void {
    const found = signatureOf(start);
    if (found.kind === 'refused') this.#stop('changed', isNoFile);
    this.#judgeType(found.contentType);
  }

  #judgeType(found: AcceptedType): void {
    const { contentType } = this.#order.expected;
    if (found !== contentType)
      this.#stop('changed', `The address has ${found} now; it had ${contentType} when the Post was made.`);
  }

  #judgeSize(bytes: number): void {
    const { bytes: expected } = this.#order.expected;
    if (bytes > this.#limits.maxBytes) this.#stop('changed', tooLarge);
    if (expected !== null && bytes > expected)
      this.#stop('changed', `The file at the address has grown: it had ${sizeWords(expected)} when the Post was made.`);
  }

  /**
   * Of an announced size the pace is asked for from the start that ends it as late as such a size may; of any other the
   * pace grows in time.
   */
  #judgePace(): void {
    const { silenceMs, minBytesPerSecond, slowMs, longBytesPerSecond } = this.#limits;
    if (this.#waitedMs < silenceMs) return;
    const slow = bytesIn(Math.min(this.#waitedMs, slowMs), minBytesPerSecond);
    const long = bytesIn(Math.max(0, this.#waitedMs - slowMs), longBytesPerSecond);
    const steady = (this.#announced * this.#waitedMs) / (slowMs + (this.#announced / longBytesPerSecond) * 1000);
    if (this.#bytes < Math.max(slow + long, steady))
      this.#stop('unreachable', 'The address sends the file too slowly.');
  }

  /** For the answer or the next piece of it, as long as silence may last. */
  async #waitFor<V>(step: () => Promise<V>): Promise<V> {
    const from = this.#clock.monotonic();
    this.#quiet = this.#clock.after(this.#limits.silenceMs, () => {
      this.stopped ??= {
        kind: 'unreachable',
        detail: this.#bytes > 0 ? 'The address stopped sending half-way.' : 'The address does not answer.',
      };
      this.#ending.abort();
    });
    try {
      return await step();
    } catch (error) {
      if (error instanceof UnsafeAddress) this.#stop('changed', error.message);
      if (error instanceof HttpFailure) this.#stop('unreachable', noAnswer(error.message));
      throw error;
    } finally {
      this.#quiet();
      this.#waitedMs += this.#clock.monotonic() - from;
    }
  }

  #stop(kind: 'changed' | 'unreachable', detail: string): never {
    this.stopped ??= { kind, detail };
    throw new Error(detail);
  }
}
