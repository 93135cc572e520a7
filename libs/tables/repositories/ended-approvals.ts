import type { TableStore } from '#ports/table-store.ts';
import { readLastUse } from './credential-uses.ts';
import { readHead } from './workspaces.ts';

/** A refresh token is good for 30 days after its last use. A day more, since uses are noted as well as can be. */
const UNUSED_MS = 31 * 86_400_000;
/** A bound on what one consent reads: of the oldest approvals, so many. */
const MAX_LOOKED_AT = 100;

/**
 * Approvals of a Workspace that have no token any more: those that ended, and those without a use for 31 days. Rejects
 * with `PortError`.
 */
export async function findEndedApprovals(
  store: TableStore,
  workspaceId: string,
  now: number,
): Promise<readonly string[]> {
  const head = await readHead(store, workspaceId);
  if (head === null) return [];
  const approvals = Object.values(head.state.approvals);
  const revoked = approvals.filter((approval) => approval.revoked).map(({ id }) => id);
  const old = approvals.filter((approval) => !approval.revoked && approval.createdAt <= now - UNUSED_MS);
  const looked = await Promise.all(
    old.slice(0, MAX_LOOKED_AT).map(async ({ id, createdAt }) => {
      const usedAt = (await readLastUse(store, id)) ?? createdAt;
      return usedAt <= now - UNUSED_MS ? [id] : [];
    }),
  );
  return [...revoked, ...looked.flat()];
}
