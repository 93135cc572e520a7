/**
 * Detaches the ArrayBuffer of a piece of a file, which frees its memory at once. The piece has no bytes afterwards.
 * Left to V8, Buffers that hold some 64 MB together cause a major garbage collection, which stops the event loop for 10
 * to 30 ms: several a second while a few large files come. A piece that shares its ArrayBuffer is left to V8.
 */
export function freePiece({ buffer, byteOffset, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteOffset === 0 && byteLength === buffer.byteLength) buffer.transfer(0);
}
