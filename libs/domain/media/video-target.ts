import type { FileFacts } from './file-facts.ts';
import { framed, type FrameRules } from './framing.ts';
import type { VideoTarget } from './target.ts';

export interface VideoRules extends FrameRules {
  readonly maxBytes: number;
  readonly maxDurationMs: number;
}

/** What every Network takes, so that one rendition serves all of them. */
const FRAME_RATE = { least: 24, most: 60 } as const;
const BITRATE = 6_000_000;
const PEAK_BITRATE = 8_000_000;
const AUDIO_BITRATE = 128_000;
/**
 * Up to this rate, sound included, a video is used as it is: no Network refuses less than 25 Mbit/s, and encoding it
 * again would only lose quality.
 */
const MAX_GIVEN_BITRATE = 20_000_000;
/** Of a file, for what it holds beside picture and sound. */
const CONTAINER_SHARE = 0.04;
const MIN_BITRATE = 100_000;
const PEAK_SHARE = PEAK_BITRATE / BITRATE;

/** Frames and blocks of sound are whole ones: what comes out may last longer by some of them. */
const PADDING_MS = 150;

/**
 * `file`: a video no longer than the rules allow. A limit that it can not reach does not show in the target, so that
 * targets agree.
 */
export function videoTarget(file: Pick<FileFacts, 'width' | 'height' | 'durationMs'>, rules: VideoRules): VideoTarget {
  const seconds = Math.max(1, Math.ceil((file.durationMs ?? 0) / 1000));
  const maxBytes = Math.min(rules.maxBytes, (seconds * MAX_GIVEN_BITRATE) / 8);
  const affordable = Math.floor((maxBytes * 8 * (1 - CONTAINER_SHARE)) / seconds) - AUDIO_BITRATE;
  const bitrate = Math.max(MIN_BITRATE, Math.min(BITRATE, affordable));
  const isNear = (file.durationMs ?? 0) + PADDING_MS > rules.maxDurationMs;
  return {
    kind: 'video',
    ...framed(file, rules),
    background: 'black',
    ...{ maxBytes, bitrate, frameRate: FRAME_RATE },
    peakBitrate: Math.round(bitrate * PEAK_SHARE),
    maxDurationMs: isNear ? rules.maxDurationMs : null,
  };
}
