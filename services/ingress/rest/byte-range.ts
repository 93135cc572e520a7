export interface ByteRange {
  readonly start: number;
  /** Inclusive. */
  readonly end: number;
}

const ONE_RANGE = /^bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/;

/**
 * What a Range header selects of a file of `bytes`: one range; `all` where there is no range, where several are given
 * for or it is no range (as HTTP lets a server choose); `none` where it lies beyond the end.
 */
export function rangeOf(header: string | undefined, bytes: number): ByteRange | 'all' | 'none' {
  const match = header === undefined ? null : ONE_RANGE.exec(header.replaceAll(' ', ''));
  if (match === null) return 'all';
  const [, first, last = '', suffix] = match;
  if (suffix !== undefined)
    return Number(suffix) === 0 || bytes === 0
      ? 'none'
      : { start: Math.max(0, bytes - Number(suffix)), end: bytes - 1 };
  const start = Number(first);
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== '' && Number(last) < start) return 'all';
  return start >= bytes ? 'none' : { start, end };
}
