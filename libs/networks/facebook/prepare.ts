import type { PrepareAnswer } from '../contract/adapter.ts';
import { unfit } from '../contract/answers.ts';
import type { PageWork } from './calls.ts';
import { isStale, type FacebookHandle } from './handle.ts';
import { stepsOf } from './kinds.ts';
import { kindOf } from './media.ts';

/** Goes on from `handle` where it is of the kind that the publication is now, and not too old; else begins again. */
export async function prepare(work: PageWork, handle: FacebookHandle | null): Promise<PrepareAnswer> {
  const post = kindOf(work.publication);
  if (post.kind === 'unfit') return unfit(post.detail);
  const isUsable = handle !== null && handle.kind === post.kind && !isStale(handle, work.publication.now);
  return stepsOf(post.kind).prepare(work, isUsable ? handle : null);
}
