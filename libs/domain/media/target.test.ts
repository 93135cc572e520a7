import { expect, test } from 'vitest';
import { type ImageRules, imageTarget } from './image-target.ts';
import { renditionKey, stillTarget, type Target } from './target.ts';
import { videoTarget, type VideoRules } from './video-target.ts';

const frame = { turns: false, ratio: { least: 0.1, most: 10 }, least: { width: 1, height: 1 } } as const;
const image: ImageRules = {
  ...frame,
  box: { width: 2048, height: 2048 },
  step: { width: 1, height: 1 },
  background: 'white',
  maxBytes: 8_000_000,
  keepsPng: false,
};
const video: VideoRules = {
  ...frame,
  box: { width: 1920, height: 1920 },
  step: { width: 2, height: 2 },
  maxBytes: 300_000_000,
  maxDurationMs: 900_000,
};
const photo = { width: 1080, height: 1350, contentType: 'image/jpeg' } as const;
const film = { width: 1920, height: 1080, durationMs: 10_000 };

test('a key is a name of small letters, digits and lines', () => {
  const targets: readonly Target[] = [
    imageTarget(photo, image),
    imageTarget(photo, { ...image, ratio: { least: 1, most: 1 } }),
    videoTarget(film, video),
    stillTarget(imageTarget(photo, image), 1_500),
    stillTarget(imageTarget(photo, image), 1_501),
    { kind: 'original' },
  ];
  for (const target of targets) expect(renditionKey(target)).toMatch(/^[a-z0-9-]{1,120}$/);
  expect(new Set(targets.map(renditionKey)).size).toBe(targets.length);
});

test.each<[string, (target: Target) => object]>([
  ['canvas', () => ({ canvas: { width: 1000, height: 1080 } })],
  ['picture', () => ({ picture: { width: 1000, height: 1080 } })],
  ['most bytes', () => ({ maxBytes: 1 })],
  ['bit rate', () => ({ bitrate: 1 })],
  ['peak', () => ({ peakBitrate: 1 })],
  ['longest', () => ({ maxDurationMs: 1 })],
  ['rates', () => ({ frameRate: { least: 24, most: 30 } })],
])('targets that differ in their %s have other keys', (_name, change) => {
  const target = videoTarget(film, video);
  expect(renditionKey({ ...target, ...change(target) } as Target)).not.toBe(renditionKey(target));
});

test('limits that no file of that size can reach do not keep targets from agreeing', () => {
  const wide = { ...image, box: { width: 1440, height: 14_400 }, maxBytes: 20_000_000 };
  expect(renditionKey(imageTarget(photo, wide))).toBe(renditionKey(imageTarget(photo, image)));
  const huge = { width: 4000, height: 3000, contentType: 'image/jpeg' } as const;
  const large = { ...image, box: { width: 4096, height: 4096 } };
  expect(imageTarget(huge, { ...large, maxBytes: 8_000_000 }).maxBytes).toBe(8_000_000);
  expect(renditionKey(videoTarget(film, video))).toBe(
    renditionKey(videoTarget(film, { ...video, maxBytes: 100_000_000, maxDurationMs: 60_000 })),
  );
});

test('a PNG is kept only of a PNG', () => {
  const rules = { ...image, keepsPng: true };
  expect(imageTarget(photo, rules).format).toBe('jpeg');
  expect(imageTarget({ ...photo, contentType: 'image/png' }, rules).format).toBe('png-when-apt');
});

test('the bit rate is what fits into the file, and the file is never larger than the limit', () => {
  const long = videoTarget({ ...film, durationMs: 900_000 }, video);
  expect(long.maxBytes).toBe(300_000_000);
  expect(((long.bitrate + 128_000) * 900) / 8).toBeLessThan(300_000_000);
  expect(long.bitrate).toBeGreaterThan(2_000_000);
  expect(videoTarget(film, video)).toMatchObject({ bitrate: 6_000_000, peakBitrate: 8_000_000 });
});

test('only the target of a video about as long as allowed has a maximum duration', () => {
  expect(videoTarget({ ...film, durationMs: 60_000 }, { ...video, maxDurationMs: 60_000 }).maxDurationMs).toBe(60_000);
  expect(videoTarget({ ...film, durationMs: 59_000 }, { ...video, maxDurationMs: 60_000 }).maxDurationMs).toBeNull();
});
