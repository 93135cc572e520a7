import { z } from 'zod';
import { readLastUses } from '#tables/repositories/credential-uses.ts';
import { isoOrNull } from '#domain/post/render.ts';
import { Id, isoOf } from './fields.ts';
import type { Operator } from './operator.ts';
import type { AdminOptions } from './dependencies.ts';
import { procedure, router } from './procedure.ts';

/** Apps that Members of a Workspace approved. */
export function appProcedures(operator: Operator, { store }: Pick<AdminOptions, 'store'>) {
  return router({
    /** Those that have not ended, in the order in which they were approved. `by`: the Member's name. */
    list: procedure.input(z.strictObject({ workspaceId: Id })).query(async ({ input: { workspaceId } }) => {
      const { approvals, members } = await operator.workspace(workspaceId);
      const live = Object.values(approvals).filter(({ revoked }) => !revoked);
      const uses = await readLastUses(
        store,
        live.map(({ id }) => id),
      );
      return {
        apps: live.map(({ id, clientId, name, registered, redirectHost, memberId, permissions, createdAt }) => ({
          approvalId: id,
          clientId,
          name,
          registered,
          redirectHost,
          memberId,
          by: members[memberId]?.name ?? null,
          permissions: [...permissions],
          createdAt: isoOf(createdAt),
          lastUsedAt: isoOrNull(uses.get(id) ?? null),
        })),
      };
    }),
    /** What the app may do ends at once, and so do the endpoints that it registered. */
    revoke: procedure
      .input(z.strictObject({ workspaceId: Id, approvalId: Id }))
      .mutation(async ({ input: { workspaceId, approvalId } }) => {
        await operator.command(workspaceId, { type: 'RevokeApproval', approvalId });
        return { approvalId };
      }),
  });
}
