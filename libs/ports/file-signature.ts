import type { AcceptedType } from '#domain/media/file-facts.ts';

/** The format that the first bytes of a file indicate, or why it can not be accepted, in words for a person. */
export type Signature =
  | { readonly kind: 'accepted'; readonly contentType: AcceptedType }
  | { readonly kind: 'refused'; readonly words: string };

/** The number of bytes that suffice. */
export const SIGNATURE_BYTES = 64;

const TAKEN = 'JPEG, PNG and WebP pictures, and MP4 and MOV videos';

/** Formats that people mistake for accepted ones, by the names that people know. */
const OTHERS: readonly (readonly [begins: RegExp, name: string, instead: string])[] = [
  [/^GIF8[79]a/, 'a GIF', 'Save it as a PNG, or as an MP4 if it moves.'],
  [/^II\*\0|^MM\0\*/, 'a TIFF or raw picture', 'Save it as a JPEG.'],
  [/^BM/, 'a BMP picture', 'Save it as a PNG.'],
  [/^%PDF/, 'a PDF', 'Save its pages as JPEGs.'],
  [/^\x1A\x45\xDF\xA3/, 'a WebM or Matroska video', 'Save it as an MP4.'],
  [/^RIFF....AVI /s, 'an AVI video', 'Save it as an MP4.'],
  [/^(\uFEFF|\xEF\xBB\xBF)?\s*(<|&lt;)/, 'a web page or a drawing (SVG)', 'Save it as a PNG.'],
  [/^(\uFEFF|\xEF\xBB\xBF)?\s*(#EXTM3U|ffconcat)/, 'a playlist', 'Give the video itself.'],
];

/** Brands of ISO base media files that hold still pictures. */
const STILL_BRANDS: Readonly<Record<string, string>> = {
  ...{ heic: 'HEIC', heix: 'HEIC', hevc: 'HEIC', hevx: 'HEIC', heim: 'HEIC', heis: 'HEIC', mif1: 'HEIC', msf1: 'HEIC' },
  ...{ avif: 'AVIF', avis: 'AVIF', 'crx ': 'CR3' },
};
/**
 * The first boxes of a QuickTime file without a signature of its own, which older programs write; MP4 always has one.
 */
const QUICKTIME_BOXES: ReadonlySet<string> = new Set(['moov', 'mdat', 'wide', 'free', 'skip', 'pnot']);

/**
 * `head`: the first bytes of the file, `SIGNATURE_BYTES` of them or all there are. Decoding the file later decides
 * whether the rest is of that format.
 */
export function signatureOf(head: Uint8Array): Signature {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1');
  if (text === '') return refused('The file is empty.');
  if (text.startsWith('\xFF\xD8\xFF')) return accepted('image/jpeg');
  if (text.startsWith('\x89PNG\r\n\x1A\n')) return accepted('image/png');
  if (/^RIFF....WEBP/s.test(text)) return accepted('image/webp');
  const box = text.slice(4, 8);
  if (box === 'ftyp') return ofBrand(text.slice(8, 12));
  if (QUICKTIME_BOXES.has(box)) return accepted('video/quicktime');
  const other = OTHERS.find(([begins]) => begins.test(text));
  if (other !== undefined) return refused(`The file is ${other[1]}. ${other[2]}`);
  return refused(`The file is none that can be posted: ${TAKEN} can.`);
}

function ofBrand(brand: string): Signature {
  const still = STILL_BRANDS[brand];
  if (still !== undefined)
    return refused(`The file is a ${still} picture, which Networks do not take. Save it as a JPEG.`);
  if (brand === 'M4A ' || brand === 'M4B ') return refused('The file holds sound without a picture.');
  return accepted(brand === 'qt  ' ? 'video/quicktime' : 'video/mp4');
}

function accepted(contentType: AcceptedType): Signature {
  return { kind: 'accepted', contentType };
}

function refused(words: string): Signature {
  return { kind: 'refused', words };
}
