import { PortError } from '#ports/errors.ts';
import type { Row } from '#ports/table.ts';
import { isReadable, readsUpTo } from '../release.ts';

/**
 * Bodies are JSON; an empty body is a void one: the row counts as absent. A row names the format in which its form
 * began, not the newest one of its release: rows whose form did not change stay the same bytes, whichever release
 * writes them. Rows of turns name the format of their turn (see `PendingEffects`), which every owner keeps that writes
 * them again.
 *
 * This is the format of every form that never changed.
 */
export const BODY_FORMAT = 1;
export const VOID_BODY = new Uint8Array(0);

export function encodeBody(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

/**
 * null for a void body. Throws `PortError` for a body of a format that this release does not read: `unavailable`, so
 * that who read it tries again instead of parking the key. Such a row is met only by a process that was paused while
 * all others went on to a newer generation, and that ends as soon as it looks at the installation's format.
 */
export function decodeBody<T>(row: Pick<Row, 'body' | 'text' | 'format'>): T | null {
  if ((row.text ?? row.body).length === 0) return null;
  if (!isReadable(row.format))
    throw new PortError(
      'unavailable',
      `a row of format ${row.format} was written by a newer release; this one reads up to ${readsUpTo()}`,
    );
  return JSON.parse(row.text ?? textOf(row.body)) as T;
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}
