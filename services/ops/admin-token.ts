import { hash, timingSafeEqual } from 'node:crypto';

/**
 * How a token may be sent: `bearer` as a bearer token only; `password` also as the password of Basic authentication, as
 * clients of schema registries send it.
 */
export type TokenForm = 'bearer' | 'password';

/**
 * Whether an Authorization header carries the token. Browsers keep passwords of Basic authentication and send them with
 * requests of any page, so requests that change something take bearer tokens only. Digests are compared, because they
 * have one length and the comparison then takes the same time for every guess.
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
