import { byKind, FEED_IMAGE, FEED_VIDEO, type NetworkTargets } from '../contract/targets.ts';
import { filesProblems } from './limits.ts';
import { MAX_PHOTO_BYTES, MAX_VIDEO_BYTES, VIDEO_MS, VIDEO_SIDES } from './media.ts';

const PHOTO_RULES = {
  ...FEED_IMAGE,
  box: { width: 1080, height: 1920 },
  turns: true,
  maxBytes: MAX_PHOTO_BYTES,
} as const;

const [MIN_SIDE] = VIDEO_SIDES;
/** The steepest shape with both sides long enough within the box. */
const STEEPEST = FEED_VIDEO.box.width / MIN_SIDE;

const VIDEO_RULES = {
  ...FEED_VIDEO,
  least: { width: MIN_SIDE, height: MIN_SIDE },
  ratio: { least: 1 / STEEPEST, most: STEEPEST },
  maxBytes: MAX_VIDEO_BYTES,
  maxDurationMs: VIDEO_MS[1],
} as const;

export const tiktokTargets: NetworkTargets = {
  problems: ({ files }) => filesProblems(files),
  target: (file) => byKind(file, PHOTO_RULES, VIDEO_RULES),
};
