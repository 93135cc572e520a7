import type { ImageRules } from '#domain/media/image-target.ts';
import { COVER_IMAGE, type NetworkTargets } from '../contract/targets.ts';
import { filesProblems } from './limits.ts';

/** A thumbnail has at most 2 MB; 1280x720 is the size that YouTube advises, and 640 its narrowest. */
const THUMBNAIL: ImageRules = {
  ...COVER_IMAGE,
  box: { width: 1280, height: 720 },
  ratio: { least: 16 / 9, most: 16 / 9 },
  least: { width: 640, height: 0 },
  step: { width: 16, height: 9 },
  maxBytes: 2_000_000,
};

/**
 * YouTube takes whatever a Member may give, and makes its own of it: nothing that was made before it would be better.
 */
export const youtubeTargets: NetworkTargets = {
  problems: ({ files }) => filesProblems(files),
  target: () => ({ kind: 'original' }),
  cover: () => THUMBNAIL,
};
