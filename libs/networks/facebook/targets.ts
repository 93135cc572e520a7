import { imageTarget, type ImageRules } from '#domain/media/image-target.ts';
import type { Target, VideoTarget } from '#domain/media/target.ts';
import { videoTarget } from '#domain/media/video-target.ts';
import type { FileFacts } from '#domain/media/file-facts.ts';
import {
  byKind,
  COVER_IMAGE,
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
  cover: coverOf,
};

function storyTarget(file: FileFacts): Target {
  return byKind(file, STORY_IMAGE, { ...UPRIGHT_VIDEO, maxBytes: UPRIGHT_BYTES, maxDurationMs: STORY_MS[1] });
}

function feedTarget(file: FileFacts): Target {
  return file.kind === 'image' ? imageTarget(file, FEED_RULES.image) : feedVideo(file);
}

function feedVideo(file: FileFacts): VideoTarget {
  const target = videoTarget(file, FEED_RULES.video);
  if (!isReel(file) && !isReel({ ...target.canvas, durationMs: file.durationMs })) return target;
  return videoTarget(file, { ...UPRIGHT_VIDEO, maxBytes: UPRIGHT_BYTES, maxDurationMs: REEL_MS[1] });
}

/** Facebook shows it in the place of the video, so it gets the video's shape. */
function coverOf(video: FileFacts): ImageRules {
  const { width, height } = feedVideo(video).canvas;
  const ratio = { least: width / height, most: width / height };
  return { ...COVER_IMAGE, box: { width: 1920, height: 1920 }, ratio, maxBytes: IMAGE_BYTES };
}
