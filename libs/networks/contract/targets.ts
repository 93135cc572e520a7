import type { FileFacts } from '#domain/media/file-facts.ts';
import { imageTarget, type ImageRules } from '#domain/media/image-target.ts';
import type { Target } from '#domain/media/target.ts';
import { videoTarget, type VideoRules } from '#domain/media/video-target.ts';
import type { Placement } from '#domain/network.ts';
import type { DraftFile } from '#domain/post/draft.ts';

/** A file as limits judge it: what a Member gave, or what is known of it since. */
export type FileOfPost = Pick<DraftFile, 'kind' | 'contentType' | 'durationMs'>;

export interface TargetsRequest {
  readonly placement: Placement;
  /** All of the post, in order. */
  readonly files: readonly FileFacts[];
  /** The Channel's, as limits know it. */
  readonly accountKind: string;
}

/** `problems`: why the files can't be published there, in words for a person. */
export type Targets =
  | {
      readonly kind: 'targets';
      readonly targets: readonly Target[];
      /** What is made of the picture of a cover; null: the Network takes none for such a post. */
      readonly cover: ImageRules | null;
    }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

/** What one Network takes, made of the files of a post; libs/networks/<name>/targets.ts has one for each. */
export interface NetworkTargets {
  problems(request: TargetsRequest): readonly string[];
  /** Of one of the files, for a post that has no problems. */
  target(file: FileFacts, request: TargetsRequest): Target;
  /**
   * Of the picture of a cover, for `video` in a post of the feed that has no problems. Left out where a Network takes
   * no pictures as covers.
   */
  cover?(video: FileFacts): ImageRules;
}

export function targetsOfPost({ problems, target, cover }: NetworkTargets, request: TargetsRequest): Targets {
  const { files, placement } = request;
  const found = problems(request);
  if (found.length > 0) return { kind: 'problems', problems: found };
  const video = placement === 'feed' ? files.find(({ kind }) => kind === 'video') : undefined;
  return {
    kind: 'targets',
    targets: files.map((file) => target(file, request)),
    cover: video === undefined ? null : (cover?.(video) ?? null),
  };
}

/** A picture by one set of rules, a video by another. */
export function byKind(file: FileFacts, image: ImageRules, video: VideoRules): Target {
  return file.kind === 'image' ? imageTarget(file, image) : videoTarget(file, video);
}

const ANY_STEP = { width: 1, height: 1 } as const;
/** Video has one sample of colour for two by two of brightness. */
const EVEN = { width: 2, height: 2 } as const;
const NOTHING = { width: 1, height: 1 } as const;

/** Pictures of the feed, as most Networks take them. */
export const FEED_IMAGE: Omit<ImageRules, 'box' | 'maxBytes'> = {
  turns: false,
  ratio: { least: 0, most: Infinity },
  least: NOTHING,
  step: ANY_STEP,
  background: 'white',
  keepsPng: false,
};

/** Videos of the feed, where a Network does not want them smaller: all those Networks share what is made. */
export const FEED_VIDEO: Omit<VideoRules, 'maxBytes' | 'maxDurationMs'> = {
  box: { width: 1920, height: 1920 },
  turns: false,
  ratio: { least: 0.1, most: 10 },
  least: NOTHING,
  step: EVEN,
};

const UPRIGHT = { turns: false, box: { width: 1080, height: 1920 }, ratio: { least: 9 / 16, most: 9 / 16 } } as const;

/** What is around the picture of a cover is black, as around a video. */
export const COVER_IMAGE: Omit<ImageRules, 'box' | 'maxBytes' | 'ratio'> = {
  turns: false,
  least: NOTHING,
  step: ANY_STEP,
  background: 'black',
  keepsPng: false,
};

/** As small as the stricter of two Networks wants them, which a picture of that size is anyway. */
export const STORY_IMAGE: ImageRules = {
  ...UPRIGHT,
  maxBytes: 4_000_000,
  least: { width: 320, height: 0 },
  step: { width: 9, height: 16 },
  background: 'black',
  keepsPng: false,
};

/** Exactly 9:16 in even numbers: Networks that ask for the shape refuse what is off by a line. */
export const UPRIGHT_VIDEO: Omit<VideoRules, 'maxBytes' | 'maxDurationMs'> = {
  ...UPRIGHT,
  least: { width: 540, height: 960 },
  step: { width: 18, height: 32 },
};
