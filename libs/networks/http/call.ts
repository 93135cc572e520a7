import { HttpFailure, type HttpClient, type HttpRequest } from '#ports/http-client.ts';
import type { CallSummary } from '../contract/adapter.ts';

export interface HttpAnswer {
  readonly kind: 'answered';
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as JSON, whole numbers beyond 2^53 as texts; null when it isn't. */
  readonly json: unknown;
  readonly body: string;
}

/** No answer. `sent: false`: nothing of the request left. */
export interface LostAnswer {
  readonly kind: 'lost';
  readonly sent: boolean;
  readonly message: string;
}

export type CallResult = HttpAnswer | LostAnswer;

/** One HTTP call. Rejects for programmer errors only. */
export async function call(http: HttpClient, request: HttpRequest): Promise<CallResult> {
  try {
    const { status, headers, body } = await http.send(request);
    return { kind: 'answered', status, headers, body, json: parsed(body) };
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    return { kind: 'lost', sent: error.sent, message: error.message };
  }
}

/** The server refuses the request as it is. 408 is none of those: it did not arrive in time. */
export function isClientError({ status }: Pick<HttpAnswer, 'status'>): boolean {
  return status >= 400 && status < 500 && status !== 408;
}

const MAX_DETAIL = 500;

/** What a call came to, in one line. `secrets` are blotted out, should the Network have echoed one. */
export function summaryOf(called: CallResult, detail: string, secrets: readonly string[] = []): CallSummary {
  let line = detail === '' && called.kind === 'lost' ? called.message : detail;
  for (const secret of secrets) if (secret !== '') line = line.replaceAll(secret, '[secret]');
  line = line.replace(/\p{Cc}+/gu, ' ').trim();
  return {
    status: called.kind === 'answered' ? called.status : 0,
    detail: line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL - 1).toWellFormed()}…` : line,
  };
}

/** `value.a.b` of parsed JSON; undefined as soon as something is missing. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let inner = value;
  for (const key of path)
    inner = typeof inner === 'object' && inner !== null ? (inner as Record<string | number, unknown>)[key] : undefined;
  return inner;
}

/** A non-empty string, or an id that a Network sent as a number; else null. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string | null {
  const found = at(value, ...path);
  if (typeof found === 'number' && Number.isSafeInteger(found)) return String(found);
  return typeof found === 'string' && found !== '' ? found : null;
}

/** A whole number from 0 on; else null. */
export function countAt(value: unknown, ...path: readonly (string | number)[]): number | null {
  const found = at(value, ...path);
  return typeof found === 'number' && Number.isSafeInteger(found) && found >= 0 ? found : null;
}

export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

export function form(fields: Readonly<Record<string, string>>): {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
} {
  return {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  };
}

/** JSON that we wrote ourselves, such as a handle; null when it isn't any. */
export function jsonIn(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null') as unknown;
  } catch {
    return null;
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body, LONG_NUMBER.test(body) || HALF_PAIR.test(body) ? exact : undefined) as unknown;
  } catch {
    return null;
  }
}

const LONG_NUMBER = /[0-9]{16}/;
/** An escaped half of a pair of UTF-16, which may be without the other one. */
const HALF_PAIR = /\\u[dD][89a-fA-F]/;

/**
 * A whole number that JavaScript would round stays what it is as a text of its digits: some Networks send ids as
 * numbers beyond 2^53. Half of a pair of UTF-16 in a text is replaced (U+FFFD): no address and no row can have it.
 */
function exact(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  const digits = context?.source ?? '';
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?[0-9]+$/.test(digits) ? digits : value;
}
