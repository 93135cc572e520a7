import { readFile, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRealMediaTools } from '#testing/media-tools.ts';
import { box } from './hostile-files.fixture.ts';
import { openMediaFolder, type MediaFolder } from './made-files.fixture.ts';
import { overwriting } from './overwrite-parts.ts';

const tools = createRealMediaTools();
let bench: MediaFolder;
beforeAll(async () => {
  bench = await openMediaFolder('private-parts');
});
afterAll(async () => {
  await tools.close();
  await bench[Symbol.asyncDispose]();
});

/** What is served of a file. Fails the test unless it is taken, has the facts of the original, and is bare itself. */
async function served(name: string, original: Buffer): Promise<Buffer> {
  await writeFile(bench.path(name), original);
  const probed = await tools.probe({ workspaceId: 'w1', path: bench.path(name) });
  if (probed.kind !== 'known') throw new Error(probed.words);
  const bare = await buffer(Readable.from([original]).pipe(overwriting(probed.privateParts)));
  expect(bare).toHaveLength(original.length);
  await writeFile(bench.path(`bare-${name}`), bare);
  expect(await tools.probe({ workspaceId: 'w1', path: bench.path(`bare-${name}`) })).toMatchObject({
    kind: 'known',
    facts: probed.facts,
  });
  return bare;
}

const SECRETS = ['A camera of mine', 'N52', 'Ada Lovelace', 'xmpmeta', '51.5074'];
const secretsIn = (file: Buffer) => SECRETS.filter((secret) => file.includes(secret));
const EXIF = {
  IFD0: { Make: 'A camera of mine', Artist: 'Ada Lovelace' },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 30/1 0/1', GPSMapDatum: 'N52' },
};
const XMP = '<x:xmpmeta xmlns:x="adobe:ns:meta/"><a>51.5074</a></x:xmpmeta>';

const drawn = (orientation: number) =>
  sharp({ create: { width: 60, height: 40, channels: 3, background: 'blue' } })
    .composite([{ input: { create: { width: 30, height: 20, channels: 3, background: 'red' } }, left: 0, top: 0 }])
    .withMetadata({ orientation, exif: EXIF })
    .withExifMerge({ IFD0: EXIF.IFD0, IFD3: EXIF.IFD3 })
    .withXmp(XMP)
    .withIccProfile('p3');

const shownBy = async (file: Buffer) => sharp(file).autoOrient().raw().toBuffer({ resolveWithObject: true });

describe.each([1, 6])('a picture that is stored by orientation %i', (orientation) => {
  test.each<[string, () => Promise<Buffer>]>([
    ['jpg', () => drawn(orientation).jpeg().toBuffer()],
    ['progressive.jpg', () => drawn(orientation).jpeg({ progressive: true }).toBuffer()],
    ['png', () => drawn(orientation).png().toBuffer()],
    ['webp', () => drawn(orientation).webp({ lossless: true }).toBuffer()],
  ])('is served as %s without place, camera and name, and shows the same, in the same colours', async (name, make) => {
    const original = await make();
    expect(secretsIn(original).length).toBeGreaterThan(1);
    const bare = await served(`${orientation}.${name}`, original);
    expect(secretsIn(bare)).toEqual([]);
    const [before, after] = await Promise.all([shownBy(original), shownBy(bare)]);
    expect(after.info).toEqual(before.info);
    expect(after.data.equals(before.data)).toBe(true);
    const metadata = await sharp(bare).metadata();
    expect(metadata.icc).toBeDefined();
    expect(metadata.orientation ?? 1).toBe(orientation);
    expect((metadata.xmp ?? Buffer.alloc(1)).every((byte) => byte === 0)).toBe(true);
  });
});

test('comments, thumbnails of before a cut, and what follows a picture are not served', async () => {
  const plain = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer();
  const segment = (marker: number, content: string) => {
    const head = Buffer.from([0xff, marker, 0, 0]);
    head.writeUInt16BE(content.length + 2, 2);
    return Buffer.concat([head, Buffer.from(content, 'latin1')]);
  };
  const notes = [segment(0xfe, 'Ada Lovelace'), segment(0xed, 'Photoshop 3.0\0N52'), segment(0xe2, 'MPF\0N52')];
  const second = Buffer.from(`\xff\xd8 a second picture, N52, and a film${'.'.repeat(60)}`, 'latin1');
  const bare = await served('notes.jpg', Buffer.concat([plain.subarray(0, 2), ...notes, plain.subarray(2), second]));
  expect(secretsIn(bare)).toEqual([]);
  expect(bare.includes('second')).toBe(false);
  const png = await sharp(plain).png().toBuffer();
  expect((await served('trail.png', Buffer.concat([png, Buffer.from('N52'.repeat(30))]))).includes('N52')).toBe(false);
});

test('a file that says at most which program made it is served as it was sent, byte by byte', async () => {
  const drawing = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } });
  const pictures = { 'a.jpg': drawing.jpeg(), 'a.png': drawing.png(), 'a.webp': drawing.webp() };
  for (const [name, made] of Object.entries(pictures)) {
    const plain = await made.toBuffer();
    expect((await served(name, plain)).equals(plain), name).toBe(true);
  }
  for (const name of ['film.mp4', 'film.mov', 'frame.jpg']) {
    await bench.ffmpeg(
      '-f',
      'lavfi',
      '-i',
      'testsrc2=s=160x120:r=30:d=1',
      '-pix_fmt',
      'yuvj420p',
      ...codedFor(name),
      name,
    );
    const plain = await readFile(bench.path(name));
    expect((await served(name, plain)).equals(plain), name).toBe(true);
  }
});
const codedFor = (name: string): readonly string[] =>
  name.endsWith('.jpg') ? ['-frames:v', '1'] : ['-c:v', 'libx264'];

describe('a film', () => {
  const SOURCES = ['-f', 'lavfi', '-i', 'testsrc2=s=160x120:r=30:d=1', '-f', 'lavfi', '-i', 'sine=d=1'];
  const NOTED = ['-metadata', 'location=+51.5074-000.1278/', '-metadata', 'artist=Ada Lovelace'].concat(
    ...[
      ['-metadata', 'make=A camera of mine'],
      ['-metadata:s:v', 'comment=N52'],
      ['-map_metadata:s:v', '0'],
    ],
  );
  const contentOf = (name: string) =>
    bench.ffmpeg('-i', name, '-map', '0:v', '-map', '0:a', '-f', 'framemd5', `${name}.md5`).then(async () => {
      const lines = (await readFile(bench.path(`${name}.md5`), 'utf8')).split('\n');
      return lines.filter((line) => !line.startsWith('#'));
    });

  test.each<[string, readonly string[]]>([
    ['front.mp4', ['-movflags', '+faststart']],
    ['last.mov', ['-movflags', 'use_metadata_tags']],
  ])('is served without place, camera and name, and plays the same: %s', async (name, flags) => {
    await bench.ffmpeg(...SOURCES, '-c:v', 'libx264', '-c:a', 'aac', ...NOTED, ...flags, name);
    const original = await readFile(bench.path(name));
    expect(secretsIn(original)).toContain('Ada Lovelace');
    const bare = await served(name, original);
    expect(secretsIn(bare)).toEqual([]);
    expect(await contentOf(`bare-${name}`)).toEqual(await contentOf(name));
  });

  test('what follows its boxes, and what a sensor said in a track of its own, are not served', async () => {
    await bench.ffmpeg(...SOURCES, '-c:v', 'libx264', '-c:a', 'aac', 'sensor.mp4');
    const film = await readFile(bench.path('sensor.mp4'));
    // The track of sound becomes one of a sensor.
    const handler = film.indexOf('soun');
    film.write('meta', handler, 'latin1');
    const uuid = box('uuid', `${'\0'.repeat(16)}N52`);
    const bare = await served('sensor-bare.mp4', Buffer.concat([film, uuid]));
    expect([secretsIn(bare), bare.indexOf('meta', handler - 200) === handler]).toEqual([[], false]);
    const [before, after] = await Promise.all([tracksOf('sensor.mp4'), tracksOf('bare-sensor-bare.mp4')]);
    expect([before, after]).toEqual([['video', 'audio'], ['video']]);
    // Samples of the sound are gone; those of the picture play on.
    const changed = film.filter((byte, at) => byte !== 0 && bare[at] === 0).length;
    expect(changed).toBeGreaterThan(5_000);
  });

  async function tracksOf(name: string): Promise<readonly string[]> {
    const said = await bench.ffmpeg('-i', name, '-map', '0:v', '-c', 'copy', '-f', 'null', '-');
    return [...said.matchAll(/Stream #0:\d.*?: (Video|Audio)/g)]
      .map(([, kind]) => kind!.toLowerCase())
      .slice(0, said.includes('Audio') ? 2 : 1);
  }
});
