import { describe, expect, test } from 'vitest';
import type { Download } from '#ports/download.ts';

/** A file that the server of a test has. `contentType` '': the answer names none. */
export interface ServedFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export interface DownloadUnderTest {
  readonly download: Download;
  /** The address of a path of `files`, or of any other path. */
  addressOf(path: string): string;
}

const LARGE = Buffer.alloc(3_000_000, 'file of megabytes ');

/** What every Download must do. `open` serves the files by their paths; the adapter's test ends the server. */
export function downloadSuite(
  name: string,
  open: (files: ReadonlyMap<string, ServedFile>) => Promise<DownloadUnderTest>,
): void {
  const get = async (path: string, files: Readonly<Record<string, ServedFile>>) => {
    const { download, addressOf } = await open(new Map(Object.entries(files)));
    return download.get({ url: addressOf(path), timeoutMs: 10_000 });
  };

  describe(`${name}: the Download port`, () => {
    test.each([
      ['megabytes', LARGE],
      ['one byte', Buffer.from('a')],
      ['no bytes', Buffer.alloc(0)],
    ])('a file of %s arrives complete and in order, with its type', async (_what, bytes) => {
      const { status, contentType, body } = await get('/file', { '/file': { contentType: 'video/mp4', bytes } });
      expect([status, contentType]).toEqual([200, 'video/mp4']);
      expect((await bytesOf(body)).equals(bytes)).toBe(true);
    });

    test('a file without a type has an empty type', async () => {
      const { contentType } = await get('/file', { '/file': { contentType: '', bytes: LARGE.subarray(0, 10) } });
      expect(contentType).toBe('');
    });

    test('the address of no file is an answer of status 404', async () => {
      const { status } = await get('/other', { '/file': { contentType: 'video/mp4', bytes: LARGE } });
      expect(status).toBe(404);
    });

    test('a reader may leave before the end', async () => {
      const { body } = await get('/file', { '/file': { contentType: 'video/mp4', bytes: LARGE } });
      for await (const piece of body) {
        expect(piece.length).toBeGreaterThan(0);
        break;
      }
    });
  });
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}
