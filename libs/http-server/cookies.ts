import type { IncomingMessage, ServerResponse } from 'node:http';

export interface CookieOptions {
  /** Without the prefix that a secure one gets. */
  readonly name: string;
  /** Whether the installation is reached over https: then the cookie goes over https alone. */
  readonly secure: boolean;
}

export interface SentCookie extends CookieOptions {
  /** Characters of base64url, and dots. */
  readonly value: string;
  /** How long browsers keep it; 0: they remove it at once. */
  readonly maxAgeSeconds: number;
}

/**
 * The name under which a browser keeps the cookie. Browsers take a name with the prefix `__Host-` only over https, from
 * this very host and for all of its paths: no neighbouring host can plant one.
 */
function cookieName({ name, secure }: CookieOptions): string {
  return secure ? `__Host-${name}` : name;
}

/** The cookie's value in a request; null: there is none. */
export function cookieOf(request: Pick<IncomingMessage, 'headers'>, options: CookieOptions): string | null {
  const start = `${cookieName(options)}=`;
  const each = (request.headers.cookie ?? '').split(';').map((cookie) => cookie.trim());
  return each.find((cookie) => cookie.startsWith(start))?.slice(start.length) ?? null;
}

/**
 * Adds the cookie to the headers of the answer. No script reads it, and browsers send it along from other sites only
 * when a person follows a link.
 */
export function addCookie(response: ServerResponse, { value, maxAgeSeconds, ...options }: SentCookie): void {
  const secure = options.secure ? '; Secure' : '';
  const cookie = `${cookieName(options)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure}`;
  response.appendHeader('Set-Cookie', cookie);
}
