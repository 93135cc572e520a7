import { z } from 'zod';
import type { AdminOptions } from './dependencies.ts';
import { procedure, router } from './procedure.ts';

const MAX_TENANTS = 100;
const Top = z.strictObject({
  count: z.int('must be a whole number').min(1).max(MAX_TENANTS).default(5),
});

export function tenantProcedures({ pools }: Pick<AdminOptions, 'pools'>) {
  return router({
    /**
     * Who holds and waits for most in each pool of the process that answers, most first; others have their own. Pools
     * in which nothing is held and nothing waits are left out. Workspaces with the same `accountId` take turns as one.
     * Where addresses take turns, as before a sign-in, `clients` names them.
     */
    top: procedure.input(Top.optional()).query(({ input }) => ({
      items: pools
        .top(input?.count ?? 5)
        .filter(({ held, waiting }) => held + waiting > 0)
        .map(({ tenants, top, ...load }) =>
          tenants === 'clients'
            ? { ...load, clients: top.map(({ id: client, held, waiting }) => ({ client, held, waiting })) }
            : {
                ...load,
                workspaces: top.map(({ id, account, ...rest }) => ({ workspaceId: id, accountId: account, ...rest })),
              },
        ),
      nextCursor: null,
    })),
  });
}
