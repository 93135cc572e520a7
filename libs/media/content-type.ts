import { ACCEPTED_TYPES, type AcceptedType } from '#domain/media/file-facts.ts';

/** Other names of the accepted types that servers use. */
const ALIASES: Readonly<Record<string, AcceptedType>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'application/mp4': 'video/mp4',
  'video/x-m4v': 'video/mp4',
  'video/mov': 'video/quicktime',
};

/** What stores say of a file that nobody told them the type of. */
const SAYS_NOTHING = new Set(['', 'application/octet-stream', 'binary/octet-stream', 'application/x-octet-stream', 'application/unknown', 'unknown/unknown']);

/** Of a Content-Type header: an accepted type, `unsaid`, or the one that is not accepted, cut for showing. */
export function readContentType(header: string | undefined): { readonly accepted: AcceptedType } | 'unsaid' | { readonly other: string } {
  const said = (header ?? '').split(/[;,]/)[0]!.trim().toLowerCase();
  if (SAYS_NOTHING.has(said)) return 'unsaid';
  const accepted = ACCEPTED_TYPES.find((type) => type === (ALIASES[said] ?? said));
  return accepted === undefined ? { other: /^[\w.+-]+\/[\w.+-]+$/.test(said) ? said.slice(0, 60) : 'something unnamed' } : { accepted };
}

/** How many bytes from the start `typeOfFirstBytes` looks at. */
export const FIRST_BYTES = 16;

/** Brands of files that have an MP4's boxes and hold still pictures. */
const PICTURE_BRANDS = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1', 'avif', 'avis', 'crx ']);

/**
 * The accepted type that a file begins as, or null. For files whose server says no type: a name would only be somebody's wish. It is a first
 * opinion; whether the rest holds what the start promises shows when the file is decoded.
 */
export function typeOfFirstBytes(bytes: Uint8Array): AcceptedType | null {
  const text = (from: number, to: number): string => Buffer.from(bytes.subarray(from, to)).toString('latin1');
  if (text(0, 3) === '\xff\xd8\xff') return 'image/jpeg';
  if (text(0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return 'image/webp';
  const box = text(4, 8);
  if (box === 'ftyp') return text(8, 12) === 'qt  ' ? 'video/quicktime' : PICTURE_BRANDS.has(text(8, 12)) ? null : 'video/mp4';
  // QuickTime before 2001 has no type box.
  return ['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'].includes(box) ? 'video/quicktime' : null;
}
