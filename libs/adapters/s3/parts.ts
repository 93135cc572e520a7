import type { Readable } from 'node:stream';
import { freePiece } from '#ports/blob-pieces.ts';

/**
 * The stream in pieces of exactly `partBytes`; the last one may be shorter, or missing. Two buffers alternate: a piece
 * is valid until the piece after the next is requested, so that one can be sent while the next fills. Rejects as the
 * stream does. `freesPieces`: as of `PutOptions`.
 */
export async function* partsOf(content: Readable, partBytes: number, freesPieces = false): AsyncGenerator<Buffer> {
  const buffers: [Buffer, Buffer] = [Buffer.allocUnsafeSlow(partBytes), Buffer.alloc(0)];
  let [turn, filled] = [0, 0];
  for await (const chunk of content) {
    const piece = Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk as string | Uint8Array);
    for (let taken = 0; taken < piece.length;) {
      const buffer = buffers[turn as 0 | 1];
      const copied = piece.copy(buffer, filled, taken);
      taken += copied;
      filled += copied;
      if (filled < partBytes) continue;
      yield buffer;
      turn = 1 - turn;
      filled = 0;
      if (buffers[turn as 0 | 1].length === 0) buffers[turn as 0 | 1] = Buffer.allocUnsafeSlow(partBytes);
    }
    if (freesPieces) freePiece(piece);
  }
  if (filled > 0) yield buffers[turn as 0 | 1].subarray(0, filled);
}
