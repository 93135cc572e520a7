import { copyFile, readFile, writeFile } from 'node:fs/promises';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FileFacts } from '#domain/media/file-facts.ts';
import type { ImageTarget } from '#domain/media/target.ts';
import {
  openMediaFolder,
  colourAt,
  convertedFile,
  distance,
  imageTargetFor,
  type MediaFolder,
  type Colour,
} from '#media/made-files.fixture.ts';
import { createRealMediaTools } from '#testing/media-tools.ts';

const tools = createRealMediaTools();
let harness: MediaFolder;
beforeAll(async () => {
  harness = await openMediaFolder('pictures');
});
afterAll(async () => {
  await tools.close();
  await harness[Symbol.asyncDispose]();
});

const RED: Colour = [220, 20, 30];
const GREEN: Colour = [20, 200, 40];
const BLUE: Colour = [30, 40, 210];
const WHITE: Colour = [255, 255, 255];

const box = (colour: Colour, left: number, top: number, width: number, height: number) =>
  ({
    input: { create: { width, height, channels: 3, background: { r: colour[0], g: colour[1], b: colour[2] } } },
    left,
    top,
  }) as const;

/** 120 by 80: red at the top left, green at the top right, blue below. */
const CORNERS = sharp({ create: { width: 120, height: 80, channels: 3, background: 'blue' } }).composite([
  box(BLUE, 0, 40, 120, 40),
  box(RED, 0, 0, 60, 40),
  box(GREEN, 60, 0, 60, 40),
]);
/** Random dots, which compress worst. */
const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, background: 'grey', noise: { type: 'gaussian', mean: 128, sigma: 60 } },
  });

let files = 0;
async function make(picture: Sharp, target: (facts: FileFacts) => ImageTarget = imageTargetFor) {
  const [path, into] = [harness.path(`source-${++files}`), harness.path(`result-${files}`)];
  await writeFile(path, await picture.toBuffer());
  const made = await convertedFile(tools, path, into, target);
  return { ...made, path: made.reused ? path : into, metadata: made.reused ? null : await sharp(into).metadata() };
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])('orientation %i is applied and removed from the metadata', async (orientation) => {
  const turned = await unturned(orientation);
  const { path, facts, metadata } = await make(turned.withMetadata({ orientation }).jpeg({ quality: 95 }));
  expect([facts.width, facts.height]).toEqual([120, 80]);
  expect(metadata).toMatchObject({ width: 120, height: 80, format: 'jpeg' });
  expect(metadata?.orientation).toBeUndefined();
  const seen = await Promise.all([colourAt(path, 0.2, 0.2), colourAt(path, 0.8, 0.2), colourAt(path, 0.5, 0.8)]);
  seen.forEach((colour, index) => expect(distance(colour, [RED, GREEN, BLUE][index]!)).toBeLessThan(8));
});

/** The corners, stored as a camera in that position would store them. */
async function unturned(orientation: number): Promise<Sharp> {
  const upright = await CORNERS.clone().png().toBuffer();
  const flop = [2, 4, 5, 7].includes(orientation);
  const angle = { 1: 0, 2: 0, 3: 180, 4: 180, 5: 270, 6: 270, 7: 90, 8: 90 }[orientation]!;
  const flopped = flop ? await sharp(upright).flop().png().toBuffer() : upright;
  return sharp(await sharp(flopped).rotate(angle).png().toBuffer());
}

describe('colours', () => {
  test('of a wide gamut come out with the same look', async () => {
    const wide = CORNERS.clone().withIccProfile('p3').jpeg({ quality: 95 });
    expect((await sharp(await wide.toBuffer()).metadata()).icc).toBeDefined();
    const { path, metadata } = await make(wide);
    expect(metadata?.icc).toBeUndefined();
    for (const [x, y, colour] of [
      [0.2, 0.2, RED],
      [0.8, 0.2, GREEN],
      [0.5, 0.8, BLUE],
    ] as const)
      expect(distance(await colourAt(path, x, y), colour)).toBeLessThan(8);
  });

  test('of print become colours of screens', async () => {
    const { path, metadata } = await make(
      CORNERS.clone().toColourspace('cmyk').withIccProfile('cmyk').jpeg({ quality: 95 }),
    );
    expect(metadata).toMatchObject({ space: 'srgb', channels: 3 });
    const [red, green, blue] = await Promise.all([
      colourAt(path, 0.2, 0.2),
      colourAt(path, 0.8, 0.2),
      colourAt(path, 0.5, 0.8),
    ]);
    expect(distance(red, RED)).toBeLessThan(60);
    expect(green[1]).toBeGreaterThan(green[0] + 30);
    expect(blue[2]).toBeGreaterThan(blue[0] + 30);
  });

  test('of 16 bits become 8', async () => {
    const { path, metadata } = await make(CORNERS.clone().toColourspace('rgb16').png());
    expect(metadata).toMatchObject({ depth: 'uchar', space: 'srgb', format: 'jpeg' });
    expect(distance(await colourAt(path, 0.2, 0.2), RED)).toBeLessThan(8);
  });

  test('of grey stay grey', async () => {
    const { path } = await make(
      sharp(await CORNERS.clone().png().toBuffer())
        .greyscale()
        .png(),
    );
    const [red, green, blue] = await colourAt(path, 0.2, 0.2);
    expect(Math.max(red, green, blue) - Math.min(red, green, blue)).toBeLessThan(4);
  });
});

const SEE_THROUGH = sharp({
  create: { width: 100, height: 100, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
}).composite([box(RED, 0, 0, 50, 100)]);

test('transparent parts are white in a JPEG', async () => {
  for (const source of [SEE_THROUGH.clone().png(), SEE_THROUGH.clone().webp({ lossless: true })]) {
    const { path, metadata } = await make(source);
    expect(metadata).toMatchObject({ format: 'jpeg', hasAlpha: false, isProgressive: false });
    expect(distance(await colourAt(path, 0.8, 0.5), WHITE)).toBeLessThan(3);
    expect(distance(await colourAt(path, 0.2, 0.5), RED)).toBeLessThan(8);
  }
});

describe('a PNG where the target allows PNG', () => {
  const apt =
    (more: Partial<ImageTarget> = {}) =>
    (facts: FileFacts) =>
      imageTargetFor(facts, { format: 'png-when-apt', ...more });

  test('stays a PNG, unchanged, when it is transparent', async () => {
    expect(await make(SEE_THROUGH.clone().png(), apt())).toMatchObject({ contentType: 'image/png', reused: true });
  });

  test('stays a PNG, made smaller, when it is too large', async () => {
    const { path, contentType } = await make(
      SEE_THROUGH.clone().png(),
      apt({ canvas: { width: 50, height: 50 }, picture: { width: 50, height: 50 } }),
    );
    expect(contentType).toBe('image/png');
    expect(await sharp(path).stats()).toMatchObject({ isOpaque: false });
  });

  test('stays a PNG when it has flat colours', async () => {
    expect(await make(CORNERS.clone().png(), apt())).toMatchObject({ contentType: 'image/png', reused: true });
  });

  test('becomes a JPEG when it is a photograph, or does not fit', async () => {
    expect(await make(noise(200, 200).png(), apt())).toMatchObject({ contentType: 'image/jpeg' });
    const faint = noise(200, 200).ensureAlpha(0.5).png();
    expect(await make(faint, apt({ maxBytes: 60_000 }))).toMatchObject({ contentType: 'image/jpeg' });
  });
});

test('it is placed in the middle of its canvas', async () => {
  const { path, metadata } = await make(CORNERS.clone().png(), (facts) =>
    imageTargetFor(facts, { canvas: { width: 120, height: 160 }, background: 'black' }),
  );
  expect(metadata).toMatchObject({ width: 120, height: 160 });
  expect(distance(await colourAt(path, 0.5, 0.05), [0, 0, 0])).toBeLessThan(3);
  expect(distance(await colourAt(path, 0.5, 0.9), [0, 0, 0])).toBeLessThan(3);
  expect(distance(await colourAt(path, 0.2, 0.3), RED)).toBeLessThan(8);
});

test('quality is reduced only as far as necessary to fit, then size', async () => {
  const large = await make(noise(400, 400).png());
  const bounded = await make(noise(400, 400).png(), (facts) =>
    imageTargetFor(facts, { maxBytes: Math.floor(large.bytes * 0.7) }),
  );
  expect(bounded.bytes).toBeLessThanOrEqual(large.bytes * 0.7);
  expect(bounded.bytes).toBeGreaterThan(large.bytes * 0.4);
  const tiny = await make(noise(400, 400).png(), (facts) => imageTargetFor(facts, { maxBytes: 20_000 }));
  expect(tiny.bytes).toBeLessThanOrEqual(20_000);
  expect([tiny.width, tiny.height]).toEqual([tiny.metadata?.width, tiny.metadata?.height]);
  expect(tiny.width).toBeLessThan(400);
});

describe('a file that fits', () => {
  test('is used as it is', async () => {
    const made = await make(CORNERS.clone().jpeg());
    expect(made).toMatchObject({ reused: true, sha256: made.facts.sha256, bytes: made.facts.bytes });
    expect(await harness.names()).not.toContain(`result-${files}`);
  });

  test.each<[string, (jpeg: Sharp) => Sharp]>([
    ['it states where it was taken', (jpeg) => jpeg.jpeg().withExif({ IFD3: { GPSLatitude: '51/1 30/1 0/1' } })],
    ['its colours are defined by a profile', (jpeg) => jpeg.jpeg().withIccProfile('srgb')],
    ['it is progressive', (jpeg) => jpeg.jpeg({ progressive: true })],
  ])('is made again when %s', async (_name, change) => {
    const { reused, metadata } = await make(change(CORNERS.clone()));
    expect(reused).toBe(false);
    expect(metadata).toMatchObject({ isProgressive: false });
    expect([metadata?.exif, metadata?.icc, metadata?.xmp]).toEqual([undefined, undefined, undefined]);
  });

  test('is made again without the data after its end', async () => {
    const jpeg = await CORNERS.clone().jpeg().toBuffer();
    const path = harness.path('followed.jpg');
    await writeFile(path, Buffer.concat([jpeg, Buffer.from('<script>alert(1)</script>PK\x03\x04')]));
    const made = await convertedFile(tools, path, harness.path('alone.jpg'), imageTargetFor);
    expect(made.reused).toBe(false);
    expect((await readFile(harness.path('alone.jpg'))).includes('script')).toBe(false);
  });

  test('is made again without the data hidden in it', async () => {
    const jpeg = await CORNERS.clone().jpeg().toBuffer();
    const comment = Buffer.from('<?php system($_GET[0]); ?>');
    const length = Buffer.from([0xff, 0xfe, 0, comment.length + 2]);
    const path = harness.path('commented.jpg');
    await writeFile(path, Buffer.concat([jpeg.subarray(0, 2), length, comment, jpeg.subarray(2)]));
    const made = await convertedFile(tools, path, harness.path('uncommented.jpg'), imageTargetFor);
    expect(made.reused).toBe(false);
    expect((await readFile(harness.path('uncommented.jpg'))).includes('php')).toBe(false);
  });
});

test('several at once do not disturb each other', async () => {
  const one = harness.path('several.png');
  await writeFile(one, await noise(300, 300).png().toBuffer());
  const names = [1, 2, 3, 4].map((index) => `several-${index}.png`);
  await Promise.all(names.map((name) => copyFile(one, harness.path(name))));
  const results = await Promise.all(
    names.map((name) => convertedFile(tools, harness.path(name), harness.path(`${name}.jpg`), imageTargetFor)),
  );
  expect(new Set(results.map(({ sha256 }) => sha256)).size).toBe(1);
});
