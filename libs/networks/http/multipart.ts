export interface FilePart {
  readonly field: string;
  readonly fileName: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /**
   * Does not occur in `bytes`, nor in the fields: a digest of the file will do. At most 70 characters of `A-Za-z0-9-`.
   */
  readonly boundary: string;
}

const BOUNDARY = /^[A-Za-z0-9-]{1,70}$/;

/** Fields and one file as the body of a multipart/form-data request. Throws when `boundary` does not part them. */
export function multipart(
  fields: Readonly<Record<string, string>>,
  file: FilePart,
): { readonly contentType: string; readonly body: Uint8Array } {
  const { boundary, bytes } = file;
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const isParting =
    BOUNDARY.test(boundary) &&
    !bytesOf(bytes).includes(`--${boundary}`) &&
    !Object.values(fields).some((value) => value.includes(boundary));
  if (!isParting) throw new Error('the boundary of a multipart body does not part it');
  const about = `content-disposition: form-data; name="${file.field}"; filename="${file.fileName}"\r\ncontent-type: ${file.contentType}\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(`${parts.join('')}--${boundary}\r\n${about}`),
    bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}

/** The same bytes, not a copy. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
