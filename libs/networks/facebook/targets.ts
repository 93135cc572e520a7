import { imageTarget } from '#domain/media/image-target.ts';
import type { Target } from '#domain/media/target.ts';
import { videoTarget } from '#domain/media/video-target.ts';
import type { FileFacts } from '#domain/media/file-facts.ts';
import {
  byKind,
  FEED_IMAGE,
  FEED_VIDEO,
  STORY_IMAGE,
  UPRIGHT_VIDEO,
  type NetworkTargets,
  type TargetsRequest,
} from '../contract/targets.ts';
import { filesProblems } from './limits.ts';
import { FEED_VIDEO_MS, isReel, REEL_MS, STORY_MS } from './media.ts';

/** It takes 10 MB, and fails with some that are over four. */
const IMAGE_BYTES = 4_000_000;
const UPRIGHT_BYTES = 1_000_000_000;
const FEED_BYTES = 2_000_000_000;

const FEED_RULES = {
  image: { ...FEED_IMAGE, box: { width: 2048, height: 2048 }, maxBytes: IMAGE_BYTES },
  video: { ...FEED_VIDEO, maxBytes: FEED_BYTES, maxDurationMs: FEED_VIDEO_MS[1] },
};

/** A reel is what publishing will take for one, before or after it was made. */
export const facebookTargets: NetworkTargets = {
  problems: ({ files, placement }) => filesProblems(files, placement),
  target: (file, { placement }: TargetsRequest) => (placement === 'story' ? storyTarget(file) : feedTarget(file)),
};

function storyTarget(file: FileFacts): Target {
  return byKind(file, STORY_IMAGE, { ...UPRIGHT_VIDEO, maxBytes: UPRIGHT_BYTES, maxDurationMs: STORY_MS[1] });
}

function feedTarget(file: FileFacts): Target {
  if (file.kind === 'image') return imageTarget(file, FEED_RULES.image);
  const target = videoTarget(file, FEED_RULES.video);
  if (!isReel(file) && !isReel({ ...target.canvas, durationMs: file.durationMs })) return target;
  return videoTarget(file, { ...UPRIGHT_VIDEO, maxBytes: UPRIGHT_BYTES, maxDurationMs: REEL_MS[1] });
}
