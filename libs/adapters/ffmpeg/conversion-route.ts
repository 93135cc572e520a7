import type { VideoTarget } from '#domain/media/target.ts';
import type { PictureTrack, SoundTrack, VideoDetails } from './video-details.ts';

/** How each track of a video is processed. */
export interface ConversionRoute {
  readonly picture: 'copy' | 'encode';
  readonly sound: 'copy' | 'encode' | 'silence';
  /** The file already is what the target asks for. */
  readonly isDone: boolean;
}

const PROFILES: ReadonlySet<string> = new Set(['Constrained Baseline', 'Baseline', 'Main', 'High']);
const SAMPLE_RATE = 48_000;
/** Rates that differ by less count as equal: phones are off by some frames in ten thousand. */
const SAME_RATE = 0.001;

/**
 * Chooses the route with the least loss: tracks that already fit are copied, and a file that fits in every respect is
 * used as it is. `bytes` is the size of the file. Tracks that an edit list cuts or moves can not be copied: the part
 * that was cut away would be visible again.
 */
export function conversionRouteTo(details: VideoDetails, target: VideoTarget, bytes: number): ConversionRoute {
  const { picture, sound, boxes, durationMs } = details;
  const mayCopy = boxes.edits !== 'real' && bytes <= target.maxBytes && target.maxDurationMs === null && durationMs > 0;
  const copied = mayCopy && isPictureFit(picture, target);
  const soundWay = sound === null ? 'silence' : mayCopy && isSoundFit(sound) ? 'copy' : 'encode';
  const isFile = boxes.isFaststart && boxes.isPlain && boxes.edits === 'none' && details.isBare;
  return { picture: copied ? 'copy' : 'encode', sound: soundWay, isDone: copied && soundWay === 'copy' && isFile };
}

function isPictureFit(picture: PictureTrack, { canvas, picture: wanted, frameRate }: VideoTarget): boolean {
  const { width, height, codec, profile, pixelFormat, range, matrix, transfer, primaries } = picture;
  const hasSize =
    width === canvas.width && height === canvas.height && width === wanted.width && height === wanted.height;
  const hasShape = hasSize && picture.isSquare && !picture.isTurned && !picture.isInterlaced;
  const hasFormat = codec === 'h264' && PROFILES.has(profile) && pixelFormat === 'yuv420p';
  const hasColours =
    range !== 'pc' &&
    [matrix, transfer, primaries].every((name) => name === '' || name === 'unknown' || name === 'bt709');
  return (
    hasShape &&
    hasFormat &&
    hasColours &&
    isConstant(picture) &&
    picture.frameRate > frameRate.least - 1 &&
    picture.frameRate <= frameRate.most * (1 + SAME_RATE)
  );
}

function isSoundFit({ codec, profile, sampleRate, channels }: SoundTrack): boolean {
  return codec === 'aac' && profile === 'LC' && sampleRate === SAMPLE_RATE && channels === 2;
}

function isConstant({ frameRate, baseFrameRate }: PictureTrack): boolean {
  return frameRate > 0 && Math.abs(frameRate / baseFrameRate - 1) <= SAME_RATE;
}

/** Rates that are kept. With each of them two seconds are a whole number of pictures, or almost. */
const KEPT_RATES: readonly (readonly [rate: number, name: string])[] = [
  [24_000 / 1001, '24'],
  [24, '24'],
  [25, '25'],
  [30_000 / 1001, '30000/1001'],
  [30, '30'],
  [50, '50'],
  [60_000 / 1001, '60000/1001'],
  [60, '60'],
];
const COMMON_RATE = '30';

/** In ffmpeg's notation: the rate of the video where it is constant and one of the usual ones, otherwise 30. */
export function frameRateFor(picture: PictureTrack, { frameRate }: VideoTarget): string {
  if (!isConstant(picture)) return COMMON_RATE;
  const kept = KEPT_RATES.filter(([rate]) => offBy(picture, rate) <= SAME_RATE && rate <= frameRate.most);
  const [nearest] = kept.toSorted(([one], [other]) => offBy(picture, one) - offBy(picture, other));
  return nearest?.[1] ?? COMMON_RATE;
}

function offBy({ frameRate }: PictureTrack, rate: number): number {
  return Math.abs(frameRate / rate - 1);
}
