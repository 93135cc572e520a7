import { PortError } from '#ports/errors.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import { unfit, type FailedAnswer } from './answers.ts';

/** Of a Variant with a file that the store of files has not got, as after a restore without files. */
export const MISSING_FILE: FailedAnswer = unfit(
  'A file of this post is missing in the storage of this installation. Make the post again, with its files.',
);

/**
 * The bytes [from, to) for a call that publishes; null when they can't be read right now, `missing` when they never
 * can. Nothing has been sent by then, so that is a failure like any other and leaves no doubt about what is live.
 */
export async function readBytes(file: Rendition, from: number, to: number): Promise<Uint8Array | 'missing' | null> {
  try {
    return await file.read(from, to);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return isMissing(error) ? 'missing' : null;
  }
}

/**
 * What preparing comes to that failed with `error`, where a file is missing. Tried again for ever, it would hold back
 * all that its Channel publishes later. Throws any other error.
 */
export function withMissingFile(error: unknown): FailedAnswer {
  if (error instanceof PortError && isMissing(error)) return MISSING_FILE;
  throw error;
}

/** Only the store of files refuses anything to an adapter. */
function isMissing({ kind }: PortError): boolean {
  return kind === 'refused';
}
