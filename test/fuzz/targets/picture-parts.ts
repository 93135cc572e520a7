import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import sharp from 'sharp';
import { privatePartsOf } from '#adapters/sharp/private-parts.ts';
import type { PrivatePart } from '#ports/media-tools.ts';
import { fuzzTarget } from '../fuzz-target.ts';
import { mutatedBytes } from '../mutations.ts';

interface Picture {
  readonly contentType: string;
  readonly file: Buffer;
}

const GPS = { IFD0: { Artist: 'Ada', Copyright: 'hers' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1' } };

async function samples(): Promise<readonly Picture[]> {
  const pixels = () => sharp({ create: { width: 40, height: 30, channels: 3, background: '#a05' } });
  const noted = () => pixels().withExif(GPS).withMetadata({ orientation: 6 }).withXmp('<x:xmpmeta/>');
  const picture = (file: Buffer, kind: string): Picture => ({ contentType: `image/${kind}`, file });
  return [
    picture(await noted().jpeg().toBuffer(), 'jpeg'),
    picture(await noted().jpeg({ progressive: true }).toBuffer(), 'jpeg'),
    picture(await noted().png().toBuffer(), 'png'),
    picture(await noted().webp().toBuffer(), 'webp'),
    picture(await noted().webp({ lossless: true }).toBuffer(), 'webp'),
    picture(readFileSync(new URL('../../../libs/testing/fixtures/picture.png', import.meta.url)), 'png'),
  ];
}

/** The picture ends within its last chunk, by what it says of its own length. */
function longerThanItself(webp: Buffer): Buffer {
  const copy = Buffer.concat([webp, Buffer.alloc(500, 'Ada')]);
  copy.writeUInt32LE(webp.length - 8 - 40, 4);
  return copy;
}

/** Parts stand one behind another inside the file, and what replaces each fits into it. */
export function assertParts(parts: readonly PrivatePart[], bytes: number): void {
  let end = 0;
  for (const part of parts) {
    assert(Number.isSafeInteger(part.at) && part.at >= end, `a part begins at ${part.at}, before ${end}`);
    end = part.at + part.bytes;
    assert(part.bytes >= 0 && end <= bytes, `a part ends at ${end}, and the file at ${bytes}`);
    assert(Buffer.from(part.by, 'base64').length <= part.bytes, 'what replaces a part is longer than it');
  }
}

export const pictureParts = fuzzTarget<Picture>({
  name: 'picture-parts',
  holds: 'the private parts of a picture lie in it, in order, whatever its bytes are',
  cases: 3_000,
  open: async () => {
    const pictures = await samples();
    return {
      inputs: fc
        .constantFrom(...pictures)
        .chain(({ contentType, file }) =>
          fc.record({ contentType: fc.constant(contentType), file: mutatedBytes(fc.constant(file)) }),
        ),
      crashes: {
        'what follows a WebP whose notes are longer than itself is private too': {
          contentType: 'image/webp',
          file: longerThanItself(pictures.find(({ contentType }) => contentType === 'image/webp')!.file),
        },
        'a WebP ends before its header': { contentType: 'image/webp', file: Buffer.from('RIFF') },
      },
      sizeOf: ({ file }) => file.length,
      check: ({ contentType, file }) => assertParts(privatePartsOf(file, contentType), file.length),
    };
  },
});
