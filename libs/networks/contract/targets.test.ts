import { describe, expect, test } from 'vitest';
import type { FileFacts } from '#domain/media/file-facts.ts';
import { imageTarget } from '#domain/media/image-target.ts';
import type { Size } from '#domain/media/size.ts';
import { renditionKey, type Target } from '#domain/media/target.ts';
import type { Network, Placement } from '#domain/network.ts';
import { targetsOf } from '../registry.ts';

const photo: FileFacts = {
  kind: 'image',
  contentType: 'image/jpeg',
  bytes: 3_000_000,
  sha256: 'a',
  width: 1080,
  height: 1350,
  durationMs: null,
};
const film: FileFacts = {
  kind: 'video',
  contentType: 'video/mp4',
  bytes: 9_000_000,
  sha256: 'b',
  width: 1920,
  height: 1080,
  durationMs: 10_000,
};
const phone: FileFacts = { ...film, width: 1080, height: 1920 };

function made(
  network: Network,
  placement: Placement,
  files: readonly FileFacts[],
  accountKind = '',
): readonly Target[] {
  const targets = targetsOf(network, placement, files, accountKind);
  if (targets.kind !== 'targets') throw new Error(targets.problems.join(' '));
  return targets.targets;
}

function problems(
  network: Network,
  placement: Placement,
  files: readonly FileFacts[],
  accountKind = '',
): readonly string[] {
  const targets = targetsOf(network, placement, files, accountKind);
  return targets.kind === 'problems' ? targets.problems : [];
}

const size = ({ width, height }: Size) => `${width}x${height}`;

/** Canvas, and the picture on it where it is padded. */
function told(target: Target): string {
  if (target.kind === 'original') return 'as it is';
  const [canvas, picture] = [size(target.canvas), size(target.picture)];
  return canvas === picture ? canvas : `${picture} on ${canvas}`;
}

test.each<[Network, Placement, Partial<FileFacts>, string]>([
  ['facebook', 'feed', { width: 4000, height: 3000 }, '2048x1536'],
  ['instagram', 'feed', { width: 4000, height: 3000 }, '1440x1080'],
  ['threads', 'feed', { width: 4000, height: 3000 }, '1440x1080'],
  ['tiktok', 'feed', { width: 4000, height: 3000 }, '1440x1080'],
  ['x', 'feed', { width: 5000, height: 2500 }, '4096x2048'],
  ['instagram', 'feed', { width: 1000, height: 2000 }, '900x1800 on 1440x1800'],
  ['instagram', 'feed', { width: 3000, height: 1000 }, '1440x480 on 1440x754'],
  ['instagram', 'feed', { width: 200, height: 200 }, '320x320'],
  ['threads', 'feed', { width: 20, height: 400 }, '160x3200 on 320x3200'],
  ['threads', 'feed', { width: 200, height: 4000 }, '200x4000 on 400x4000'],
  ['facebook', 'story', { width: 1080, height: 1080 }, '1080x1080 on 1080x1920'],
  ['instagram', 'story', { width: 1080, height: 1080 }, '1080x1080 on 1080x1920'],
])('a picture for %s, %s: %j becomes %s', (network, placement, facts, expected) => {
  expect(told(made(network, placement, [{ ...photo, ...facts }])[0]!)).toBe(expected);
});

test.each<[Network, Placement, Partial<FileFacts>, string]>([
  ['facebook', 'feed', { width: 3840, height: 2160 }, '1920x1080'],
  ['facebook', 'feed', { width: 1078, height: 1920 }, '1080x1920'],
  ['facebook', 'story', {}, '1080x608 on 1080x1920'],
  ['instagram', 'story', {}, '1080x608 on 1080x1920'],
  ['instagram', 'feed', { width: 3840, height: 2160 }, '1920x1080'],
  ['threads', 'feed', {}, '1920x1080'],
  ['tiktok', 'feed', { width: 320, height: 240 }, '480x360'],
  ['tiktok', 'feed', { width: 1920, height: 200 }, '1920x200 on 1920x360'],
  ['x', 'feed', {}, '1280x720'],
  ['x', 'feed', { width: 1080, height: 1920 }, '720x1280'],
  ['x', 'feed', { width: 2000, height: 2000 }, '1024x1024'],
  ['x', 'feed', { width: 1920, height: 400 }, '1280x266 on 1280x428'],
  ['youtube', 'feed', {}, 'as it is'],
])('a video for %s, %s: %j becomes %s', (network, placement, facts, expected) => {
  expect(told(made(network, placement, [{ ...film, ...facts }])[0]!)).toBe(expected);
});

test('subscribers of x may have larger videos, and longer ones', () => {
  const long = { ...film, durationMs: 21 * 60_000 };
  expect(told(made('x', 'feed', [long], 'premium')[0]!)).toBe('1920x1080');
  expect(problems('x', 'feed', [long])).toEqual([
    'The video is too long for X: 21 of at most 20 minutes without a subscription.',
  ]);
});

test('a long video of a subscriber becomes as large as Crier can send to x, at most', () => {
  const most = 4_194_304_000;
  const [target] = made('x', 'feed', [{ ...film, durationMs: 125 * 60_000 }], 'premium');
  if (target?.kind !== 'video') throw new Error('no video');
  expect(target.maxBytes).toBe(most);
  // The sound has up to 128 kbit/s.
  expect(((target.bitrate + 128_000) * 125 * 60) / 8).toBeLessThan(most);
});

describe('one rendition does for several Networks', () => {
  const shared = (placement: Placement, file: FileFacts, networks: readonly Network[]) =>
    new Set(networks.map((network) => renditionKey(made(network, placement, [file])[0]!))).size;

  test.each<[string, Placement, FileFacts, readonly Network[]]>([
    ['a picture of the feed', 'feed', photo, ['facebook', 'instagram', 'threads', 'x']],
    ['a small one', 'feed', { ...photo, width: 800, height: 800 }, ['facebook', 'instagram', 'threads', 'tiktok', 'x']],
    ['a large one', 'feed', { ...photo, width: 4000, height: 3000 }, ['instagram', 'threads', 'tiktok']],
    ['an upright video', 'feed', phone, ['facebook', 'instagram', 'threads', 'tiktok']],
    ['one of 4K', 'feed', { ...phone, width: 2160, height: 3840 }, ['facebook', 'instagram', 'threads', 'tiktok']],
    ['a video that lies', 'feed', film, ['facebook', 'instagram', 'threads', 'tiktok']],
    ['a picture of a Story', 'story', photo, ['facebook', 'instagram']],
    ['a video of a Story', 'story', film, ['facebook', 'instagram']],
  ])('%s', (_name, placement, file, networks) => {
    expect(shared(placement, file, networks)).toBe(1);
  });
});

describe('a carousel on instagram', () => {
  test("has every item on a canvas of the first one's shape", () => {
    const targets = made('instagram', 'feed', [
      photo,
      { ...photo, width: 1350, height: 1080 },
      { ...film, durationMs: 5_000 },
    ]);
    expect(targets.map(told)).toEqual(['1080x1350', '1350x1080 on 1350x1688', '1536x864 on 1536x1920']);
  });

  test('takes a shape within its limits from a first one that is beyond', () => {
    expect(
      told(
        made('instagram', 'feed', [
          { ...photo, width: 1000, height: 2000 },
          { ...photo, width: 800, height: 1000 },
        ])[1]!,
      ),
    ).toBe('800x1000');
  });

  test('has shorter videos than a post of one', () => {
    const long = { ...film, durationMs: 61_000 };
    expect(problems('instagram', 'feed', [long])).toEqual([]);
    expect(problems('instagram', 'feed', [long, photo])).toEqual([
      'A video is too long for an Instagram post of several files: 61 of at most 60 seconds.',
    ]);
  });
});

test.each<[Network, Placement, readonly FileFacts[], string]>([
  ['facebook', 'feed', [film, film], 'Facebook takes one video in a post; this one has 2.'],
  [
    'facebook',
    'feed',
    [{ ...film, durationMs: 240 * 60_000 + 1 }],
    'The video is too long for Facebook: 241 of at most 240 minutes.',
  ],
  [
    'facebook',
    'story',
    [{ ...film, durationMs: 60_001 }],
    'The video is too long for a Story on Facebook: 61 of at most 60 seconds.',
  ],
  [
    'facebook',
    'story',
    [{ ...film, durationMs: 999 }],
    'The video is too short for a Story on Facebook: 0.9 of at least 1 seconds.',
  ],
  [
    'instagram',
    'feed',
    [{ ...film, durationMs: 2_999 }],
    'The video is too short for Instagram: 2.9 of at least 3 seconds.',
  ],
  [
    'instagram',
    'feed',
    [{ ...film, durationMs: 900_001 }],
    'The video is too long for Instagram: 901 of at most 900 seconds.',
  ],
  [
    'threads',
    'feed',
    [{ ...film, durationMs: 300_001 }],
    'The video is too long for Threads: 301 of at most 300 seconds.',
  ],
  [
    'tiktok',
    'feed',
    [{ ...film, durationMs: 600_001 }],
    'The video is too long for TikTok: 601 of at most 600 seconds.',
  ],
  ['tiktok', 'feed', [film, photo], 'A post on TikTok has pictures or a video, not both.'],
  [
    'x',
    'feed',
    [{ ...film, durationMs: 400 }],
    'The video is too short for X: 0.4 of at least 0.5 seconds without a subscription.',
  ],
  ['youtube', 'feed', [photo], 'YouTube takes one video and no pictures; this post has a picture.'],
  [
    'youtube',
    'feed',
    [{ ...film, durationMs: 12 * 3_600_000 + 1 }],
    'The video is too long for YouTube: 721 of at most 720 minutes.',
  ],
])('%s, %s: what can not be published is reported, and nothing is cut', (network, placement, files, problem) => {
  expect(problems(network, placement, files)).toEqual([problem]);
});

const VIDEOS = { lying: film, upright: phone } as const;

test.each<[Network, keyof typeof VIDEOS, Size, string, number]>([
  // Facebook shows it in the frame of the video: a reel's is upright.
  ['facebook', 'lying', { width: 1920, height: 1080 }, '1920x1080', 4_000_000],
  ['facebook', 'lying', { width: 1000, height: 1000 }, '1000x1000 on 1778x1000', 4_000_000],
  ['facebook', 'upright', { width: 1920, height: 1080 }, '1080x608 on 1080x1920', 4_000_000],
  ['instagram', 'lying', { width: 1920, height: 1080 }, '1080x608 on 1080x1920', 8_000_000],
  ['instagram', 'upright', { width: 1080, height: 1920 }, '1080x1920', 8_000_000],
  ['youtube', 'lying', { width: 4000, height: 3000 }, '960x720 on 1280x720', 2_000_000],
  ['youtube', 'upright', { width: 1080, height: 1920 }, '406x720 on 1280x720', 2_000_000],
  ['youtube', 'lying', { width: 320, height: 180 }, '640x360', 2_000_000],
])(
  'a cover for %s of a video that is %s, a picture of %j, becomes %s',
  (network, video, picture, expected, maxBytes) => {
    const targets = targetsOf(network, 'feed', [VIDEOS[video]], '');
    if (targets.kind !== 'targets' || targets.cover === null) throw new Error('no cover');
    const target = imageTarget({ ...photo, ...picture, contentType: 'image/png' }, targets.cover);
    expect([told(target), target.format]).toEqual([expected, 'jpeg']);
    expect(target.maxBytes).toBeLessThanOrEqual(maxBytes);
  },
);

test.each<[Network, Placement, FileFacts]>([
  ['x', 'feed', film],
  ['threads', 'feed', film],
  ['tiktok', 'feed', film],
  ['instagram', 'story', phone],
  ['facebook', 'story', phone],
  ['facebook', 'feed', photo],
])('%s has no picture as a cover for %s of %o', (network, placement, file) => {
  expect(targetsOf(network, placement, [file], '')).toMatchObject({ kind: 'targets', cover: null });
});
