import { z } from 'zod';
import type { MediaRefusal, MissingTool, PrivatePart } from '#ports/media-tools.ts';
import { PROBED_DECODERS, isDecodedPicture, isDecodedSound } from './decoders.ts';
import { MAX_TRACKS, type BoxesRead, type MovieBoxes } from './movie-boxes.ts';
import { movieBoxesOf } from './movie-boxes-process.ts';
import { inputOf, runTool, type FfmpegTools } from './tools.ts';

/** What ffprobe and the boxes report of a usable video. */
export interface VideoDetails {
  readonly picture: PictureTrack;
  /** null: silent. */
  readonly sound: SoundTrack | null;
  readonly durationMs: number;
  /** The size at which it is shown. */
  readonly width: number;
  readonly height: number;
  readonly boxes: MovieBoxes;
  readonly privateParts: readonly PrivatePart[];
  /** The file holds nothing but the two tracks, and no metadata about author, place or camera. */
  readonly isBare: boolean;
}

export interface PictureTrack {
  readonly index: number;
  readonly codec: string;
  readonly profile: string;
  readonly pixelFormat: string;
  /** The size at which it is stored. */
  readonly width: number;
  readonly height: number;
  readonly isInterlaced: boolean;
  readonly isSquare: boolean;
  readonly isTurned: boolean;
  /**
   * Pictures per second: the average, and the lowest rate at which every picture has a moment of its own. They differ
   * where the rate varies.
   */
  readonly frameRate: number;
  readonly baseFrameRate: number;
  readonly range: string;
  readonly matrix: string;
  readonly transfer: string;
  readonly primaries: string;
}

export interface SoundTrack {
  readonly index: number;
  readonly codec: string;
  readonly profile: string;
  readonly sampleRate: number;
  readonly channels: number;
}

const ENTRIES = [
  'format=duration:format_tags',
  'stream=index,codec_type,codec_name,profile,width,height,pix_fmt,field_order,sample_aspect_ratio,r_frame_rate,avg_frame_rate',
  'stream=color_range,color_space,color_transfer,color_primaries,sample_rate,channels',
  'stream_disposition=attached_pic:stream_side_data=rotation:stream_tags',
].join(':');

const TEXT = z.string().default('');
const NUMBER = z.number().default(0);
/** Sides and counts are taken on into arithmetic and arguments. */
const WHOLE = z.int().min(0).default(0);
const STREAM = z.object({
  ...{
    index: z.int().min(0),
    codec_type: TEXT,
    codec_name: TEXT,
    profile: TEXT,
    width: WHOLE,
    height: WHOLE,
    pix_fmt: TEXT,
    field_order: TEXT,
  },
  ...{
    sample_aspect_ratio: TEXT,
    r_frame_rate: TEXT,
    avg_frame_rate: TEXT,
    color_range: TEXT,
    color_space: TEXT,
    color_transfer: TEXT,
    color_primaries: TEXT,
  },
  ...{ sample_rate: TEXT, channels: WHOLE },
  disposition: z.object({ attached_pic: NUMBER }).default({ attached_pic: 0 }),
  side_data_list: z.array(z.object({ rotation: z.number().optional() })).default([]),
  tags: z.record(z.string(), z.string()).default({}),
});
const PROBED = z.object({
  streams: z.array(STREAM).default([]),
  format: z
    .object({ duration: TEXT, tags: z.record(z.string(), z.string()).default({}) })
    .default({ duration: '', tags: {} }),
});
type Stream = z.infer<typeof STREAM>;

/** 8K in either orientation, with a margin. */
const MAX_PIXELS = 8192 * 4608;
const MAX_SIDE = 16_384;
/** High-speed cameras reach 240; a higher claim comes from no camera. */
const MAX_FRAME_RATE = 480;
/** No Network takes longer videos. */
const MAX_SECONDS = 12 * 3_600;
/**
 * The claimed length must be backed by bytes: a conversion takes time for each claimed second, and a claim alone takes
 * no bytes. So many seconds are accepted from any file, and one more for so many bytes. Silent slides, one a minute and
 * as small as an encoder makes them, have 17 bytes a second; a black screen at 30 pictures a second has 1,500; speech
 * in the poorest quality 1,000.
 */
const FREE_SECONDS = 600;
const MIN_BYTES_A_SECOND = 10;
/** Characters of ffprobe's output, which the server parses on its event loop. A phone's video gives 3,000. */
const MAX_PROBE_CHARACTERS = 500_000;

/** ffprobe ends at the first track that none of our decoders is for. */
const UNLISTED = /Codec \((\w+)\) not on whitelist/;
const EXPORT = 'Export it as an MP4 with H.264 and AAC.';

export async function detailsOf(
  path: string,
  tools: FfmpegTools,
  signal?: AbortSignal,
): Promise<UsableVideo | MediaRefusal | MissingTool> {
  // Checked first: ffprobe itself has no limit on what an index may hold.
  const read = await movieBoxesOf(path, tools.boxesMs, signal);
  if (read.kind !== 'read') return read;
  if (read.boxes.hasOutsideData) return refused('The video refers to other files. Export it as a whole, in one file.');
  const ended = await runTool({
    program: tools.ffprobe,
    args: [
      '-hide_banner',
      '-v',
      'error',
      '-print_format',
      'json',
      '-show_entries',
      ENTRIES,
      ...inputOf(path, PROBED_DECODERS),
    ],
    reach: { reads: [path], writes: [] },
    ...{
      memoryBytes: tools.probeMemoryBytes,
      timeMs: tools.probeMs,
      threads: 1,
      fileBytes: 0,
      outputBytes: MAX_PROBE_CHARACTERS,
    },
    ...(signal === undefined ? {} : { signal }),
  });
  if (ended.kind === 'over') return refused('The video takes too long to look into: its index is not as it should be.');
  if (ended.kind !== 'ended') return ended;
  if (ended.code !== 0) {
    const codec = UNLISTED.exec(ended.errors)?.[1];
    if (codec !== undefined)
      return refused(`A track of the video is stored as ${codec}, which is not taken. ${EXPORT}`);
    return refused('The video is damaged, or is none.');
  }
  return judgeProbed(ended.output, read);
}

/** What ffprobe printed of a file with these boxes. Bytes of the file decide it: it may be anything. */
export function judgeProbed(output: string, read: Extract<BoxesRead, { kind: 'read' }>): UsableVideo | MediaRefusal {
  const probed = PROBED.safeParse(parsed(output));
  return probed.success
    ? judge(probed.data, read)
    : refused('The video is damaged: what it says of itself makes no sense.');
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

type UsableVideo = { readonly kind: 'known'; readonly details: VideoDetails };

function judge(
  { streams, format }: z.infer<typeof PROBED>,
  { boxes, bytes, privateParts }: Extract<BoxesRead, { kind: 'read' }>,
): UsableVideo | MediaRefusal {
  if (streams.length > MAX_TRACKS) return refused('The video has more tracks than any camera or program makes.');
  const pictures = streams.filter(
    ({ codec_type: type, disposition }) => type === 'video' && disposition.attached_pic === 0,
  );
  const picture = pictures[0];
  if (picture === undefined) return refused('The video has no picture in it.');
  const track = pictureTrack(picture);
  const { width, height, codec } = track;
  if (codec === '' || width === 0 || height === 0)
    return refused('The picture of the video is in a format that is not known here.');
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS)
    return refused(`The video is too large: ${width} by ${height} pixels; 8192 by 4320 is the most.`);
  if (!isDecodedPicture(codec))
    return refused(`The picture of the video is stored as ${codec}, which is not taken. ${EXPORT}`);
  if (track.frameRate > MAX_FRAME_RATE)
    return refused(`The video claims ${Math.round(track.frameRate)} pictures a second; ${MAX_FRAME_RATE} is the most.`);
  const seconds = Number(format.duration);
  if (!(seconds > 0)) return refused('The video does not say how long it is, or is empty.');
  if (seconds > MAX_SECONDS) return refused('The video lasts longer than 12 hours, which no Network takes.');
  if (seconds > FREE_SECONDS + bytes / MIN_BYTES_A_SECOND)
    return refused(
      `The video says that it lasts ${spoken(seconds)}, but there are only ${Math.ceil(bytes / 1000)} KB in it. Export it again as an MP4.`,
    );
  const sounds = streams.filter(
    ({ codec_type: type, codec_name: name, channels }) => type === 'audio' && name !== '' && channels > 0,
  );
  const sound = sounds.find(({ codec_name: name }) => isDecodedSound(name));
  if (sound === undefined && sounds[0] !== undefined)
    return refused(`The sound of the video is stored as ${sounds[0].codec_name}, which is not taken. ${EXPORT}`);
  const details: VideoDetails = {
    ...{
      picture: track,
      sound: sound === undefined ? null : soundTrack(sound),
      durationMs: Math.round(seconds * 1000),
      boxes,
      privateParts,
    },
    ...seenSize(picture, track),
    isBare:
      streams.length === (sound === undefined ? 1 : 2) &&
      [format, picture, ...(sound === undefined ? [] : [sound])].every(({ tags }) =>
        Object.keys(tags).every(isHarmless),
      ),
  };
  return { kind: 'known', details };
}

function spoken(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Tags that muxers write about themselves. Any other tag may reveal where and by whom the video was filmed. */
const HARMLESS = new Set([
  'major_brand',
  'minor_version',
  'compatible_brands',
  'encoder',
  'handler_name',
  'vendor_id',
  'language',
]);

function isHarmless(tag: string): boolean {
  return HARMLESS.has(tag);
}

function pictureTrack(stream: Stream): PictureTrack {
  const frameRate = fraction(stream.avg_frame_rate, '/');
  return {
    ...{
      index: stream.index,
      codec: stream.codec_name,
      profile: stream.profile,
      pixelFormat: stream.pix_fmt,
      width: stream.width,
      height: stream.height,
    },
    isInterlaced: ['tt', 'bb', 'tb', 'bt'].includes(stream.field_order),
    isSquare: sampleRatio(stream) === 1,
    isTurned: turnOf(stream) !== 0,
    ...{ frameRate, baseFrameRate: fraction(stream.r_frame_rate, '/') },
    ...{
      range: stream.color_range,
      matrix: stream.color_space,
      transfer: stream.color_transfer,
      primaries: stream.color_primaries,
    },
  };
}

function soundTrack({ index, codec_name: codec, profile, sample_rate: sampleRate, channels }: Stream): SoundTrack {
  return { index, codec, profile, sampleRate: Number(sampleRate), channels };
}

function seenSize(
  stream: Stream,
  { width, height }: PictureTrack,
): { readonly width: number; readonly height: number } {
  const wide = Math.max(1, Math.round(width * sampleRatio(stream)));
  return Math.abs(turnOf(stream)) % 180 === 90 ? { width: height, height: wide } : { width: wide, height };
}

/** Degrees, in steps of 90; other angles count as upright. */
function turnOf({ side_data_list: sideData }: Stream): number {
  const turn = sideData.find(({ rotation }) => rotation !== undefined)?.rotation ?? 0;
  return turn % 90 === 0 ? turn % 360 : 0;
}

/** Width of a sample to its height. A missing or senseless value counts as square. */
function sampleRatio({ sample_aspect_ratio: ratio }: Stream): number {
  const value = fraction(ratio, ':');
  return value > 0.1 && value < 10 ? value : 1;
}

function fraction(text: string, mark: string): number {
  const [over, under = '1'] = text.split(mark);
  const value = Number(over) / Number(under);
  return Number.isFinite(value) ? value : 0;
}

function refused(words: string): MediaRefusal {
  return { kind: 'refused', words };
}
