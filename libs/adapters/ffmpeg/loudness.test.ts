import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMediaFolder, convertedFile, videoTargetFor, type MediaFolder } from '#media/made-files.fixture.ts';
import { createRealMediaTools } from '#testing/media-tools.ts';
import { loudnessOf, tracksOf } from './measured.fixture.ts';

const tools = createRealMediaTools();
let harness: MediaFolder;
beforeAll(async () => {
  harness = await openMediaFolder('loudness');
});
afterAll(async () => {
  await tools.close();
  await harness[Symbol.asyncDispose]();
});

/** Each channel has a tone of its own: the same tone in two channels would add up in the mix. */
const tone = (channel: number, level: number) => `${level}*sin(2*PI*${300 + 170 * channel}*t)`;
const FILM = [0.2, 0.2, 0.3, 0.1, 0.05, 0.05].map((level, channel) => tone(channel, level)).join('|');

test.each<[string, string, string, number]>([
  ['mono', tone(0, 0.3), 'mono', 48_000],
  ['stereo', `${tone(0, 0.3)}|${tone(1, 0.3)}`, 'stereo', 44_100],
  ['5.1, most of it in front', FILM, '5.1', 48_000],
  ['5.1, speech alone', `0|0|${tone(2, 0.3)}|0|0|0`, '5.1', 48_000],
])('sound in %s is as loud in stereo, within 1 LU', async (name, expression, layout, rate) => {
  const source = harness.path(`${name.replaceAll(/\W/g, '-')}.mov`);
  const sound = `aevalsrc='${expression}':c=${layout}:s=${rate}:d=3`;
  await harness.ffmpeg(
    '-f',
    'lavfi',
    '-i',
    'color=gray:s=64x64:r=30:d=3',
    '-f',
    'lavfi',
    '-i',
    sound,
    '-c:v',
    'libx264',
    '-c:a',
    'pcm_s16le',
    source,
  );
  const into = harness.path(`${name}.mp4`);
  await convertedFile(tools, source, into, videoTargetFor);
  expect((await tracksOf(into)).sound).toMatchObject({
    codec_name: 'aac',
    profile: 'LC',
    sample_rate: '48000',
    channels: '2',
  });
  const [given, made] = [await loudnessOf(harness, source), await loudnessOf(harness, into)];
  expect(given).toBeGreaterThan(-50);
  expect(Math.abs(made - given)).toBeLessThan(1);
});
