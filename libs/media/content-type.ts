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

/** Content types that web servers send for files whose type they do not know. */
const SAYS_NOTHING = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/x-octet-stream',
  'application/unknown',
  'unknown/unknown',
]);

/** Of a Content-Type header: an accepted type, `unsaid`, or the one that is not accepted, cut for showing. */
export function readContentType(
  header: string | undefined,
): { readonly accepted: AcceptedType } | 'unsaid' | { readonly other: string } {
  const said = (header ?? '').split(/[;,]/)[0]!.trim().toLowerCase();
  if (SAYS_NOTHING.has(said)) return 'unsaid';
  const accepted = ACCEPTED_TYPES.find((type) => type === (ALIASES[said] ?? said));
  return accepted === undefined
    ? { other: /^[\w.+-]+\/[\w.+-]+$/.test(said) ? said.slice(0, 60) : 'something unnamed' }
    : { accepted };
}
