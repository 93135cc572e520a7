import { createHash } from 'node:crypto';
import type { FileFacts } from '#domain/media/file-facts.ts';
import { renditionKey, type Target } from '#domain/media/target.ts';

export type PictureType = 'image/png' | 'image/jpeg';

const PNG_HEAD = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const JPEG_HEAD = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0001108', 'hex');

/** The head of a picture, by which its type and size are known, and `words` in place of what it shows. */
export function pictureOf(type: PictureType, width: number, height: number, words: string): Buffer {
  const size = Buffer.alloc(type === 'image/png' ? 8 : 4);
  if (type === 'image/png') size.writeUInt32BE(width, 0);
  if (type === 'image/png') size.writeUInt32BE(height, 4);
  if (type === 'image/jpeg') size.writeUInt16BE(height, 0);
  if (type === 'image/jpeg') size.writeUInt16BE(width, 2);
  return Buffer.concat([type === 'image/png' ? PNG_HEAD : JPEG_HEAD, size, Buffer.from(` ${words}`)]);
}

/** What tools find out of such a picture; null: it is none. */
export function factsOf(bytes: Buffer): FileFacts | null {
  const isPng = bytes.subarray(0, PNG_HEAD.length).equals(PNG_HEAD);
  if (!isPng && !bytes.subarray(0, JPEG_HEAD.length).equals(JPEG_HEAD)) return null;
  const at = isPng ? PNG_HEAD.length : JPEG_HEAD.length;
  return {
    kind: 'image',
    contentType: isPng ? 'image/png' : 'image/jpeg',
    bytes: bytes.length,
    sha256: sha256Of(bytes),
    width: isPng ? bytes.readUInt32BE(at) : bytes.readUInt16BE(at + 2),
    height: isPng ? bytes.readUInt32BE(at + 4) : bytes.readUInt16BE(at),
    durationMs: null,
  };
}

/** What tools make of a picture for a target: other bytes for each picture and each target, and always the same. */
export function converted(bytes: Buffer, target: Target): Buffer {
  if (target.kind !== 'image') throw new Error(`no picture is made into ${target.kind}`);
  const isPng = target.format === 'png-when-apt' && factsOf(bytes)?.contentType === 'image/png';
  const { width, height } = target.canvas;
  const words = `made of ${sha256Of(bytes)} for ${renditionKey(target)}`;
  return pictureOf(isPng ? 'image/png' : 'image/jpeg', width, height, words);
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
