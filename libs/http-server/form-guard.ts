import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { addCookie, cookieOf } from './cookies.ts';
import { escaped } from './page.ts';
import type { Ids } from '#ports/ids.ts';

type WithHeaders = Pick<IncomingMessage, 'headers'>;

export interface FormGuardOptions {
  readonly ids: Pick<Ids, 'token'>;
  /** The address of the installation, without a slash at the end. */
  readonly publicUrl: string;
}

const KEY = /^[\w-]{43}$/;
const COOKIE_SECONDS = 30 * 86_400;
const FIELD = 'form_token';

/**
 * Takes forms only from pages of ours in the same browser. Each browser has a key in a cookie that no script reads; a
 * form carries a digest of it, of the session, and of what the form does. So a page of somebody else can make a browser
 * send a form, and can not know its digest.
 *
 * The key also tells the browser that asked for a sign-in link from all others.
 */
export class FormGuard {
  readonly #ids: Pick<Ids, 'token'>;
  readonly #origin: string;
  readonly #secure: boolean;
  /** Keys that were given out by an answer that is being written. */
  readonly #given = new WeakMap<WithHeaders, string>();

  constructor({ ids, publicUrl }: FormGuardOptions) {
    this.#ids = ids;
    this.#origin = new URL(publicUrl).origin;
    this.#secure = publicUrl.startsWith('https:');
  }

  /** HTML to put into a form that does `what`. Gives the browser its key first, if it has none. */
  field(request: WithHeaders, response: ServerResponse, what: string): string {
    let key = this.#keyOf(request);
    if (key === null) {
      key = this.#ids.token(32);
      this.#given.set(request, key);
      addCookie(response, { ...this.#cookie, value: key, maxAgeSeconds: COOKIE_SECONDS });
    }
    return `<input type="hidden" name="${FIELD}" value="${escaped(this.#token(request, key, what))}">`;
  }

  /** Whether the form came from a page of ours, in the browser that it was made for, to do `what`. */
  accepts(request: WithHeaders, form: URLSearchParams, what: string): boolean {
    if (!isOfOwnPage(request, this.#origin)) return false;
    const key = this.#keyOf(request);
    if (key === null) return false;
    const [given, right] = [form.get(FIELD) ?? '', this.#token(request, key, what)].map((text) => Buffer.from(text));
    return given!.length === right!.length && timingSafeEqual(given!, right!);
  }

  /** SHA-256 of the browser's key; null: it has none. */
  browserHash(request: WithHeaders): string | null {
    const key = this.#keyOf(request);
    return key === null ? null : hash('sha256', key, 'hex');
  }

  get #cookie() {
    return { name: 'crier_browser', secure: this.#secure } as const;
  }

  #keyOf(request: WithHeaders): string | null {
    const key = this.#given.get(request) ?? cookieOf(request, this.#cookie);
    return key !== null && KEY.test(key) ? key : null;
  }

  #token(request: WithHeaders, key: string, what: string): string {
    const session = cookieOf(request, { name: SESSION_COOKIE, secure: this.#secure }) ?? '';
    return hash('sha256', ['form', key, session, what].join('\0'), 'base64url');
  }
}

/** Whether nothing in the headers that browsers add says that a form came from a page of another origin. */
export function isOfOwnPage({ headers }: WithHeaders, ownOrigin: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  // Browsers say `null` here, because our pages name no referrer.
  if (origin !== undefined && origin !== 'null' && origin !== ownOrigin) return false;
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** The cookie that holds a session of a person. */
export const SESSION_COOKIE = 'crier_session';
