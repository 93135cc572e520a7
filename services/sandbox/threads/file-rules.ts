import type { SandboxFile } from '../files/files.ts';
import type { ErrorMessage } from './containers.ts';

/** The most bytes that are fetched of any file. */
export const MAX_FILE_BYTES = 1_073_741_824;

const MAX_IMAGE_BYTES = 8_388_608;
const IMAGE_TYPES = ['image/jpeg', 'image/png'];
const VIDEO_TYPES = ['video/mp4', 'video/quicktime'];
const MAX_VIDEO_MS = 300_000;
const WIDEST_VIDEO_PX = 1_920;

const within = ({ width, height }: SandboxFile, least: number, most: number) =>
  width >= height * least && width <= height * most && height > 0;

/** False for a video and for an unknown type. */
export const isImage = ({ contentType }: SandboxFile): boolean => contentType.startsWith('image/');

/** The problem with an image, as `error_message` names it; null: none. Any width will do: Threads scales. */
export function judgeImage(file: SandboxFile): ErrorMessage | null {
  if (!IMAGE_TYPES.includes(file.contentType) || file.bytes > MAX_IMAGE_BYTES) return 'UNKNOWN';
  return within(file, 0.1, 10) ? null : 'INVALID_ASPEC_RATIO';
}

/** The problem with a video; null: none. */
export function judgeVideo(file: SandboxFile): ErrorMessage | null {
  if (!VIDEO_TYPES.includes(file.contentType) || file.width > WIDEST_VIDEO_PX) return 'FAILED_PROCESSING_VIDEO';
  if (!within(file, 0.01, 10)) return 'INVALID_ASPEC_RATIO';
  return file.durationMs > MAX_VIDEO_MS ? 'INVALID_DURATION' : null;
}
