import assert from 'node:assert/strict';
import fc from 'fast-check';
import { argumentsFor } from '#adapters/ffmpeg/arguments.ts';
import { conversionRouteTo } from '#adapters/ffmpeg/conversion-route.ts';
import { judgeProbed } from '#adapters/ffmpeg/video-details.ts';
import { NETWORKS } from '#domain/network.ts';
import { targetsOf } from '#networks/registry.ts';
import { fuzzTarget } from '../fuzz-target.ts';
import { mutatedBody } from '../mutations.ts';

/** As ffprobe prints it of a phone's film: turned, with a rate that varies, and with notes. */
const PICTURE = {
  ...{ index: 0, codec_name: 'h264', profile: 'High', codec_type: 'video', width: 1920, height: 1080 },
  ...{ sample_aspect_ratio: '1:1', pix_fmt: 'yuv420p', field_order: 'progressive' },
  ...{ r_frame_rate: '30/1', avg_frame_rate: '30000/1001', color_range: 'tv', color_space: 'bt709' },
  ...{ color_transfer: 'bt709', color_primaries: 'bt709', disposition: { attached_pic: 0 } },
  ...{ tags: { language: 'und', handler_name: 'Core Media Video' }, side_data_list: [{ rotation: -90 }] },
};
const SOUND = {
  ...{ index: 1, codec_name: 'aac', profile: 'LC', codec_type: 'audio', sample_rate: '44100', channels: 2 },
  ...{ r_frame_rate: '0/0', avg_frame_rate: '0/0', disposition: { attached_pic: 0 }, tags: { language: 'und' } },
};
const FORMAT = { duration: '12.345000', tags: { major_brand: 'qt  ', location: '+51.5-000.1/' } };
const OUTPUTS = [
  { programs: [], streams: [PICTURE, SOUND], format: FORMAT },
  { programs: [], streams: [PICTURE], format: FORMAT },
  {
    streams: [SOUND, { ...PICTURE, index: 1, field_order: 'tt', sample_aspect_ratio: '16:11', color_range: 'pc' }],
    format: { duration: '3600.0' },
  },
];

const READ = {
  kind: 'read',
  boxes: { isFaststart: false, isPlain: true, hasOutsideData: false, edits: 'trivial' },
  bytes: 5_000_000,
  privateParts: [],
} as const;

export const probedVideos = fuzzTarget<string>({
  name: 'probed-videos',
  holds: 'a video is refused in words, whatever ffprobe prints of it, or can be made into what each Network takes',
  cases: 3_000,
  open: async () => ({
    inputs: mutatedBody(fc.constantFrom(...OUTPUTS)),
    crashes: {
      'a side is less than nothing': JSON.stringify({ streams: [{ ...PICTURE, height: -1 }, SOUND], format: FORMAT }),
    },
    sizeOf: (output) => output.length,
    check: (output) => {
      const judged = judgeProbed(output, READ);
      if (judged.kind === 'refused') return void assert(judged.words.length > 0 && judged.words.length < 10_000);
      const { details } = judged;
      const { width, height, durationMs } = details;
      for (const each of [width, height]) assert(Number.isSafeInteger(each) && each > 0, `a side is ${each}`);
      assert(Number.isSafeInteger(durationMs) && durationMs >= 0, `it lasts ${durationMs} ms`);
      const facts = { kind: 'video', contentType: 'video/mp4', bytes: READ.bytes, sha256: 'a', width, height } as const;
      for (const network of NETWORKS) {
        const targets = targetsOf(network, 'feed', [{ ...facts, durationMs }], '');
        if (targets.kind !== 'targets') continue;
        for (const target of targets.targets) if (target.kind === 'video') assertArguments(details, target);
      }
    },
  }),
});

type Details = Parameters<typeof conversionRouteTo>[0];
type Target = Parameters<typeof conversionRouteTo>[1];

function assertArguments(details: Details, target: Target): void {
  const way = conversionRouteTo(details, target, READ.bytes);
  const { bitrate, peakBitrate } = target;
  const plan = { path: '/a/in', into: '/a/out', details, target, way, bitrate, peakBitrate, threads: 2 };
  for (const each of argumentsFor(plan)) assert(!/NaN|Infinity|undefined/.test(each), `ffmpeg would be given ${each}`);
}
