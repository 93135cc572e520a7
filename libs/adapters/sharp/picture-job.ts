import { z } from 'zod';
import type { ImageTarget } from '#domain/media/target.ts';
import type { PictureType } from '#ports/media-tools.ts';

/**
 * What a worker is asked, as one line on its standard input; `bytes` of the file follow it. The worker sees no path: it
 * can open no file of ours.
 */
export type PictureJob =
  | { readonly kind: 'look'; readonly contentType: PictureType; readonly bytes: number }
  | {
      readonly kind: 'make';
      readonly contentType: PictureType;
      readonly bytes: number;
      readonly target: ImageTarget;
    };

type WithoutBytes<Job> = Job extends PictureJob ? Omit<Job, 'bytes'> : never;
export type JobWithoutBytes = WithoutBytes<PictureJob>;

const SIZE = { width: z.number().int().positive(), height: z.number().int().positive() };

const PRIVATE_PART = z.object({
  at: z.number().int().nonnegative(),
  bytes: z.number().int().nonnegative(),
  by: z.base64(),
});

/**
 * What a worker answers, as one line on its standard output; of `made`, `bytes` of the picture follow it. It is parsed,
 * because a file may have taken over the process that wrote it.
 */
export const PICTURE_ANSWER = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('seen'), ...SIZE, privateParts: z.array(PRIVATE_PART).readonly() }),
  /** The file already fits; nothing was made. */
  z.object({ kind: z.literal('fits') }),
  z.object({
    kind: z.literal('made'),
    contentType: z.enum(['image/jpeg', 'image/png']),
    bytes: z.number().int().positive(),
    ...SIZE,
  }),
  z.object({ kind: z.literal('refused'), words: z.string().max(1_000) }),
  /** A failure that the file did not cause. */
  z.object({ kind: z.literal('trouble'), message: z.string().max(1_000) }),
]);
export type PictureAnswer = Readonly<z.infer<typeof PICTURE_ANSWER>>;
