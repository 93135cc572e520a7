import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createSecretKey,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import { PortError } from '#ports/errors.ts';
import type { SecretBox } from '#ports/secret-box.ts';

const CIPHER = 'aes-256-gcm';
const FORM = 'v1';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_CHARACTERS = 8;
const SEALED = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/;
/** A shorter secret could be guessed: HKDF spreads entropy and adds none. */
const MIN_SECRET_CHARACTERS = 32;

export interface SecretBoxOptions {
  /** The operator's secret: at least 32 random characters. */
  readonly secret: string;
  /** Earlier secrets: values are opened with them, never sealed. */
  readonly previousSecrets?: readonly string[];
}

interface SealingKey {
  /** Distinguishes keys and reveals nothing about them. */
  readonly id: string;
  /** As an object, because a cipher made of bytes costs five times as much. */
  readonly key: KeyObject;
}

/**
 * AES-256-GCM under a key derived from the secret. A sealed text is `v1.<key id>.<base64url of nonce, tag,
 * ciphertext>`; form, key id and context are authenticated with it. Nonces are random: below 2^32 seals for one secret
 * the odds of a repeated nonce stay under 2^-32 (NIST SP 800-38D, 8.3). Throws `PortError` `refused` when a secret is
 * too short.
 */
export function createSecretBox({ secret, previousSecrets = [] }: SecretBoxOptions): SecretBox {
  const current = sealingKeyOf(secret);
  // The current one last, so that it wins where a previous secret is the same.
  const keys = new Map([...previousSecrets.map(sealingKeyOf), current].map((key) => [key.id, key]));

  const previous = [...keys.keys()].filter((id) => id !== current.id);

  return {
    keyIds: [current.id, ...previous],

    keyIdOf: (sealed) => SEALED.exec(sealed)?.[1] ?? null,

    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, current.key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(boundTo(current.id, context));
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `${FORM}.${current.id}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`;
    },

    open(sealed, context) {
      const [, keyId = '', body = ''] = SEALED.exec(sealed) ?? [];
      const bytes = Buffer.from(body, 'base64url');
      // Decoding ignores excess bits of the last character; without this check two texts would open as one.
      if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== body) {
        throw new PortError('refused', 'not a sealed value');
      }
      const key = keys.get(keyId)?.key;
      if (key === undefined)
        throw new PortError('refused', `sealed under key ${keyId}, which none of the configured secrets makes`);
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(boundTo(keyId, context));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString(
          'utf8',
        );
      } catch (cause) {
        throw new PortError('refused', 'the sealed value was altered, or sealed for another context', { cause });
      }
    },
  };
}

function sealingKeyOf(secret: string): SealingKey {
  if (secret.length < MIN_SECRET_CHARACTERS) {
    throw new PortError(
      'refused',
      `the secret has ${secret.length} characters, at least ${MIN_SECRET_CHARACTERS} are needed`,
    );
  }
  const bytes = Buffer.from(hkdfSync('sha256', secret, 'crier', 'secret-box v1', KEY_BYTES));
  const id = createHash('sha256').update('key id').update(bytes).digest('hex').slice(0, KEY_ID_CHARACTERS);
  return { id, key: createSecretKey(bytes) };
}

/** The key id has a fixed length, so that no other pair of id and context gives the same bytes. */
function boundTo(keyId: string, context: string): Buffer {
  return Buffer.from(`${FORM}.${keyId}.${context}`, 'utf8');
}
