import type { PrepareAnswer } from '../contract/adapter.ts';
import { unfit } from '../contract/answers.ts';
import type { TikTokWork } from './calls.ts';
import { declarationProblems } from './declarations.ts';
import type { TikTokHandle } from './handle.ts';
import { kindOf } from './media.ts';
import { preparePhotos } from './photos.ts';
import { prepareVideo } from './video.ts';

export async function prepare(work: TikTokWork, handle: TikTokHandle | null): Promise<PrepareAnswer> {
  const post = kindOf(work.publication);
  // Judged already when the Post was made, unless a file was not known then or the Channel's defaults have changed.
  const [wrong] = declarationProblems(work.publication.options, post.kind === 'photos');
  if (wrong !== undefined) return unfit(wrong.message, 'rejected_by_platform');
  switch (post.kind) {
    case 'unfit':
      return unfit(post.detail);
    case 'photos':
      return preparePhotos(work);
    case 'video':
      return prepareVideo(work, handle?.kind === 'video' ? handle : null, post.file);
  }
}
