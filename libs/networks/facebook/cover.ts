import type { PrepareAnswer } from '../contract/adapter.ts';
import { unfit } from '../contract/answers.ts';
import { graphPostFile, graphSummary, succeeded } from '../graph/calls.ts';
import { objectUrl, refused, type PageWork } from './calls.ts';
import { coverFailureOf } from './errors.ts';
import { parseHandle, write, type ReelHandle, type VideoHandle } from './handle.ts';
import { MAX_PHOTO_BYTES } from './media.ts';
import { pictureAs } from './photo.ts';

/**
 * What uploading a video came to, with the Member's cover set where the video is ready. That happens before the video
 * is public: one whose cover Facebook refuses is not published, rather than shown with another picture.
 */
export async function withCover(work: PageWork, uploaded: PrepareAnswer): Promise<PrepareAnswer> {
  const { publication } = work;
  const { cover, accessToken } = publication;
  if (uploaded.kind !== 'ready' || cover === null) return uploaded;
  const handle = parseHandle(uploaded.handle) as VideoHandle | ReelHandle;
  if (handle.covered === true) return uploaded;
  if (cover.kind !== 'picture') throw new Error('facebook takes a cover as a picture');
  if (cover.file.bytes > MAX_PHOTO_BYTES)
    return { ...unfit('Facebook takes a cover of at most 10 MB.'), handle: write(handle) };
  const url = `${objectUrl(work, handle.video)}/thumbnails`;
  const called = await graphPostFile(publication, url, { is_preferred: 'true' }, await pictureAs('source', cover.file));
  if (!succeeded(called)) return refused(work, called, { handle, judge: coverFailureOf });
  const summary = graphSummary(called, `video ${handle.video} has its cover`, [accessToken]);
  return { kind: 'ready', handle: write({ ...handle, covered: true }), summary };
}
