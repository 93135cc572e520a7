import { PortError } from '#ports/errors.ts';

const NAME = /^[a-z0-9_-]+(\/[a-z0-9_-]+)*$/;
const MAX_NAME_LENGTH = 200;

/** Without dots, empty segments or capitals a name means the same in a file system, in a URL and in a bucket. Throws `PortError` `refused`. */
export function checkBlobName(name: string): void {
  if (name.length > MAX_NAME_LENGTH || !NAME.test(name)) throw new PortError('refused', `not a blob's name: ${JSON.stringify(name.slice(0, MAX_NAME_LENGTH))}`);
}

/** Throws `PortError` `refused` unless `start` and `end` are whole and in order. */
export function checkBlobRange(range: { readonly start: number; readonly end: number } | undefined): void {
  if (range === undefined) return;
  const { start, end } = range;
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < start) throw new PortError('refused', `not a range: ${start} to ${end}`);
}
