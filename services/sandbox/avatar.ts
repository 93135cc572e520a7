import { crc32, deflateSync } from 'node:zlib';
import type { Account } from './accounts.ts';

export const AVATAR_TYPE = 'image/png';
/** Pixels of a side; a pattern of 5 by 5 squares with a margin of half a square around it. */
const SIDE = 240;
const SQUARE = 40;
const SQUARES = 5;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The Networks' own addresses of pictures end in this; a client gets another size by replacing it. */
export function avatarPath(account: Account): string {
  return `/sandbox/avatars/${account.accountId}_normal.png`;
}

/** A picture for each account, as PNG: a symmetric pattern and a colour, both derived from its id. */
export function avatarPng(account: Account): Buffer {
  const seed = [...account.accountId].reduce((sum, digit) => (sum * 31 + digit.charCodeAt(0)) >>> 0, 7);
  const isFilled = (across: number, down: number): boolean =>
    across >= 0 && down >= 0 && ((seed >>> (down * 3 + Math.min(across, SQUARES - 1 - across))) & 1) === 1;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  // 8 bits for each pixel, which are indexes of the palette.
  header.set([8, 3, 0, 0, 0], 8);
  const rows = Array.from({ length: SIDE }, (_, y) => {
    const row = Buffer.alloc(1 + SIDE);
    for (let x = 0; x < SIDE; x++) row[1 + x] = isFilled(squareAt(x), squareAt(y)) ? 1 : 0;
    return row;
  });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from([0xf0, 0xf0, 0xf0, ...colourOf(seed)])),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The square of the pattern at a pixel; -1 in the margin. */
function squareAt(pixel: number): number {
  const square = Math.floor((pixel - SQUARE / 2) / SQUARE);
  return square < SQUARES ? square : -1;
}

/** Dark enough to stand out from the background. */
function colourOf(seed: number): readonly number[] {
  return [seed, seed >>> 8, seed >>> 16].map((byte) => 40 + (byte & 0x7f));
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, sum]);
}
