/** The text of a file, or words that say why there is none. */
export type FileTextReading =
  { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

/**
 * The text of a CSV file: UTF-8, or UTF-16 with its mark, as Excel writes it at times. Any other encoding is refused:
 * read as UTF-8, each letter with an accent would become another sign, and be published so.
 */
export function readFileText(bytes: Uint8Array): FileTextReading {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    return { ok: true, text: new TextDecoder(isWide ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return { ok: false, message: 'The file is not in UTF-8. Save it again as "CSV UTF-8"' };
  }
}
