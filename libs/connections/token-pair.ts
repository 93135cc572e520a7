import type { SecretBox } from '#ports/secret-box.ts';
import type { Connection } from '#tables/repositories/connections.ts';
import type { NetworkAuth, Tokens } from '#networks/contract/adapter.ts';

/** Sealed under a key this process does not have, or altered. */
export class UnsealableError extends Error {
  override readonly name = 'UnsealableError';
}

export function sealTokens(secretBox: SecretBox, channelId: string, tokens: Tokens): string {
  return secretBox.seal(
    JSON.stringify({ accessToken: tokens.accessToken, refreshToken: tokens.refreshToken }),
    channelId,
  );
}

export function openTokens(secretBox: SecretBox, channelId: string, connection: Connection): Tokens {
  try {
    const { accessToken, refreshToken } = JSON.parse(secretBox.open(connection.sealed, channelId)) as Omit<
      Tokens,
      'expiresAt'
    >;
    return { accessToken, refreshToken, expiresAt: connection.expiresAt };
  } catch (cause) {
    throw new UnsealableError(`the tokens of channel ${channelId} can't be unsealed`, { cause });
  }
}

/**
 * Of the time until a refresh is due, the part that may be taken off, so that Channels connected together don't refresh
 * together.
 */
const JITTER = 0.05;
const DAY_MS = 86_400_000;

/** `random`: in [0, 1). Never so early that a Network which wants tokens to be a day old would refuse. */
export function jitteredDueAt(auth: NetworkAuth, tokens: Tokens, issuedAt: number, random: number): number {
  const dueAt = auth.refreshDueAt(tokens, issuedAt);
  const jittered = dueAt - Math.max(dueAt - issuedAt, 0) * JITTER * random;
  return dueAt >= issuedAt + DAY_MS ? Math.max(jittered, issuedAt + DAY_MS) : jittered;
}
