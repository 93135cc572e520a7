import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { macKey } from '#domain/mac-key.ts';

/** A stored file, and what it is served as. */
export interface MediaFile {
  readonly blob: string;
  readonly contentType: string;
  /** How often a Member made the addresses of the Post that has the file void; left out: never. */
  readonly addressVersion?: number;
}

export interface MediaAddresses {
  /** Where Networks and people fetch the file. Throws where nothing of the type is served. */
  urlOf(file: MediaFile): string;
  /** The file that a name (the last part of such an address) stands for; null: none that was ever given out. */
  open(name: string): MediaFile | null;
}

export interface MediaAddressOptions {
  /** Address below which `/media/` is; asked when one is made, as the port may be chosen by then only. */
  readonly baseUrl: () => string;
  readonly secret: string;
  /** Master secrets of before: what was given out under them still opens. */
  readonly previousSecrets?: readonly string[];
}

export const MEDIA_PATH = '/media/:name';

/** Networks look at what a name ends in. One type each, so that the ending says the type. */
const ENDINGS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
};
const TYPES = new Map(Object.entries(ENDINGS).map(([contentType, ending]) => [ending, contentType]));
const TAG_BYTES = 16;
const NAME = /^([\w-]{22})-([\w-]{1,300})(?:\.([1-9]\d{0,8}))?\.([a-z]\w+)$/;

/**
 * Unguessable names of stored files, which no table holds: a MAC under a key derived from the installation's
 * secret, then the blob's name, the version of the address unless it is the first, and an ending that says the type.
 * Each blob is written once, so that a name stands for the same bytes for ever.
 */
export function createMediaAddresses({ baseUrl, secret, previousSecrets = [] }: MediaAddressOptions): MediaAddresses {
  const [key, ...previousKeys] = [secret, ...previousSecrets].map((each) => macKey(each, 'crier media addresses'));
  const tagOf = (under: KeyObject, { blob, contentType, addressVersion = 0 }: MediaFile) =>
    createHmac('sha256', under)
      .update(JSON.stringify([blob, contentType, ...(addressVersion === 0 ? [] : [addressVersion])]))
      .digest()
      .subarray(0, TAG_BYTES);
  return {
    urlOf: (file) => {
      const ending = ENDINGS[file.contentType];
      if (ending === undefined) throw new Error(`nothing of type ${file.contentType} is served`);
      const { blob, addressVersion = 0 } = file;
      const version = addressVersion === 0 ? '' : `.${addressVersion}`;
      return `${baseUrl()}${MEDIA_PATH.replace(':name', '')}${tagOf(key!, file).toString('base64url')}-${Buffer.from(blob).toString('base64url')}${version}.${ending}`;
    },
    open: (name) => {
      const [, tag = '', encoded = '', version, ending = ''] = NAME.exec(name) ?? [];
      const contentType = TYPES.get(ending);
      const [given, bytes] = [Buffer.from(tag, 'base64url'), Buffer.from(encoded, 'base64url')];
      // Unused bits at the end: only the one spelling that was given out counts.
      if (contentType === undefined || given.toString('base64url') !== tag || bytes.toString('base64url') !== encoded)
        return null;
      const blob = bytes.toString('utf8');
      const file = { blob, contentType, ...(version !== undefined && { addressVersion: Number(version) }) };
      return [key!, ...previousKeys].some((each) => timingSafeEqual(given, tagOf(each, file))) ? file : null;
    },
  };
}
