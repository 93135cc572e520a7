import { OPERATIONS } from './api.ts';
import { DEFAULT_MAX_RETRIES, delayBefore, pause } from './backoff.ts';
import { CrierError, errorOfAnswer } from './crier-error.ts';

export interface TransportOptions {
  /** Where Crier is, such as https://crier.example.com. */
  readonly url: string;
  /** An API key, or an app's token. */
  readonly key: string;
  /** In place of the global `fetch`: for proxies, tests and logging. */
  readonly fetch?: typeof fetch;
  /** How often a call that fails in passing is sent again before it is the caller's failure; 6 when left out. */
  readonly maxRetries?: number;
  /** Told before each wait for another attempt. */
  readonly onRetry?: (retry: RetryNotice) => void;
}

export interface RetryNotice {
  readonly error: CrierError;
  readonly delayMs: number;
}

export interface OperationCall {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /**
   * False: the call is sent again only when it is certain that nothing was done, because a second time would be
   * another change. Left out: it may be sent again after any lost answer.
   */
  readonly repeatable?: boolean;
}

export interface OperationAnswer<T> {
  readonly body: T;
  readonly headers: Headers;
  /** An earlier attempt may have done it: its answer was lost, or its outcome unknown. */
  readonly uncertain: boolean;
}

const ATTEMPT_TIMEOUT_MS = 60_000;

/** Failures in which no request was sent at all. */
const NEVER_SENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** Sends operations of the API: waits as the server asks, and repeats what may be repeated. */
export class Transport {
  readonly #base: string;
  readonly #key: string;
  readonly #maxRetries: number;
  readonly #onRetry: (retry: RetryNotice) => void;
  readonly fetch: typeof fetch;

  /** Throws TypeError for an address or a key that can't be one. */
  constructor({ url, key, fetch: given, maxRetries = DEFAULT_MAX_RETRIES, onRetry }: TransportOptions) {
    if (!/^https?:\/\//.test(url) || !URL.canParse(url))
      throw new TypeError(`url must be the address of a Crier, such as https://crier.example.com, not ${url}`);
    if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('key must be an API key: one word that begins crier_');
    this.#base = url.replace(/\/+$/, '');
    this.#key = key;
    this.#maxRetries = maxRetries;
    this.#onRetry = onRetry ?? (() => {});
    // Browsers refuse a fetch that is called as the method of another object.
    this.fetch = given ?? ((input, init) => globalThis.fetch(input, init));
  }

  /** Rejects with CrierError, or with the reason of an aborted signal. */
  async send<T>(operation: keyof typeof OPERATIONS, call: OperationCall = {}): Promise<OperationAnswer<T>> {
    let uncertain = false;
    for (let retries = 0; ; retries++) {
      const attempt = await this.#attempt<T>(operation, call);
      if (!(attempt instanceof CrierError)) return { ...attempt, uncertain };
      const isCertain = nothingWasDone(attempt);
      const mayRepeat = isTransient(attempt) && (isCertain || call.repeatable !== false);
      const final = uncertain ? Object.assign(attempt, { afterUncertainAttempt: true }) : attempt;
      if (!mayRepeat) throw final;
      uncertain ||= !isCertain;
      await this.waitAfter(final, retries, call.signal);
    }
  }

  /** Waits before the attempt after `retries` repetitions; throws the error when there is to be none. */
  async waitAfter(error: CrierError, retries: number, signal?: AbortSignal): Promise<void> {
    const delayMs = delayBefore(retries, this.#maxRetries, error);
    if (delayMs === null) throw error;
    this.#onRetry({ error, delayMs });
    await pause(delayMs, signal);
  }

  async #attempt<T>(
    operation: keyof typeof OPERATIONS,
    call: OperationCall,
  ): Promise<Omit<OperationAnswer<T>, 'uncertain'> | CrierError> {
    const { method, path } = OPERATIONS[operation];
    const timeout = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
    try {
      const answer = await this.fetch(`${this.#base}${filled(path, call.path)}${queryOf(call.query)}`, {
        method,
        // Never followed: the key is for this address. What it says of the other one is told.
        redirect: 'manual',
        headers: {
          Authorization: `Bearer ${this.#key}`,
          Accept: 'application/json',
          ...(call.body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...call.headers,
        },
        ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
        signal: call.signal === undefined ? timeout : AbortSignal.any([call.signal, timeout]),
      });
      const text = await answer.text();
      if (!answer.ok) return errorOfAnswer(answer, text);
      return { body: bodyOf<T>(answer, text), headers: answer.headers };
    } catch (error) {
      call.signal?.throwIfAborted();
      return error instanceof CrierError ? error : noAnswer(this.#base, error);
    }
  }
}

/** Whether a failed call may have been done by an earlier attempt whose answer was lost. */
export function isAfterUncertainAttempt(error: unknown): error is CrierError {
  return error instanceof CrierError && 'afterUncertainAttempt' in error;
}

/** A failure that passes by itself. Everything else is a refusal, which repeating does not change. */
export function isTransient({ status, code }: { readonly status: number | null; readonly code: string }): boolean {
  return code === 'no_answer' || code === 'rate_limited' || (status !== null && [429, 502, 503, 504].includes(status));
}

function nothingWasDone(error: CrierError): boolean {
  if (error.code === 'unavailable' || error.code === 'rate_limited') return true;
  return NEVER_SENT.has(codeOf(error.cause));
}

export function noAnswer(url: string, cause: unknown): CrierError {
  const why = codeOf(cause) || (cause instanceof Error ? cause.message : String(cause));
  return new CrierError({
    status: null,
    code: 'no_answer',
    message: `No answer from ${url} (${why}). Check the address, and that Crier runs and can be reached from here.`,
    cause,
  });
}

/** Node names the trouble in a chain of causes, some of which bear several errors. */
function codeOf(error: unknown): string {
  for (let each = error as NestedError | undefined; each instanceof Error; each = each.cause ?? each.errors?.[0])
    if (typeof each.code === 'string') return each.code;
  return '';
}

interface NestedError extends Error {
  readonly code?: string;
  readonly cause?: NestedError;
  readonly errors?: readonly NestedError[];
}

function filled(path: string, values: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be the id, not ${String(value)}`);
    return encodeURIComponent(value);
  });
}

function queryOf(values: OperationCall['query'] = {}): string {
  const given = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given as [string, string][])}`;
}

/** Every answer with a body has `data`. One without it is that of a proxy, or of another server. */
function bodyOf<T>(answer: Response, text: string): T {
  if (answer.status === 204) return undefined as T;
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'data' in body) return body as T;
  } catch {
    // It is no JSON.
  }
  throw errorOfAnswer(answer, text);
}
