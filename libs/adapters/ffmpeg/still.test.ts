import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { childGroupsWith } from '#adapters/child-process/process-group.fixture.ts';
import type { FileFacts } from '#domain/media/file-facts.ts';
import { stillTarget, type ImageTarget } from '#domain/media/target.ts';
import {
  colourAt,
  convertedFile,
  distance,
  factsOf,
  imageTargetFor,
  openMediaFolder,
  videoTargetFor,
  type Colour,
  type MediaFolder,
} from '#media/made-files.fixture.ts';
import { createRealMediaTools } from '#testing/media-tools.ts';
import { filmColourAt } from './measured.fixture.ts';

const tools = createRealMediaTools();
let harness: MediaFolder;
beforeAll(async () => {
  harness = await openMediaFolder('stills');
  const three = ['red', 'lime', 'blue'].flatMap((name) => ['-f', 'lavfi', '-i', `color=${name}:s=320x240:r=30:d=2`]);
  const joined = ['-filter_complex', '[0][1][2]concat=n=3:v=1', '-c:v', 'libx264', '-pix_fmt', 'yuv420p'];
  // One key frame: any other instant is decoded from there.
  await harness.ffmpeg(...three, ...joined, '-bf', '3', '-g', '300', 'three.mp4');
  await harness.ffmpeg('-ss', '1', '-i', 'three.mp4', '-c', 'copy', 'cut.mp4');
  const sound = ['-f', 'lavfi', '-i', 'sine=d=9', '-map', '0:v', '-map', '1:a', '-c:v', 'copy', '-c:a', 'aac'];
  await harness.ffmpeg('-itsoffset', '0.7', '-i', 'three.mp4', ...sound, 'delayed.mp4');
  const slides = ['red', 'lime'].flatMap((name) => ['-f', 'lavfi', '-i', `color=${name}:s=320x240:r=1/60:d=60`]);
  await harness.ffmpeg(...slides, '-filter_complex', '[0][1]concat=n=2:v=1', '-pix_fmt', 'yuv420p', 'slides.mp4');
  await harness.ffmpeg('-i', 'three.mp4', '-c', 'copy', '-metadata:s:v', 'rotate=90', 'turned.mov');
});
afterAll(async () => {
  await tools.close();
  await harness[Symbol.asyncDispose]();
});

const COLOURS = { red: [255, 0, 0], green: [0, 255, 0], blue: [0, 0, 255] } as const satisfies Record<string, Colour>;
/** What a JPEG and the colours of a video leave of a plain colour. */
const NEAR = 8;

const known = new Map<string, Promise<FileFacts>>();
function factsFor(name: string): Promise<FileFacts> {
  const facts = known.get(name) ?? factsOf(tools, harness.path(name));
  known.set(name, facts);
  return facts;
}

let files = 0;
async function stillOf(name: string, atMs: number, about: Partial<ImageTarget> = {}) {
  const path = harness.path(name);
  const facts = await factsFor(name);
  const target = stillTarget(imageTargetFor(facts, about), atMs);
  const into = harness.path(`still-${++files}.jpg`);
  return { into, answer: await tools.convert({ workspaceId: 'w1', source: { path, facts }, target, into }) };
}

describe('the picture of a video at an instant', () => {
  test.each<[string, number, keyof typeof COLOURS]>([
    ['three.mp4', 1_999, 'red'],
    ['three.mp4', 2_000, 'green'],
    ['three.mp4', 4_000, 'blue'],
    ['three.mp4', 6_000, 'blue'],
    ['cut.mp4', 1_100, 'green'],
    ['cut.mp4', 3_100, 'blue'],
    ['delayed.mp4', 0, 'red'],
    ['delayed.mp4', 2_800, 'green'],
    ['delayed.mp4', 9_000, 'blue'],
    ['slides.mp4', 59_000, 'red'],
    ['slides.mp4', 119_000, 'green'],
  ])('of %s at %i ms is %s, and a JPEG', async (name, atMs, colour) => {
    const { into, answer } = await stillOf(name, atMs);
    expect(answer).toMatchObject({
      ...{ kind: 'converted', contentType: 'image/jpeg', reused: false },
      ...{ width: 320, height: 240, durationMs: null },
    });
    expect(distance(await colourAt(into, 0.5, 0.5), COLOURS[colour])).toBeLessThan(NEAR);
  });

  test('of a phone is upright, and padded to the canvas', async () => {
    const { into, answer } = await stillOf('turned.mov', 1_000, {
      canvas: { width: 400, height: 200 },
      picture: { width: 150, height: 200 },
      background: 'black',
    });
    expect(answer).toMatchObject({ kind: 'converted', width: 400, height: 200 });
    expect(distance(await colourAt(into, 0.5, 0.5), COLOURS.red)).toBeLessThan(NEAR);
    expect(distance(await colourAt(into, 0.1, 0.5), [0, 0, 0])).toBeLessThan(NEAR);
  });

  test('of high dynamic range has the colours of the converted video', async () => {
    const tags = ['-color_primaries', 'bt2020', '-color_trc', 'smpte2084', '-colorspace', 'bt2020nc'];
    const grey = 'color=gray:s=320x240:r=30:d=1,format=yuv420p10le';
    await harness.ffmpeg('-f', 'lavfi', '-i', grey, '-c:v', 'libx265', ...tags, '-tag:v', 'hvc1', 'bright.mp4');
    const { into } = await stillOf('bright.mp4', 500);
    const film = harness.path('standard.mp4');
    await convertedFile(tools, harness.path('bright.mp4'), film, videoTargetFor);
    const shown = await filmColourAt(harness, film, 0.5, 0.5, 0.5);
    expect(distance(await colourAt(into, 0.5, 0.5), shown)).toBeLessThan(NEAR);
  });

  test('is taken once, and leaves no other file', async () => {
    const before = await harness.names();
    const { into } = await stillOf('three.mp4', 0);
    expect((await harness.names()).filter((name) => !before.includes(name))).toEqual([into.split('/').at(-1)]);
  });

  test('that was given up leaves no file and no process', async () => {
    const path = harness.path('three.mp4');
    const facts = await factsFor('three.mp4');
    const before = await harness.names();
    const target = stillTarget(imageTargetFor(facts), 5_000);
    const into = harness.path('given-up.jpg');
    await expect(
      tools.convert({
        workspaceId: 'w1',
        source: { path, facts },
        target,
        into,
        signal: AbortSignal.abort(new Error('over')),
      }),
    ).rejects.toThrow('over');
    expect(await harness.names()).toEqual(before);
    expect(await childGroupsWith('ffmpeg', process.pid)).toEqual([]);
  });

  test('of a video whose pictures are damaged is refused in words', async () => {
    const film = await readFile(harness.path('three.mp4'));
    const at = film.indexOf('mdat') + 4;
    film.fill(0, at, at + film.readUInt32BE(at - 8) - 8);
    await writeFile(harness.path('damaged.mp4'), film);
    const path = harness.path('damaged.mp4');
    const facts = await factsFor('three.mp4');
    const into = harness.path('never.jpg');
    const target = stillTarget(imageTargetFor(facts), 1_000);
    expect(await tools.convert({ workspaceId: 'w1', source: { path, facts }, target, into })).toMatchObject({
      kind: 'refused',
      words: expect.stringMatching(/^The video /),
    });
    expect((await harness.names()).filter((name) => name.startsWith('never'))).toEqual([]);
  });
});
