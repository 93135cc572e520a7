import type { FileFacts } from '#domain/media/file-facts.ts';
import type { FrameRules } from '#domain/media/framing.ts';
import {
  byKind,
  FEED_IMAGE,
  FEED_VIDEO,
  STORY_IMAGE,
  UPRIGHT_VIDEO,
  type NetworkTargets,
} from '../contract/targets.ts';
import { filesProblems } from './limits.ts';
import { MAX_IMAGE_BYTES, videoLimitsOf } from './media.ts';

const FEED_RATIO = { least: 0.8, most: 1.91 } as const;
/** Documented are 300 MB; a third of it is what is known to work for the items of a carousel. */
const CAROUSEL_VIDEO_BYTES = 100_000_000;

export const instagramTargets: NetworkTargets = {
  problems: ({ files, placement }) => filesProblems(files, placement),
  // Instagram cuts a cover to 9:16: it is padded to that instead, as the picture of a Story is.
  cover: () => STORY_IMAGE,
  target: (file, { files, placement }) => {
    const { bytes, durationMs } = videoLimitsOf(placement, files.length);
    const video = { maxBytes: bytes, maxDurationMs: durationMs[1] };
    if (placement === 'story') return byKind(file, STORY_IMAGE, { ...UPRIGHT_VIDEO, ...video });
    const image = {
      ...FEED_IMAGE,
      box: { width: 1440, height: 1800 },
      least: { width: 320, height: 0 },
      maxBytes: MAX_IMAGE_BYTES,
    };
    const [first] = files;
    if (files.length === 1 || first === undefined)
      return byKind(file, { ...image, ratio: FEED_RATIO }, { ...FEED_VIDEO, ...video });
    const ratio = ratioOf(first);
    return byKind(
      file,
      { ...image, ratio },
      { ...FEED_VIDEO, ...video, maxBytes: Math.min(bytes, CAROUSEL_VIDEO_BYTES), ratio },
    );
  },
};

/** Instagram cuts every item of a carousel to the shape of the first: they are padded to it instead. */
function ratioOf({ width, height }: FileFacts): FrameRules['ratio'] {
  const ratio = Math.min(Math.max(width / height, FEED_RATIO.least), FEED_RATIO.most);
  return { least: ratio, most: ratio };
}
