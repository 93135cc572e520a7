import type { VideoTarget } from '#domain/media/target.ts';
import { inputOf } from './tools.ts';
import type { PictureTrack, SoundTrack, VideoDetails } from './video-details.ts';
import { frameRateFor, type ConversionRoute } from './conversion-route.ts';

export interface ConversionPlan {
  readonly path: string;
  readonly into: string;
  readonly details: VideoDetails;
  readonly target: VideoTarget;
  readonly way: ConversionRoute;
  /** Bits per second of the picture: on the long average, and in any two seconds. */
  readonly bitrate: number;
  readonly peakBitrate: number;
  readonly threads: number;
}

/** All arguments after the tool's name. ffmpeg writes its progress to standard output. */
export function argumentsFor(plan: ConversionPlan): readonly string[] {
  const { details, way, target, into } = plan;
  const silence =
    way.sound === 'silence'
      ? ['-f', 'lavfi', '-t', seconds(details.durationMs), '-i', 'anullsrc=r=48000:cl=stereo']
      : [];
  return [
    ...[
      '-nostdin',
      '-hide_banner',
      '-v',
      'error',
      '-y',
      '-progress',
      'pipe:1',
      '-stats_period',
      '0.5',
      '-threads',
      String(plan.threads),
    ],
    ...[...inputOf(plan.path), ...silence],
    ...['-map', `0:${details.picture.index}`, '-map', way.sound === 'silence' ? '1:0' : `0:${details.sound?.index}`],
    ...['-dn', '-sn', '-map_metadata', '-1', '-map_chapters', '-1', '-filter_threads', String(plan.threads)],
    ...(way.picture === 'copy' ? ['-c:v', 'copy'] : pictureArguments(plan)),
    ...(way.sound === 'copy' ? ['-c:a', 'copy'] : soundArguments(way.sound === 'silence' ? null : details.sound)),
    ...[
      '-t',
      seconds(target.maxDurationMs === null ? mostMadeMs(details.durationMs) : target.maxDurationMs - LAST_PICTURE_MS),
    ],
    // Without an edit list the first picture has to be shown at 0: pictures that are stored before the order they are
    // shown in get negative offsets.
    ...[
      '-use_editlist',
      '0',
      '-movflags',
      '+faststart+negative_cts_offsets',
      '-fflags',
      '+bitexact',
      '-f',
      'mp4',
      `file:${into}`,
    ],
  ];
}

/**
 * The latest end of the output of a video that states its length: its pictures may go on for hours. An output that
 * reaches this end is not accepted as a result.
 */
export function mostMadeMs(durationMs: number): number {
  return durationMs + Math.max(10_000, durationMs * 0.05);
}

/**
 * The latest end for a video of the longest allowed length: sound is stored in blocks, and an encoder's padding would
 * make it longer.
 */
const LAST_PICTURE_MS = 50;

function seconds(durationMs: number): string {
  return (durationMs / 1000).toFixed(3);
}

/** Constant quality, within the limits of the bit rates. */
const QUALITY = '20';
const PRESET = 'veryfast';
const GROUP_SECONDS = 2;

function pictureArguments({ details, target, bitrate, peakBitrate, threads }: ConversionPlan): readonly string[] {
  const rate = frameRateFor(details.picture, target);
  const group = String(Math.round(numberOf(rate) * GROUP_SECONDS));
  // Within two seconds a decoder may consume its buffered bits and those that arrive: together they are the peak.
  const buffer = Math.max(bitrate / 2, 2 * (peakBitrate - bitrate));
  return [
    ...[
      '-vf',
      filtersFor(details.picture, target, rate),
      '-c:v',
      'libx264',
      '-profile:v',
      'high',
      '-preset',
      PRESET,
      '-crf',
      QUALITY,
    ],
    ...[
      '-maxrate',
      String(bitrate),
      '-bufsize',
      String(Math.round(buffer)),
      '-g',
      group,
      '-keyint_min',
      group,
      '-sc_threshold',
      '0',
      '-flags:v',
      '+cgop+bitexact',
    ],
    ...[
      '-color_primaries',
      'bt709',
      '-color_trc',
      'bt709',
      '-colorspace',
      'bt709',
      '-color_range',
      'tv',
      '-threads:v',
      String(threads),
    ],
  ];
}

function numberOf(rate: string): number {
  const [over, under = '1'] = rate.split('/');
  return Number(over) / Number(under);
}

/** ffmpeg has already applied the rotation before these filters. */
function filtersFor(picture: PictureTrack, { canvas, picture: wanted, background }: VideoTarget, rate: string): string {
  // From the video's first moment, even where its first picture comes later; otherwise picture and sound would drift
  // apart.
  const constant = `fps=${rate}:start_time=0`;
  const isFewer = picture.frameRate > numberOf(rate);
  const isPadded = canvas.width !== wanted.width || canvas.height !== wanted.height;
  return [
    ...deinterlaced(picture),
    ...(isFewer ? [constant] : []),
    ...inStandardRange(picture, wanted),
    ...(isFewer ? [] : [constant]),
    'setsar=1',
    ...(isPadded ? [`pad=${canvas.width}:${canvas.height}:(ow-iw)/2:(oh-ih)/2:color=${background}`] : []),
  ].join(',');
}

export function deinterlaced({ isInterlaced }: PictureTrack): readonly string[] {
  return isInterlaced ? ['bwdif=mode=send_frame:deint=interlaced'] : [];
}

/** Filters to a size, and to the colours of high definition. */
export function inStandardRange(picture: PictureTrack, wanted: Pixels): readonly string[] {
  return HDR_TRANSFERS.has(picture.transfer)
    ? toneMapped(picture, wanted)
    : [scaled(picture, wanted), 'format=yuv420p'];
}

interface Pixels {
  readonly width: number;
  readonly height: number;
}

/** From this height in lines, a picture that does not name its colours is taken to have those of high definition. */
const HIGH_DEFINITION = 720;
const MATRICES: ReadonlySet<string> = new Set(['bt709', 'smpte170m', 'bt470bg', 'fcc', 'smpte240m', 'bt2020nc']);

function scaled(picture: PictureTrack, { width, height }: Pixels): string {
  const guessed = Math.min(picture.width, picture.height) >= HIGH_DEFINITION ? 'bt709' : 'bt601';
  const matrix = MATRICES.has(picture.matrix) ? (SCALE_NAMES[picture.matrix] ?? picture.matrix) : guessed;
  return `scale=${width}:${height}:flags=bicubic:in_color_matrix=${matrix}:out_color_matrix=bt709:out_range=tv`;
}

/** The names of the filter where they differ from the format's. */
const SCALE_NAMES: Readonly<Record<string, string>> = {
  bt2020nc: 'bt2020',
  bt470bg: 'bt470bg',
  smpte170m: 'smpte170m',
};

/** Perceptual quantizer and hybrid log-gamma. */
const HDR_TRANSFERS: ReadonlySet<string> = new Set(['smpte2084', 'arib-std-b67']);

/**
 * The brightness of a white page in such a film (ITU-R BT.2408). It becomes white in the output, and brighter light is
 * compressed above it.
 */
const WHITE_NITS = 203;

/** The picture is scaled down first, because a pixel in linear light takes twelve bytes. */
function toneMapped({ transfer, range }: PictureTrack, { width, height }: Pixels): readonly string[] {
  return [
    `zscale=w=${width}:h=${height}:tin=${transfer}:pin=bt2020:min=bt2020nc:rin=${range === 'pc' ? 'full' : 'limited'}:t=linear:npl=${WHITE_NITS}`,
    ...['format=gbrpf32le', 'zscale=p=bt709', 'tonemap=tonemap=mobius:desat=0'],
    ...['zscale=t=bt709:m=bt709:r=limited', 'format=yuv420p'],
  ];
}

const SOUND = ['-c:a', 'aac', '-b:a', '128k', '-ar', '48000', '-ac', '2', '-flags:a', '+bitexact'] as const;
/** Gaps are filled with silence, and the sound begins when the video does. */
const IN_STEP = 'aresample=48000:async=1:first_pts=0';
/**
 * Mixes down to two channels as broadcasters do. ffmpeg's own mix would attenuate everything so that no sum can clip;
 * here a limiter catches peaks. `pan` ignores channels that a track does not have.
 */
const DOWN =
  'pan=stereo|FL=FL+0.707*FC+0.707*SL+0.707*BL+0.5*BC|FR=FR+0.707*FC+0.707*SR+0.707*BR+0.5*BC,alimiter=limit=0.97:level=disabled';

function soundArguments(sound: SoundTrack | null): readonly string[] {
  if (sound === null) return SOUND;
  return ['-af', sound.channels > 2 ? `${IN_STEP},${DOWN}` : IN_STEP, ...SOUND];
}
