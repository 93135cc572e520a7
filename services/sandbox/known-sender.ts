import type { Incoming } from './exchange.ts';
import type { Grants } from './grants.ts';
import type { Simulator } from './simulator.ts';

const MAX_TOKEN_LENGTH = 500;

/**
 * Whether the sender of this request showed a token that the sandbox gave out, dead or alive, or the address of an
 * upload that it opened: large bodies of strangers are not kept in memory. `request` may have only the beginning of its
 * body.
 */
export function isFromKnown(
  request: Incoming,
  simulator: Simulator,
  grants: Pick<Grants, 'look'>,
  now: number,
): boolean {
  const header = /^(?:Bearer|OAuth) (\S+)$/i.exec(request.header('authorization'))?.[1];
  const shown = [header, request.query.get('access_token'), partBegin(request, 'access_token', MAX_TOKEN_LENGTH)];
  if (shown.some((token) => token && grants.look(simulator.network, token, now).state !== 'unknown')) return true;
  return simulator.isOpenUpload?.(request, request.segments.slice(2)) ?? false;
}

/**
 * The line that a part of a multipart body is, or begins with, without parsing the body; null: there is no part of that
 * name.
 */
export function partBegin(
  { bytes, header }: Pick<Incoming, 'bytes' | 'header'>,
  name: string,
  mostLength: number,
): string | null {
  if (!/^multipart\//i.test(header('content-type'))) return null;
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const at = body.indexOf(`name="${name}"`);
  const value = at < 0 ? -1 : body.indexOf('\r\n\r\n', at);
  return value < 0 ? null : body.toString('latin1', value + 4, value + 4 + mostLength).split('\r\n')[0]!;
}
