import { hash, timingSafeEqual } from 'node:crypto';

/**
 * How a token may come: `password` takes one that is sent with Basic authentication as well, as clients of schema
 * registries do.
 */
export type TokenForm = 'bearer' | 'password';

/**
 * Whether an Authorization header has the token. Browsers keep passwords of Basic authentication and send them with any
 * page's requests, so that what changes something takes bearers only. Digests are compared: they are of one length, and
 * how much of a guess was right can't be timed.
 */
export function createTokenCheck(adminToken: string): (header: string | undefined, form: TokenForm) => boolean {
  const expected = hash('sha256', adminToken, 'buffer');
  return (header, form) => {
    const token = header === undefined ? null : tokenIn(header, form);
    return token !== null && timingSafeEqual(hash('sha256', token, 'buffer'), expected);
  };
}

function tokenIn(header: string, form: TokenForm): string | null {
  const space = header.indexOf(' ');
  const scheme = header.slice(0, Math.max(0, space)).toLowerCase();
  const given = header.slice(space + 1).trim();
  if (scheme === 'bearer') return given;
  if (scheme !== 'basic' || form !== 'password') return null;
  const pair = Buffer.from(given, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon === -1 ? null : pair.slice(colon + 1);
}
