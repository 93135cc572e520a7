/**
 * Whether a file is a picture and nothing else: no metadata of place or camera, no second picture, no page or program
 * that follows it or hides in a comment. Only such a file is passed on as it is.
 */
export function isPlainFile(file: Buffer, contentType: string): boolean {
  if (contentType === 'image/jpeg') return isPlainJpeg(file);
  return contentType === 'image/png' && pngChunks(file)?.every((type) => PLAIN_CHUNKS.has(type)) === true;
}

const PLAIN_CHUNKS: ReadonlySet<string> = new Set([
  'IHDR',
  'PLTE',
  'IDAT',
  'IEND',
  'tRNS',
  'sRGB',
  'gAMA',
  'cHRM',
  'pHYs',
  'sBIT',
  'bKGD',
]);
const PNG_SIGNATURE_BYTES = 8;

/** The types of all chunks, in order, each once if it is repeated; null where the chunks do not end with the file. */
function pngChunks(file: Buffer): readonly string[] | null {
  const types = new Set<string>();
  let at = PNG_SIGNATURE_BYTES;
  while (at + 12 <= file.length) {
    const type = file.toString('latin1', at + 4, at + 8);
    types.add(type);
    at += 12 + file.readUInt32BE(at);
    if (type === 'IEND') return at === file.length ? [...types] : null;
  }
  return null;
}

const START_OF_BASELINE = 0xc0;
const START_OF_SCAN = 0xda;
const APP0 = 0xe0;
const APP14 = 0xee;
/** Quantizers, Huffman tables, restart interval, JFIF and Adobe headers, baseline frame. */
const PLAIN_SEGMENTS: ReadonlySet<number> = new Set([0xdb, 0xc4, 0xdd, APP0, APP14, START_OF_BASELINE]);
const END = Buffer.from([0xff, 0xd9]);

/**
 * Baseline, sequential, in one scan, and without a colour profile: a viewer that ignores the profile shows other
 * colours.
 */
function isPlainJpeg(file: Buffer): boolean {
  let at = 2;
  while (at + 4 <= file.length && file[at] === 0xff) {
    const marker = file[at + 1]!;
    // Within a scan only the end marker can look like it: there every byte 255 is followed by a 0.
    if (marker === START_OF_SCAN) return file.indexOf(END, at) === file.length - END.length;
    if (!PLAIN_SEGMENTS.has(marker)) return false;
    at += 2 + file.readUInt16BE(at + 2);
  }
  return false;
}
