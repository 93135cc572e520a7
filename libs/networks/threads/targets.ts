import { byKind, FEED_IMAGE, FEED_VIDEO, type NetworkTargets } from '../contract/targets.ts';
import { filesProblems } from './limits.ts';
import { MAX_IMAGE_BYTES, MAX_VIDEO_BYTES, MAX_VIDEO_MS } from './media.ts';

const IMAGE_RULES = {
  ...FEED_IMAGE,
  box: { width: 1440, height: 14_400 },
  least: { width: 320, height: 0 },
  ratio: { least: 0.1, most: 10 },
  maxBytes: MAX_IMAGE_BYTES,
} as const;

export const threadsTargets: NetworkTargets = {
  problems: ({ files }) => filesProblems(files),
  target: (file) =>
    byKind(file, IMAGE_RULES, { ...FEED_VIDEO, maxBytes: MAX_VIDEO_BYTES, maxDurationMs: MAX_VIDEO_MS }),
};
