import { hash, timingSafeEqual } from 'node:crypto';
import type { OperatorToken } from '#config/operators.ts';

/**
 * How a token may be sent: `bearer` as a bearer token only; `password` also as the password of Basic authentication, as
 * clients of schema registries send it.
 */
export type TokenForm = 'bearer' | 'password';

/** Who calls, by the token. */
export type OperatorIdentity = Pick<OperatorToken, 'name' | 'role'>;

/**
 * Whose token an Authorization header carries; null: nobody's. Browsers keep passwords of Basic authentication and send
 * them with requests of any page, so requests that change something take bearer tokens only. Digests are compared,
 * because they have one length, and with every token, so that the comparison takes the same time for every guess.
 */
export function createTokenCheck(
  tokens: readonly OperatorToken[],
): (header: string | undefined, form: TokenForm) => OperatorIdentity | null {
  const known = tokens.map(({ name, role, token }) => ({ name, role, digest: hash('sha256', token, 'buffer') }));
  return (header, form) => {
    const token = header === undefined ? null : tokenIn(header, form);
    if (token === null) return null;
    const digest = hash('sha256', token, 'buffer');
    const [found] = known.filter((one) => timingSafeEqual(one.digest, digest));
    return found === undefined ? null : { name: found.name, role: found.role };
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
