import { hash, timingSafeEqual } from 'node:crypto';

const BEARER = /^Bearer +(\S+) *$/i;
const BASIC = /^Basic +([A-Za-z0-9+/=]+) *$/i;

/**
 * Whether an Authorization header has the token: as a bearer's, or as the password that clients of schema registries send.
 * Digests are compared: they are of one length, and how much of a guess was right can't be timed.
 */
export function createTokenCheck(adminToken: string): (header: string | undefined) => boolean {
  const expected = hash('sha256', adminToken, 'buffer');
  return (header) => {
    const token = header === undefined ? null : tokenIn(header);
    return token !== null && timingSafeEqual(hash('sha256', token, 'buffer'), expected);
  };
}

function tokenIn(header: string): string | null {
  const bearer = BEARER.exec(header)?.[1];
  if (bearer !== undefined) return bearer;
  const basic = BASIC.exec(header)?.[1];
  if (basic === undefined) return null;
  const pair = Buffer.from(basic, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon === -1 ? null : pair.slice(colon + 1);
}
