import { z } from 'zod';
import type { AdminOptions } from './dependencies.ts';
import { procedure, router } from './procedure.ts';

const MAX_WORKSPACES = 100;
const Top = z.strictObject({
  count: z.int('must be a whole number').min(1).max(MAX_WORKSPACES).default(5),
});

export function tenantProcedures({ pools }: Pick<AdminOptions, 'pools'>) {
  return router({
    /**
     * Who holds and waits for most in each pool of the process that answers, most first; others have their own. Pools
     * in which nothing is held and nothing waits are left out.
     */
    top: procedure.input(Top.optional()).query(({ input }) => ({
      items: pools
        .top(input?.count ?? 5)
        .filter(({ held, waiting }) => held + waiting > 0)
        .map(({ workspaces, ...load }) => ({
          ...load,
          workspaces: workspaces.map(({ id: workspaceId, held, waiting }) => ({ workspaceId, held, waiting })),
        })),
      nextCursor: null,
    })),
  });
}
