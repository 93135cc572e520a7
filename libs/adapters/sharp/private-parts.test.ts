import { expect, test } from 'vitest';
import { privatePartsOf } from './private-parts.ts';

function chunk(type: string, content: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(content.length);
  return Buffer.concat([Buffer.from(type, 'latin1'), size, content]);
}

function webp(...chunks: readonly Buffer[]): Buffer {
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]));
}

test('what follows a WebP is private to its last byte, though its notes claim to be longer than the picture', () => {
  const whole = webp(chunk('VP8L', Buffer.alloc(20)), chunk('EXIF', Buffer.alloc(100, 'Ada')));
  const file = Buffer.concat([whole, Buffer.alloc(200, 'N52')]);
  file.writeUInt32LE(whole.length - 8 - 40, 4);
  const notes = whole.length - 100;
  expect(privatePartsOf(file, 'image/webp')).toEqual([
    { at: notes, bytes: 100, by: '' },
    { at: whole.length, bytes: 200, by: '' },
  ]);
});

test('a WebP that ends within its header has no private parts', () => {
  expect(privatePartsOf(Buffer.from('RIFF'), 'image/webp')).toEqual([]);
});
