import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

const MODULUS_BITS = 2048;

/** A new private RSA key as a JWK: RS256 is the one algorithm that every client of an authorization server knows. */
export async function makeSigningKey(): Promise<Readonly<Record<string, unknown>>> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: MODULUS_BITS });
  return { ...privateKey.export({ format: 'jwk' }) };
}
