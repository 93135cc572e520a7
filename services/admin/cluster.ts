import { z } from 'zod';
import type { AdminOptions } from './dependencies.ts';
import { isoOf } from './fields.ts';
import { procedure, router } from './procedure.ts';

export function clusterProcedures({ cluster }: Pick<AdminOptions, 'cluster'>) {
  const nothing = z.strictObject({}).optional();
  return router({
    /** Which processes there are, and the format that they write. */
    status: procedure.input(nothing).query(async () => {
      const { processes, schemaVersion, format, changedBy, canRaiseTo, why } = await cluster.status();
      return {
        processes: processes.map(({ format: knows, startedAt, seenAt, ...process }) => ({
          ...process,
          knows,
          startedAt: isoOf(startedAt),
          seenAt: isoOf(seenAt),
        })),
        schemaVersion,
        writes: format,
        changedBy,
        canRaiseTo,
        why,
      };
    }),
    /** Closes the way back to the release before. */
    raiseFormat: procedure.input(nothing).mutation(async () => ({ writes: await cluster.raiseFormat() })),
  });
}
