import { hash, timingSafeEqual } from 'node:crypto';

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
  const space = header.indexOf(' ');
  const scheme = header.slice(0, Math.max(0, space)).toLowerCase();
  const given = header.slice(space + 1).trim();
  if (scheme === 'bearer') return given;
  if (scheme !== 'basic') return null;
  const pair = Buffer.from(given, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon === -1 ? null : pair.slice(colon + 1);
}
