import { z } from 'zod';
import { listOperatorCalls, OPERATOR_CALLS_KEPT_MS, type OperatorCall } from '#tables/repositories/operator-calls.ts';
import { Id, Instant, isoOf } from './fields.ts';
import type { AdminOptions } from './dependencies.ts';
import { procedure, router } from './procedure.ts';

/** A caller's clock may lead: calls of a little later are shown too. */
const AHEAD_MS = 3_600_000;

const Cursor = z
  .string()
  .max(200)
  .transform((text, context) => {
    const [, at, id] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(text) ?? [];
    if (at !== undefined && id !== undefined) return { at: Number(at), id };
    context.issues.push({ code: 'custom', message: 'must be a nextCursor of this procedure', input: text });
    return z.NEVER;
  });

const List = z
  .strictObject({
    workspaceId: Id.optional(),
    from: Instant.optional(),
    to: Instant.optional(),
    cursor: Cursor.optional(),
    limit: z.int('must be a whole number').min(1).max(1_000).default(100),
  })
  .default({ limit: 100 });

export function auditProcedures({ store, clock }: Pick<AdminOptions, 'store' | 'clock'>) {
  return router({
    /** Calls of operators that changed something or were to, newest first, of the last 400 days. */
    list: procedure.input(List).query(async ({ input: { workspaceId = null, from, to, cursor = null, limit } }) => {
      const now = clock.now();
      const { calls, more } = await listOperatorCalls(store, {
        workspaceId,
        from: Math.max(from ?? 0, now - OPERATOR_CALLS_KEPT_MS),
        to: Math.min(to ?? Infinity, now + AHEAD_MS),
        before: cursor,
        limit,
      });
      const last = calls.at(-1);
      return {
        items: calls.map(({ at, actor, procedure, workspaceId, outcome }) => ({
          at: isoOf(at),
          actor,
          procedure,
          workspaceId,
          outcome,
        })),
        nextCursor: more && last !== undefined ? cursorOf(last) : null,
      };
    }),
  });
}

const cursorOf = ({ at, id }: OperatorCall): string => `${at}.${id}`;
