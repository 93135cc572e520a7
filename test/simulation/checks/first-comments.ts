import { everyVariant, type Check } from '../aftermath.ts';

/** A first comment is there once when it is told to be, not at all when it failed, and never twice. */
export const firstCommentsAgree: Check = (after) =>
  everyVariant(after).flatMap(({ post, variant }) => {
    const { firstComment, network, remoteId, status } = variant;
    if (firstComment === undefined || status !== 'published') return [];
    const item = after.items.find((each) => each.network === network && each.remoteId === remoteId);
    const there = item?.comments?.length ?? 0;
    const isTrue =
      firstComment.status === 'published'
        ? there === 1
        : firstComment.status === 'unconfirmed'
          ? there <= 1
          : firstComment.status === 'failed' && there === 0;
    // Where Threads did not report which post a container became, there is no item to look at.
    if (isTrue || (item === undefined && network === 'threads')) return [];
    const detail = `the first comment of variant ${variant.id} says ${firstComment.status}, and is there ${there} times`;
    return [{ check: 'first comments agree', detail, about: [post.id.slice(0, -2)] }];
  });
