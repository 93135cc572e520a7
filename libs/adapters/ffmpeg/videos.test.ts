import { open } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FileFacts } from '#domain/media/file-facts.ts';
import type { VideoTarget } from '#domain/media/target.ts';
import {
  openMediaFolder,
  convertedFile,
  distance,
  videoTargetFor,
  type MediaFolder,
} from '#media/made-files.fixture.ts';
import { createRealMediaTools } from '#testing/media-tools.ts';
import { AS_PHONES_FILM } from '#testing/phone-film.ts';
import { filmColourAt, flashAndBeep, picturesOf, tracksOf } from './measured.fixture.ts';
import { readMovieBoxes } from './movie-boxes.ts';

const tools = createRealMediaTools();
let harness: MediaFolder;
beforeAll(async () => {
  harness = await openMediaFolder('videos');
});
afterAll(async () => {
  await tools.close();
  await harness[Symbol.asyncDispose]();
});

let files = 0;
/** Makes a file by ffmpeg, and converts it to `target`. */
async function make(name: string, args: readonly string[], target: (facts: FileFacts) => VideoTarget = videoTargetFor) {
  const source = harness.path(name);
  await harness.ffmpeg(...args, source);
  const into = harness.path(`result-${++files}.mp4`);
  const made = await convertedFile(tools, source, into, target);
  return { ...made, source, path: made.reused ? source : into };
}

function boxesOf(path: string) {
  const read = readMovieBoxes(path);
  return read.kind === 'read' ? read.boxes : read;
}

const colour = (name: string, size: string, rate = 30, seconds = 1) => [
  '-f',
  'lavfi',
  '-i',
  `color=${name}:s=${size}:r=${rate}:d=${seconds}`,
];
const pattern = (size: string, rate = 30, seconds = 1) => [
  '-f',
  'lavfi',
  '-i',
  `testsrc2=s=${size}:r=${rate}:d=${seconds}`,
];
const tone = (seconds = 1, more = '') => ['-f', 'lavfi', '-i', `sine=f=440:d=${seconds}:r=48000${more}`];
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
/** The left half is red, the right half green, the lower part blue. */
const QUARTERS = [
  '-f',
  'lavfi',
  '-i',
  'color=blue:s=320x240:r=30:d=1,drawbox=w=160:h=120:color=red:t=fill,drawbox=x=160:w=160:h=120:color=lime:t=fill',
];

test('a video of a phone, HEVC filmed upright with sound, becomes what every Network takes', async () => {
  await harness.ffmpeg(
    ...QUARTERS,
    ...tone(),
    ...AS_PHONES_FILM,
    '-metadata',
    'com.apple.quicktime.location.ISO6709=+51.5-000.1/',
    '-metadata',
    'make=Phone',
    '-movflags',
    'use_metadata_tags',
    'flat.mov',
  );
  const made = await make('phone.mov', [
    '-i',
    harness.path('flat.mov'),
    '-c',
    'copy',
    '-metadata:s:v',
    'rotate=90',
    '-movflags',
    'use_metadata_tags',
  ]);
  expect([made.facts.width, made.facts.height, made.facts.contentType]).toEqual([240, 320, 'video/quicktime']);
  const { picture, sound } = await tracksOf(made.path);
  expect(picture).toMatchObject({
    codec_name: 'h264',
    profile: 'High',
    width: '240',
    height: '320',
    pix_fmt: 'yuv420p',
    sample_aspect_ratio: '1:1',
    field_order: 'progressive',
    r_frame_rate: '30/1',
    avg_frame_rate: '30/1',
  });
  expect(picture).toMatchObject({
    color_space: 'bt709',
    color_transfer: 'bt709',
    color_primaries: 'bt709',
    color_range: 'tv',
  });
  expect(picture['side_data_list']).toBeUndefined();
  expect(sound).toMatchObject({ codec_name: 'aac', profile: 'LC', sample_rate: '48000', channels: '2' });
  expect(boxesOf(made.path)).toEqual({ isFaststart: true, isPlain: true, hasOutsideData: false, edits: 'none' });
  // Rotated by a quarter to the left, the top right corner is above the top left one.
  const corners = [
    [0.25, 0.2, [0, 255, 1]],
    [0.25, 0.8, [254, 0, 0]],
    [0.75, 0.5, [0, 0, 255]],
  ] as const;
  for (const [x, y, expected] of corners)
    expect(distance(await filmColourAt(harness, made.path, 0.5, x, y), expected)).toBeLessThan(12);
  await using file = await open(made.path);
  expect(String(await file.readFile('latin1'))).not.toMatch(/\+51\.5|Phone/);
});

describe('the picture', () => {
  test.each([
    [25, '25/1'],
    [60, '60/1'],
    ['30000/1001', '30000/1001'],
    [120, '30/1'],
  ])('at %s pictures a second comes out at %s', async (given, expected) => {
    const made = await make(`rate-${String(given).replace('/', '-')}.mp4`, [
      '-f',
      'lavfi',
      '-i',
      `testsrc2=s=160x120:r=${given}:d=1`,
      ...H264,
      '-g',
      '300',
    ]);
    const { picture } = await tracksOf(made.path);
    expect([picture['r_frame_rate'], picture['avg_frame_rate']]).toEqual([expected, expected]);
    expect(Math.abs(made.durationMs! - made.facts.durationMs!)).toBeLessThan(100);
  });

  test('at a varying rate comes out at 30 per second, evenly, each picture at its moment', async () => {
    // Every third picture is missing, and a second of the middle.
    const made = await make('variable.mov', [
      ...pattern('160x120', 30, 4),
      ...tone(4),
      '-vf',
      "select='mod(n,3)*not(between(t,1.5,2.5))'",
      '-vsync',
      'vfr',
      ...H264,
      '-c:a',
      'aac',
    ]);
    const { times, keys } = await picturesOf(made.path);
    const steps = times.slice(1).map((time, index) => time - times[index]!);
    expect(Math.max(...steps)).toBeLessThan(0.034);
    expect(Math.min(...steps)).toBeGreaterThan(0.033);
    expect(keys.map((time) => Math.round(time))).toEqual([0, 2]);
    expect(Math.abs(made.durationMs! - made.facts.durationMs!)).toBeLessThan(100);
  });

  test('of odd sides comes out even', async () => {
    const made = await make('odd.mov', [...pattern('161x121'), '-c:v', 'libx264', '-pix_fmt', 'yuv444p']);
    expect([made.width, made.height]).toEqual([160, 120]);
  });

  test('of samples that are not square comes out in the shape it is shown in', async () => {
    const made = await make('wide.mp4', [...pattern('160x120'), '-vf', 'setsar=2/1', ...H264]);
    expect([made.facts.width, made.facts.height]).toEqual([320, 120]);
    expect((await tracksOf(made.path)).picture).toMatchObject({
      width: '320',
      height: '120',
      sample_aspect_ratio: '1:1',
    });
  });

  test('of interlaced pictures comes out as whole pictures', async () => {
    const made = await make('interlaced.mov', [
      ...pattern('160x120', 50),
      '-vf',
      'tinterlace=interleave_top,setfield=tff',
      '-r',
      '25',
      '-c:v',
      'libx264',
      '-flags',
      '+ilme+ildct',
      '-x264opts',
      'tff=1',
      '-pix_fmt',
      'yuv420p',
    ]);
    expect((await tracksOf(made.path)).picture).toMatchObject({ field_order: 'progressive', r_frame_rate: '25/1' });
  });

  test('goes to the middle of its canvas', async () => {
    const made = await make('padded.mp4', [...colour('red', '320x180'), ...H264], (facts) =>
      videoTargetFor(facts, { canvas: { width: 180, height: 320 }, picture: { width: 180, height: 102 } }),
    );
    expect(distance(await filmColourAt(harness, made.path, 0.5, 0.5, 0.5), [254, 0, 0])).toBeLessThan(12);
    expect(distance(await filmColourAt(harness, made.path, 0.5, 0.5, 0.1), [0, 0, 0])).toBeLessThan(6);
    expect(distance(await filmColourAt(harness, made.path, 0.5, 0.5, 0.9), [0, 0, 0])).toBeLessThan(6);
  });

  test.each([
    ['smpte2084', 'hdr-pq.mov'],
    ['arib-std-b67', 'hdr-hlg.mov'],
  ])('of a high dynamic range (%s) is neither washed out nor dark', async (transfer, name) => {
    // The middle grey, white and red of a screen, expressed in the light of a film.
    const source =
      'color=0x808080:s=192x64:r=30:d=0.3,drawbox=x=64:w=64:color=white:t=fill,drawbox=x=128:w=64:color=red:t=fill';
    const hdr = `zscale=min=170m:pin=bt709:tin=bt709:rin=limited:t=${transfer}:p=bt2020:m=bt2020nc:r=limited:npl=203,format=yuv420p10le`;
    const tags = [
      '-color_primaries',
      'bt2020',
      '-color_trc',
      transfer,
      '-colorspace',
      'bt2020nc',
      '-color_range',
      'tv',
    ];
    const made = await make(name, [
      '-f',
      'lavfi',
      '-i',
      source,
      '-vf',
      hdr,
      '-c:v',
      'libx265',
      '-preset',
      'ultrafast',
      '-x265-params',
      'log-level=none',
      '-tag:v',
      'hvc1',
      ...tags,
    ]);
    expect((await tracksOf(made.path)).picture).toMatchObject({
      color_transfer: 'bt709',
      color_primaries: 'bt709',
      pix_fmt: 'yuv420p',
    });
    const [grey, white, red] = await Promise.all(
      [1, 3, 5].map((sixth) => filmColourAt(harness, made.path, 0.1, sixth / 6, 0.5)),
    );
    expect(distance(grey!, [128, 128, 128])).toBeLessThan(10);
    expect(Math.min(...white!)).toBeGreaterThan(200);
    expect(distance(red!, [214, 0, 0])).toBeLessThan(20);
  });
});

describe('picture and sound stay together', () => {
  const FLASH = [
    '-f',
    'lavfi',
    '-i',
    'color=black:s=160x120:r=30:d=3,drawbox=w=iw:h=ih:color=white:t=fill:enable=gte(t\\,0.999)',
  ];
  const BEEP = ['-f', 'lavfi', '-i', "aevalsrc='if(gte(t,1),sin(2764*t),0)':s=48000:d=3"];

  test.each<[string, readonly string[], (facts: FileFacts) => VideoTarget]>([
    [
      'encoded',
      ['-c:v', 'libx264', '-bf', '3', '-c:a', 'aac'],
      (facts) => videoTargetFor(facts, { canvas: { width: 80, height: 60 }, picture: { width: 80, height: 60 } }),
    ],
    ['copied', ['-c:v', 'libx264', '-bf', '3', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-ac', '2'], videoTargetFor],
  ])('%s', async (name, args, target) => {
    const made = await make(`together-${name}.mp4`, [...FLASH, ...BEEP, ...args], target);
    const { flash, beep } = await flashAndBeep(harness, made.path);
    expect(Math.abs(flash - 1)).toBeLessThan(0.04);
    expect(Math.abs(beep - flash)).toBeLessThan(0.03);
  });

  test('where an edit list cuts the beginning and delays the sound', async () => {
    await harness.ffmpeg(
      ...FLASH,
      ...BEEP,
      '-c:v',
      'libx264',
      '-g',
      '300',
      '-pix_fmt',
      'yuv420p',
      '-c:a',
      'aac',
      '-ac',
      '2',
      'uncut.mp4',
    );
    const made = await make('edited.mp4', ['-ss', '0.5', '-i', harness.path('uncut.mp4'), '-c', 'copy']);
    expect(boxesOf(made.source)).toMatchObject({ edits: 'real' });
    expect(boxesOf(made.path)).toMatchObject({ edits: 'none' });
    const { flash, beep } = await flashAndBeep(harness, made.path);
    expect(Math.abs(flash - 0.5)).toBeLessThan(0.05);
    expect(Math.abs(beep - flash)).toBeLessThan(0.05);
  });
});

describe('no more is done than necessary', () => {
  const stereo = [
    ...pattern('320x180', 30, 2),
    ...tone(2),
    ...H264,
    '-bf',
    '2',
    '-c:a',
    'aac',
    '-ac',
    '2',
    '-ar',
    '48000',
  ];

  test('a converted file is used as it is when converted again', async () => {
    const made = await make('first.mov', stereo);
    const again = await convertedFile(tools, made.path, harness.path('again.mp4'), videoTargetFor);
    expect(again).toMatchObject({ reused: true, sha256: made.sha256, bytes: made.bytes });
    expect(await harness.names()).not.toContain('again.mp4');
  });

  test('a container that does not fit is made anew, and its tracks are copied', async () => {
    const made = await make('boxed.mov', [...stereo, '-metadata', 'title=secret']);
    expect(made.reused).toBe(false);
    expect(await digestOf(made.path, 'v')).toBe(await digestOf(made.source, 'v'));
    expect(await digestOf(made.path, 'a')).toBe(await digestOf(made.source, 'a'));
  });

  test('silence is added to a picture that is copied', async () => {
    const made = await make('silent.mp4', [...pattern('320x180', 30, 2), ...H264]);
    expect(await digestOf(made.path, 'v')).toBe(await digestOf(made.source, 'v'));
    expect((await tracksOf(made.path)).sound).toMatchObject({ codec_name: 'aac', sample_rate: '48000', channels: '2' });
  });

  /** The bytes of the packets, as they are stored. */
  const digestOf = async (path: string, kind: 'v' | 'a') => {
    await harness.ffmpeg(
      '-i',
      path,
      '-map',
      `0:${kind}`,
      '-c',
      'copy',
      '-bsf',
      kind === 'v' ? 'h264_mp4toannexb' : 'null',
      '-f',
      'streamhash',
      'digest.txt',
    );
    await using file = await open(harness.path('digest.txt'));
    return String(await file.readFile('utf8')).split('=')[1];
  };
});

test('a file that comes out too large is encoded again until it fits', async () => {
  const noisy = ['-f', 'lavfi', '-i', 'nullsrc=s=320x240:r=30:d=2,geq=random(1)*255:128:128', ...H264, '-crf', '10'];
  const made = await make('noisy.mov', noisy, (facts) => videoTargetFor(facts, { maxBytes: 900_000 }));
  expect(made.bytes).toBeLessThanOrEqual(900_000);
  expect(made.bytes).toBeGreaterThan(200_000);
});

test('a video of the longest allowed length stays within the limit', async () => {
  const made = await make('full.mov', [...pattern('160x120', 30, 3), ...tone(3), ...H264, '-c:a', 'aac'], (facts) =>
    videoTargetFor(facts, { maxDurationMs: 3_000 }),
  );
  expect(made.facts.durationMs).toBeGreaterThanOrEqual(3_000);
  expect(made.durationMs).toBeLessThanOrEqual(3_000);
  expect(made.durationMs).toBeGreaterThan(2_900);
});

test('progress is reported, and never decreases', async () => {
  await harness.ffmpeg(...pattern('640x360', 30, 4), '-c:v', 'mpeg4', harness.path('progress.mov'));
  const reported: number[] = [];
  const path = harness.path('progress.mov');
  const probed = await tools.probe({ workspaceId: 'w1', path });
  if (probed.kind !== 'known') throw new Error(probed.words);
  const facts: FileFacts = { ...probed.facts, bytes: 1_000_000, sha256: '' };
  await tools.convert({
    workspaceId: 'w1',
    source: { path, facts },
    target: videoTargetFor(facts),
    into: harness.path('progress.mp4'),
    onProgress: (done) => void reported.push(done),
  });
  expect(reported).toEqual(reported.toSorted((one, other) => one - other));
  expect(reported.at(-1)).toBe(1);
});
