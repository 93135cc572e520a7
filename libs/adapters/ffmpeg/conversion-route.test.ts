import { expect, test } from 'vitest';
import type { VideoTarget } from '#domain/media/target.ts';
import type { PictureTrack, SoundTrack, VideoDetails } from './video-details.ts';
import { frameRateFor, conversionRouteTo } from './conversion-route.ts';

const size = { width: 1280, height: 720 };
const target: VideoTarget = {
  kind: 'video',
  canvas: size,
  picture: size,
  background: 'black',
  maxBytes: 1_000,
  frameRate: { least: 24, most: 60 },
  bitrate: 6e6,
  peakBitrate: 8e6,
  maxDurationMs: null,
};
const picture: PictureTrack = {
  ...{
    index: 0,
    codec: 'h264',
    profile: 'High',
    pixelFormat: 'yuv420p',
    ...size,
    isInterlaced: false,
    isSquare: true,
    isTurned: false,
  },
  ...{ frameRate: 30, baseFrameRate: 30, range: 'tv', matrix: 'bt709', transfer: 'bt709', primaries: 'bt709' },
};
const sound: SoundTrack = { index: 1, codec: 'aac', profile: 'LC', sampleRate: 48_000, channels: 2 };
const boxes = { isFaststart: true, isPlain: true, hasOutsideData: false, edits: 'none' } as const;
const details: VideoDetails = { picture, sound, durationMs: 5_000, ...size, boxes, privateParts: [], isBare: true };

const COPIED = { picture: 'copy', sound: 'copy', isDone: false };
const ENCODED = { picture: 'encode', sound: 'copy', isDone: false };

test('a file that fits in every respect is used as it is', () => {
  expect(conversionRouteTo(details, target, 1_000)).toEqual({ picture: 'copy', sound: 'copy', isDone: true });
});

test.each<[string, Partial<VideoDetails>]>([
  ['its index comes last', { boxes: { ...boxes, isFaststart: false } }],
  ['it holds other data', { boxes: { ...boxes, isPlain: false } }],
  ['an edit list states its padding', { boxes: { ...boxes, edits: 'trivial' } }],
  ['it states where it was filmed', { isBare: false }],
])('when %s, its tracks are copied into a file of our own', (_name, change) => {
  expect(conversionRouteTo({ ...details, ...change }, target, 1_000)).toEqual(COPIED);
});

test.each<[string, Partial<PictureTrack>]>([
  ['another codec', { codec: 'hevc' }],
  ['a profile that few players support', { profile: 'High 4:2:2' }],
  ['other samples', { pixelFormat: 'yuv420p10le' }],
  ['another size', { width: 1920, height: 1080 }],
  ['half pictures', { isInterlaced: true }],
  ['stretched samples', { isSquare: false }],
  ['a turn', { isTurned: true }],
  ['no constant rate', { frameRate: 29.2 }],
  ['too low a rate', { frameRate: 15, baseFrameRate: 15 }],
  ['too high a rate', { frameRate: 120, baseFrameRate: 120 }],
  ['the range of a computer', { range: 'pc' }],
  ['a high dynamic range', { transfer: 'smpte2084' }],
  ['the colours of a wide gamut', { primaries: 'bt2020' }],
])('a picture with %s is encoded, and sound that fits is copied', (_name, change) => {
  expect(conversionRouteTo({ ...details, picture: { ...picture, ...change } }, target, 1_000)).toEqual(ENCODED);
});

test.each<[string, SoundTrack | null, string]>([
  ['none', null, 'silence'],
  ['one channel', { ...sound, channels: 1 }, 'encode'],
  ['six channels', { ...sound, channels: 6 }, 'encode'],
  ['another rate', { ...sound, sampleRate: 44_100 }, 'encode'],
  ['another profile', { ...sound, profile: 'HE-AAC' }, 'encode'],
  ['another codec', { ...sound, codec: 'pcm_s16le' }, 'encode'],
])('sound of %s leaves the picture copied', (_name, given, way) => {
  expect(conversionRouteTo({ ...details, sound: given }, target, 1_000)).toEqual({
    picture: 'copy',
    sound: way,
    isDone: false,
  });
});

test.each<[string, VideoDetails, VideoTarget, number]>([
  ['what an edit list cuts', { ...details, boxes: { ...boxes, edits: 'real' } }, target, 1_000],
  ['what is larger than it may be', details, target, 1_001],
  ['what is as long as it may be', details, { ...target, maxDurationMs: 5_000 }, 1_000],
])('%s is encoded completely', (_name, given, wanted, bytes) => {
  expect(conversionRouteTo(given, wanted, bytes)).toEqual({ picture: 'encode', sound: 'encode', isDone: false });
});

test.each([
  [24, 24, '24'],
  [23.976, 23.976, '24'],
  [29.97, 29.97, '30000/1001'],
  [59.94, 59.94, '60000/1001'],
  [50, 50, '50'],
  [29.99, 30, '30'],
  [27, 30, '30'],
  [15, 15, '30'],
  [240, 240, '30'],
])('%d pictures per second, with a finest rate of %d, become %s', (frameRate, baseFrameRate, expected) => {
  expect(frameRateFor({ ...picture, frameRate, baseFrameRate }, target)).toBe(expected);
});
