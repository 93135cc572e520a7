import { PortError } from '#ports/errors.ts';
import type { Rendition } from '#ports/rendition-source.ts';

/**
 * The bytes [from, to) for a call that publishes; null when they can't be read right now. Nothing has been sent by
 * then, so that is a failure like any other and leaves no doubt about what is live.
 */
export async function readBytes(file: Rendition, from: number, to: number): Promise<Uint8Array | null> {
  try {
    return await file.read(from, to);
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return null;
  }
}
