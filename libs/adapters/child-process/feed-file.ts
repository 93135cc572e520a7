import { open } from 'node:fs/promises';
import type { Writable } from 'node:stream';

/** What a program reads from its standard input: a line, and behind it the first bytes of a file. */
export interface FedFile {
  /** With its end of line. */
  readonly line: string;
  readonly path: string;
  readonly bytes: number;
}

/** About as much as a pipe between two processes holds. */
const PIECE_BYTES = 262_144;

/** `not taken`: the program reads no more, and its end says why. `unreadable`: what is wrong with the file. */
export type FedEnd = 'whole' | 'not taken' | { readonly unreadable: string };

/** Resolves when all of it is in the pipe, or when it is known that it never will be. Reads into one buffer. */
export async function feedFile(stdin: Writable, { line, path, bytes }: FedFile): Promise<FedEnd> {
  try {
    await using file = await open(path);
    const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(line) + PIECE_BYTES);
    let filled = buffer.write(line);
    let left = bytes;
    do {
      const { bytesRead } = await file.read(buffer, filled, Math.min(left, PIECE_BYTES));
      if (bytesRead === 0 && left > 0) return { unreadable: `${path} is ${left} bytes shorter than it was` };
      left -= bytesRead;
      if (!(await isWritten(stdin, buffer.subarray(0, filled + bytesRead)))) return 'not taken';
      filled = 0;
    } while (left > 0);
    return 'whole';
  } catch (error) {
    return { unreadable: (error as Error).message };
  }
}

function isWritten(stdin: Writable, piece: Uint8Array): Promise<boolean> {
  return new Promise((resolve) => {
    stdin.write(piece, (error) => resolve(error == null));
  });
}
