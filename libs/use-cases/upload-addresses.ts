import { createHmac, timingSafeEqual } from 'node:crypto';
import { macKey } from '#domain/mac-key.ts';
import { ACCEPTED_TYPES, type AcceptedType } from '#domain/media/file-facts.ts';

/** What a signed address permits: one file of this type and length, until an instant. */
export interface UploadOffer {
  readonly assetId: string;
  readonly contentType: AcceptedType;
  readonly bytes: number;
  readonly expiresAt: number;
}

export interface UploadAddresses {
  /** Path and query below the public address. */
  pathOf(offer: UploadOffer): string;
  /** Null when any part of the address was changed. Its expiry is not checked here. */
  open(assetId: string, query: Readonly<Record<string, string>>): UploadOffer | null;
}

export const UPLOAD_PATH = '/uploads/:id';
const NUMBER = /^[1-9]\d{0,15}$/;
const SIGNATURE = /^[\w-]{43}$/;
const PARAMETERS = 'bytes,expires,signature,type';

/**
 * Addresses carry a MAC of all their parts, under a key derived from the installation's `secret`; earlier ones open
 * theirs.
 */
export function createUploadAddresses(secret: string, previousSecrets: readonly string[] = []): UploadAddresses {
  const keys = [secret, ...previousSecrets].map((each) => macKey(each, 'crier upload addresses'));
  const signatureOf = ({ assetId, contentType, bytes, expiresAt }: UploadOffer, key = keys[0]!) =>
    createHmac('sha256', key)
      .update(JSON.stringify([assetId, contentType, bytes, expiresAt]))
      .digest();
  return {
    pathOf: (offer) => {
      const signature = signatureOf(offer).toString('base64url');
      const query = new URLSearchParams({
        type: offer.contentType,
        bytes: String(offer.bytes),
        expires: String(offer.expiresAt),
        signature,
      });
      return `${UPLOAD_PATH.replace(':id', offer.assetId)}?${query.toString()}`;
    },
    open: (assetId, query) => {
      const { type, bytes = '', expires = '', signature = '' } = query;
      const contentType = ACCEPTED_TYPES.find((accepted) => accepted === type);
      if (
        Object.keys(query).toSorted().join() !== PARAMETERS ||
        contentType === undefined ||
        !NUMBER.test(bytes) ||
        !NUMBER.test(expires)
      )
        return null;
      const offer = { assetId, contentType, bytes: Number(bytes), expiresAt: Number(expires) };
      const given = Buffer.from(signature, 'base64url');
      // The last character has unused bits: only the spelling that was signed is valid.
      if (!SIGNATURE.test(signature) || given.toString('base64url') !== signature) return null;
      return keys.some((key) => timingSafeEqual(given, signatureOf(offer, key))) ? offer : null;
    },
  };
}
