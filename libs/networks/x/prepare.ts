import type { PrepareAnswer } from '../contract/adapter.ts';
import { unfit } from '../contract/answers.ts';
import type { XWork } from './calls.ts';
import { fresh, isStale, write, type XHandle } from './handle.ts';
import { problemOf } from './media.ts';
import { begin, describe, end, look, send } from './upload.ts';

/**
 * The post's files, one after the other: uploaded, waited for, described. None of them is public, and X deletes files
 * that no post names.
 */
export async function prepare(work: XWork, stored: XHandle | null): Promise<PrepareAnswer> {
  const { media, now, placement } = work.publication;
  if (placement === 'story') return unfit('X has no Stories.', 'rejected_by_platform');
  if (media.length === 0) return { kind: 'ready', handle: null, summary: { status: 0, detail: 'nothing to prepare' } };
  const problem = problemOf(work.publication);
  if (problem !== null) return unfit(problem);
  const isUsable = stored !== null && !isStale(stored, now) && stored.files.length <= media.length;
  const handle = isUsable ? stored : fresh(now);
  const done = handle.files.findIndex(({ state }) => state !== 'ready');
  const index = done === -1 ? handle.files.length : done;
  const file = media[index];
  if (file === undefined)
    return { kind: 'ready', handle: write(handle), summary: { status: 0, detail: `${media.length} files uploaded` } };
  const one = { work, handle, index, file };
  const upload = handle.files[index];
  switch (upload?.state) {
    case undefined:
      return begin(one);
    case 'sending':
      return upload.sent < file.bytes ? send(one, upload) : end(one, upload);
    case 'processing':
      return look(one, upload);
    case 'uploaded':
      return describe(one, upload);
    case 'ready':
      throw new Error('a file that is ready needs nothing more');
  }
}
