import { byKind, FEED_IMAGE, FEED_VIDEO, type NetworkTargets } from '../contract/targets.ts';
import { filesProblems, isSubscriber } from './limits.ts';
import { MAX_IMAGE_BYTES, MAX_VIDEO_BYTES, MAX_VIDEO_MS, SUBSCRIBER_MAX_VIDEO_MS } from './media.ts';

const IMAGE_RULES = {
  ...FEED_IMAGE,
  box: { width: 4096, height: 4096 },
  keepsPng: true,
  maxBytes: MAX_IMAGE_BYTES,
} as const;

/** X refuses what is steeper than three to one, or narrower than 32 pixels. */
const VIDEO_RULES = {
  ...FEED_VIDEO,
  turns: true,
  ratio: { least: 1 / 3, most: 3 },
  least: { width: 32, height: 32 },
  maxBytes: MAX_VIDEO_BYTES,
} as const;
const ANY_VIDEO = {
  ...VIDEO_RULES,
  box: { width: 1280, height: 1024 },
  maxDurationMs: MAX_VIDEO_MS,
} as const;
const SUBSCRIBER_VIDEO = {
  ...VIDEO_RULES,
  box: { width: 1920, height: 1080 },
  maxDurationMs: SUBSCRIBER_MAX_VIDEO_MS,
} as const;

export const xTargets: NetworkTargets = {
  problems: ({ files, accountKind }) => filesProblems(files, accountKind),
  target: (file, { accountKind }) =>
    byKind(file, IMAGE_RULES, isSubscriber(accountKind) ? SUBSCRIBER_VIDEO : ANY_VIDEO),
};
