import { IN_BULK, QUIET } from '../fault-plans.ts';
import type { BugsOfRoom } from '../planted-bug.ts';

const BULK = 'libs/use-cases/create-posts-in-bulk.ts';

export const USE_CASES: BugsOfRoom = {
  room: 'libs/use-cases',
  bugs: [
    {
      name: 'All Posts of a bulk are sent under the id of its request',
      edits: [
        {
          file: BULK,
          find: 'const own = { ...call, requestId: options.ids.uuid7(options.clock.now()) };',
          replace: 'const own = call;',
        },
      ],
      ...{ faults: QUIET, actions: IN_BULK },
    },
    {
      name: 'Refused Posts of a bulk are answered last',
      edits: [
        {
          file: BULK,
          find: 'return done(await Promise.all(items));',
          replace:
            "const answered = await Promise.all(items);\n  return done([...answered.filter((item) => 'post' in item), ...answered.filter((item) => 'error' in item)]);",
        },
      ],
      ...{ faults: QUIET, actions: IN_BULK },
    },
    {
      name: 'A dry run of a bulk creates its Posts',
      edits: [
        {
          file: BULK,
          find: 'return dryRun ? judged(own, inspected, options) : created(own, inspected, idempotencyKey, options);',
          replace: 'return created(own, inspected, idempotencyKey, options);',
        },
      ],
      ...{ faults: QUIET, actions: IN_BULK },
    },
    {
      name: 'A repeat in a bulk is answered as a new Post',
      edits: [
        {
          file: BULK,
          find: 'return { status: CREATED, post: body, ...(replayed && { replayed: true as const }) };',
          replace: 'return { status: CREATED, post: body, ...(replayed && { replayed: false as unknown as true }) };',
        },
      ],
      ...{ faults: QUIET, actions: IN_BULK },
    },
  ],
};
