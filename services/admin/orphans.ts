import { z } from 'zod';
import { MAX_LISTED_BLOBS } from '#ports/blob-store.ts';
import { findOrphans, removeOrphans, type OrphanOptions } from '#media/orphans.ts';
import { procedure, router } from './procedure.ts';

const Page = z.strictObject({
  /** The `next` of the page before. */
  after: z.string('must be a string').min(1).nullable().default(null),
  limit: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(MAX_LISTED_BLOBS, `must be at most ${MAX_LISTED_BLOBS}`)
    .default(MAX_LISTED_BLOBS),
});

/** Stored files that no row names. Housekeeping removes them once a day. */
export function orphanProcedures(options: OrphanOptions) {
  return router({
    /** The orphans among the next `limit` files, which `remove` would remove. Changes nothing. */
    list: procedure.input(Page.default({ after: null, limit: MAX_LISTED_BLOBS })).query(async ({ input }) => {
      const { orphans, next } = await findOrphans(options, input);
      return {
        orphans: orphans.map(({ name, bytes, ageMs, why }) => ({
          name,
          bytes,
          ageSeconds: Math.floor(ageMs / 1000),
          why,
        })),
        next,
      };
    }),
    remove: procedure.input(z.strictObject({}).optional()).mutation(() => removeOrphans(options)),
  });
}
