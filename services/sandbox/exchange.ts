import { createHash } from 'node:crypto';
import { STYLE } from './page-style.ts';

/** Requests to the sandbox and its answers, independent of any transport. */
export interface SandboxRequest {
  readonly method: string;
  /** Path and query, or a whole address whose host is ignored. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

export interface SandboxAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export const textOf = ({ body }: SandboxAnswer): string =>
  typeof body === 'string' ? body : new TextDecoder().decode(body);

/** `cut`: the connection ends without an answer, before the work was done or after it. */
export type ExchangeOutcome = SandboxAnswer | { readonly cut: 'before' | 'after' };

/** A parsed request. Nothing in here throws for anything that a caller can send. */
export interface Incoming {
  readonly method: string;
  readonly path: string;
  /** Percent-decoded, without empty ends; a part that can't be decoded stays as it was sent. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  /** '' when absent. */
  header(name: string): string;
  readonly bytes: Uint8Array;
  text(): string;
  /** The body as form fields; empty when it isn't a form. */
  form(): URLSearchParams;
  /** `undefined` when the body is not JSON (JSON itself has no undefined). */
  json(): unknown;
  /** The parts of a multipart/form-data body; null when it isn't one. */
  parts(): Promise<FormData | null>;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export function readRequest(request: SandboxRequest): Incoming {
  const target = request.url.replace(/^[a-z]+:\/\/[^/?#]*/i, '').replace(/#.*$/s, '');
  const mark = target.indexOf('?');
  const path = (mark < 0 ? target : target.slice(0, mark)) || '/';
  const headers = new Map(Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value ?? '']));
  const text = () => new TextDecoder().decode(request.body);
  return {
    method: request.method.toUpperCase(),
    path,
    segments: path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeSegment),
    query: new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1)),
    header: (name) => headers.get(name) ?? '',
    bytes: request.body,
    text,
    form: () =>
      new URLSearchParams(
        /^application\/x-www-form-urlencoded\b/i.test(headers.get('content-type') ?? '') ? text() : '',
      ),
    json() {
      try {
        return JSON.parse(text());
      } catch {
        return undefined;
      }
    },
    async parts() {
      const type = headers.get('content-type') ?? '';
      if (!/^multipart\/form-data\b/i.test(type)) return null;
      return new Response(new Uint8Array(request.body), { headers: { 'content-type': type } })
        .formData()
        .catch(() => null);
    },
  };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): SandboxAnswer {
  const type = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  return { status, headers: { ...type, ...headers }, body: JSON.stringify(body) };
}

/** The one style sheet that stands in pages, as the policy names it. */
const STYLE_HASH = `sha256-${createHash('sha256').update(STYLE).digest('base64')}`;

/**
 * Pages load only pictures and videos of the sandbox itself, have the one style, and run no scripts: the policy
 * enforces that even if an escape is ever missed.
 */
export function html(status: number, body: string): SandboxAnswer {
  const policy = `default-src 'none'; style-src '${STYLE_HASH}'; img-src 'self'; media-src 'self'; base-uri 'none'; frame-ancestors 'none'`;
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': policy,
    'x-frame-options': 'DENY',
  };
  return { status, headers, body };
}

export function redirect(location: string): SandboxAnswer {
  return { status: 302, headers: { location, 'cache-control': 'no-store' }, body: '' };
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}
