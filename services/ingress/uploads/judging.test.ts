import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { createLocalFiles } from '#adapters/filesystem/local-files.ts';
import { createMemoryBlobStore } from '#adapters/memory/blob-store.ts';
import { createRealMediaTools } from '#testing/media-tools.ts';
import { createJudge } from './judging.ts';

test('of a picture with a place the copy without it counts; of one without, the picture itself', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crier-judging-'));
  const tools = createRealMediaTools();
  try {
    const blobs = createMemoryBlobStore();
    const judge = createJudge({ tools, blobs, files: createLocalFiles({ blobs, folder }) });
    const plain = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } }).jpeg();
    const judged = async (blob: string, file: Buffer) => {
      const facts = await blobs.put(blob, Readable.from([file]), { maxBytes: file.length });
      return { facts, judged: await judge('w1', { blob, ...facts }) };
    };
    const bare = await judged('a', await plain.toBuffer());
    expect(bare.judged).toMatchObject({ kind: 'facts', blob: 'a', facts: bare.facts });
    const placed = await judged('b', await plain.withExif({ IFD3: { GPSMapDatum: 'N52' } }).toBuffer());
    expect(placed.judged).toMatchObject({ kind: 'facts', blob: 'b-bare', facts: { bytes: placed.facts.bytes } });
    expect(placed.judged).not.toMatchObject({ facts: { sha256: placed.facts.sha256 } });
    expect((await buffer(await blobs.get('b-bare'))).includes('N52')).toBe(false);
  } finally {
    await tools.close();
    await rm(folder, { recursive: true, force: true });
  }
});
