/**
 * Frees the memory of a piece of a file that nobody uses any more. V8 begins a major garbage collection, which stops
 * the event loop for 10 to 30 ms, whenever some 64 MB of Buffers have come since the last one, so that a few large
 * files at once have it do little else. A piece that is a part of something larger is left to the collector.
 */
export function freePiece({ buffer, byteOffset, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteOffset === 0 && byteLength === buffer.byteLength) buffer.transfer(0);
}
