import { z } from 'zod';
import { LEVELS } from '#reporting/event.ts';
import type { AdminOptions, LogLevelStatus } from './dependencies.ts';
import { isoOf } from './fields.ts';
import { procedure, router } from './procedure.ts';

const MINUTE_MS = 60_000;
const Change = z.strictObject({
  level: z.enum(LEVELS, `must be one of ${LEVELS.join(', ')}`),
  minutes: z
    .number('must be a number')
    .positive('must be above 0')
    .max(1_440, 'must be at most 1440, a day')
    .default(15),
});

/** The lowest level of the lines that this process writes. Other processes have their own. */
export function logProcedures({ logLevel }: Pick<AdminOptions, 'logLevel'>) {
  return router({
    /** For so many minutes; after them, and when the process ends, the level is that of CRIER_LOG_LEVEL again. */
    level: procedure
      .input(Change)
      .mutation(({ input: { level, minutes } }) => shown(logLevel.change(level, minutes * MINUTE_MS))),
    status: procedure.input(z.strictObject({}).optional()).query(() => shown(logLevel.status())),
  });
}

function shown({ until, ...levels }: LogLevelStatus) {
  return { ...levels, until: until === null ? null : isoOf(until) };
}
