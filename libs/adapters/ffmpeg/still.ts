import { rm, stat } from 'node:fs/promises';
import type { MediaRefusal, StillRequest, VideoTools } from '#ports/media-tools.ts';
import { hashOf } from '../filesystem/file-hash.ts';
import { deinterlaced, inStandardRange } from './arguments.ts';
import { runFfmpeg } from './ffmpeg-run.ts';
import { inputOf, type FfmpegTools } from './tools.ts';
import { detailsOf, type PictureTrack } from './video-details.ts';

const NO_PICTURE: MediaRefusal = {
  kind: 'refused',
  words: 'The video has no picture at the instant that was chosen for its cover. Choose another (cover.atSeconds).',
};

/** A PNG takes at most four bytes a pixel, and little beside them. */
const PNG_BYTES_A_PIXEL = 4;
const PNG_FRAME_BYTES = 1_000_000;

/** The call `still` of `VideoTools`. No file is left at `into` unless the picture was taken. */
export async function takeStill(request: StillRequest, tools: FfmpegTools): ReturnType<VideoTools['still']> {
  let isKept = false;
  try {
    const still = await take(request, tools);
    isKept = still.kind === 'taken';
    return still;
  } finally {
    if (!isKept) await rm(request.into, { force: true });
  }
}

async function take(
  { source, target, into, signal }: StillRequest,
  tools: FfmpegTools,
): ReturnType<VideoTools['still']> {
  const known = await detailsOf(source.path, tools, signal);
  if (known.kind !== 'known') return known;
  const { details } = known;
  const { width, height } = target.picture;
  const run = {
    args: [
      ...['-nostdin', '-hide_banner', '-v', 'error', '-y', '-threads', String(tools.threads)],
      ...seekTo(target.atMs),
      ...inputOf(source.path),
      ...['-map', `0:${details.picture.index}`, '-an', '-dn', '-sn', '-map_metadata', '-1'],
      ...['-filter_threads', String(tools.threads)],
      ...['-vf', filtersFor(details.picture, target), '-frames:v', '1'],
      ...['-c:v', 'png', '-flags:v', '+bitexact', '-f', 'image2pipe', `file:${into}`],
    ],
    ...{ path: source.path, into, details },
    fileBytes: width * height * PNG_BYTES_A_PIXEL + PNG_FRAME_BYTES,
    ...(signal && { signal }),
  };
  const made = await runFfmpeg(run, tools);
  if (made.kind === 'too large') throw new Error(`a PNG of ${width}x${height} takes more than ${run.fileBytes} bytes`);
  if (made.kind !== 'made') return made;
  // ffmpeg may end without a picture and without an error.
  const size = await stat(into).then(
    (file) => file.size,
    () => 0,
  );
  if (size === 0) return NO_PICTURE;
  const { sha256, bytes } = await hashOf(into, signal);
  return {
    kind: 'taken',
    facts: { kind: 'image', contentType: 'image/png', bytes, sha256, width, height, durationMs: null },
  };
}

/**
 * Decoding begins at the key frame before the instant, and pictures keep their times: the one that is shown at the
 * instant may have begun long before it.
 */
function seekTo(atMs: number): readonly string[] {
  return ['-copyts', '-start_at_zero', '-noaccurate_seek', '-ss', secondsOf(atMs)];
}

/** Times of pictures are compared in milliseconds. */
const COMPARED_RATE = 1_000;

function filtersFor(picture: PictureTrack, { atMs, picture: wanted }: StillRequest['target']): string {
  return [
    ...deinterlaced(picture),
    // The last picture stays for ever: sound may go on after it, and the instant may be the end of the video.
    'tpad=stop_mode=clone:stop=-1',
    `fps=fps=${COMPARED_RATE}:start_time=${secondsOf(atMs)}:round=down`,
    // Ends ffmpeg after one picture; otherwise it would repeat the last one without end.
    'trim=end_frame=1',
    ...inStandardRange(picture, wanted),
    'scale=in_color_matrix=bt709:in_range=tv:out_range=pc',
    'format=rgb24',
    'setsar=1',
  ].join(',');
}

function secondsOf(ms: number): string {
  return (ms / 1000).toFixed(3);
}
