import { QUIET } from '../fault-plans.ts';
import type { BugsOfRoom } from '../planted-bug.ts';

const PLACING = 'services/workspace/place-rows.ts';
const LIST = 'libs/tables/repositories/post-list.ts';

/** In a third of the worlds a bucket holds a Post or two, in another third some. */
export const BUCKETS: BugsOfRoom = {
  room: 'libs/tables, buckets',
  bugs: [
    {
      name: 'A bucket is opened, and the directory is not told',
      edits: [
        {
          file: 'libs/tables/repositories/post-days.ts',
          find: 'value: { ...(ends.length > 0 && { ends }), ...(bytes > 0 && { bytes }) },',
          replace: 'value: { ...(bytes > 0 && { bytes }) },',
        },
      ],
      faults: QUIET,
    },
    {
      name: 'A Post is looked for in the first bucket of its day only',
      edits: [
        {
          file: 'libs/tables/repositories/posts.ts',
          find: 'return bucket === 0 ? null : read([workspaceId, bucketNumber(day, bucket)]);',
          replace: 'return null;',
        },
      ],
      faults: QUIET,
    },
    {
      name: 'A bucket begins below the newest Post of the one before',
      edits: [
        {
          file: PLACING,
          find: 'return { ...known, ends: end === null ? known.ends : [...known.ends, end], bytes: 0 };',
          replace:
            'return { ...known, ends: end === null ? known.ends : [...known.ends, end.slice(0, 18)], bytes: 0 };',
        },
      ],
      faults: QUIET,
    },
    {
      name: 'A page leaves out the buckets behind the one in which it begins',
      edits: [
        {
          file: LIST,
          find: 'for (let bucket = below === null ? ends.length : bucketOf(ends, below); bucket >= 0; bucket--)',
          replace:
            'for (let bucket = below === null ? ends.length : bucketOf(ends, below), last = bucket; bucket >= last; bucket--)',
        },
      ],
      faults: QUIET,
    },
    {
      name: 'An owner that has to read its head again keeps what it knew of buckets',
      edits: [
        {
          file: 'services/workspace/actor.ts',
          find: 'this.#loaded = loaded; this.#periods.clear();',
          replace: 'this.#loaded = loaded;',
        },
      ],
      suite: 'services/workspace/buckets.test.ts',
    },
    {
      name: 'The rows of a changed Variant are written to the first bucket',
      edits: [
        {
          file: 'libs/tables/repositories/posts.ts',
          find: 'return { partition: postPartition(post), clustering: [post.id, variantNumberOf(id)], value };',
          replace:
            'return { partition: [post.workspaceId, dayOf(instantOf(post.id))], clustering: [post.id, variantNumberOf(id)], value };',
        },
      ],
      faults: QUIET,
    },
    {
      name: 'A sweep ends with the last bucket of a week',
      edits: [
        {
          file: 'services/workspace/view.ts',
          find: 'for (let bucket = last; bucket >= 0 && rows.length < wanted.limit; bucket--)',
          replace: 'for (let bucket = last; bucket >= last && rows.length < wanted.limit; bucket--)',
        },
      ],
      suite: 'services/workspace/buckets.test.ts',
    },
    {
      name: 'The audit is read from the first bucket of a month only',
      edits: [
        {
          file: 'libs/tables/repositories/audit.ts',
          find: 'const first = isFirst ? bucketOf(ends, auditKey(before)) : ends.length;',
          replace: 'const first = isFirst ? bucketOf(ends, auditKey(before)) : 0;',
        },
      ],
      suite: 'libs/tables/repositories/audit.test.ts',
    },
    {
      name: 'Buckets are opened while processes run that look in the first one only',
      edits: [
        {
          file: PLACING,
          find: 'if (format < BUCKETS_FORMAT || known.bytes < bucketBytes) return known;',
          replace: 'if (known.bytes < bucketBytes) return known;',
        },
        { file: PLACING, find: 'if (format < BUCKETS_FORMAT) return counted;', replace: '' },
      ],
      suite: 'services/workspace/place-rows.test.ts',
    },
    {
      name: 'Old Posts are removed from the first bucket of their day only',
      edits: [
        {
          file: 'libs/tables/repositories/old-posts.ts',
          find: 'for (let bucket = ends.length; bucket >= 0; bucket--) yield*',
          replace: 'for (let bucket = ends.length * 0; bucket >= 0; bucket--) yield*',
        },
      ],
      suite: 'services/workspace/old-posts.test.ts',
    },
  ],
};
