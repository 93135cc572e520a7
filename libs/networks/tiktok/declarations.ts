import type { LimitProblem } from '#domain/network-limits.ts';
import type { NetworkOptions } from '#domain/network-options.ts';
import { problem } from '../contract/problems.ts';

/** Why TikTok would not take what a post declares of itself, or would lose it; in words for a person. */
export function declarationProblems(
  { privacy, brandedContent, aiGenerated }: NetworkOptions,
  isPhotos: boolean,
): readonly LimitProblem[] {
  return [
    ...(privacy === 'only_me' && brandedContent === true
      ? [
          problem(
            'brandedContent',
            "TikTok's rule: branded content (brandedContent) cannot have the privacy only_me. Choose another.",
          ),
        ]
      : []),
    // Without its label the post would hide what its author wants to declare.
    ...(isPhotos && aiGenerated === true
      ? [
          problem(
            'aiGenerated',
            'TikTok takes the label for AI from apps with videos only. Leave aiGenerated out, or post a video.',
          ),
        ]
      : []),
  ];
}
