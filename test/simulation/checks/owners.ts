import type { Aftermath, Check } from '../aftermath.ts';
import type { MemberEntry } from '../history.ts';
import { acceptsOf, standingChanges, standingsWithin, type KnownWorkspace } from '../members/standings.ts';

/**
 * Whoever reads the Members of a Workspace finds an owner among them, whatever owners ask for at once; and nobody is
 * kept for the last owner while another one is there.
 */
export const workspacesHaveOwners: Check = (after) => {
  const complain = (workspaceId: string, detail: string) => ({
    check: 'a Workspace has an owner',
    detail: `workspace ${workspaceId} ${detail}`,
    about: [workspaceId],
  });
  const read = after.history.of('members listed').map(({ workspaceId, members }) => ({ workspaceId, members }));
  const last = [...after.heads].map(([workspaceId, { state }]) => ({
    workspaceId,
    members: Object.values(state.members).filter(({ removed }) => !removed),
  }));
  return [
    ...[...read, ...last]
      .filter(({ members }) => members !== null && members.every(({ role }) => role !== 'owner'))
      .map(({ workspaceId, members }) => complain(workspaceId, `has ${members!.length} Members, and no owner`)),
    ...after.history
      .of('member')
      .filter((entry) => isKeptForNothing(after, entry))
      .map(({ workspaceId, asked }) =>
        complain(workspaceId, `refused "${asked.what}" for its last owner, beside others`),
      ),
  ];
};

function isKeptForNothing({ history, workspaces }: Aftermath, entry: MemberEntry): boolean {
  const { workspaceId, asked, code, invokedAt, completedAt } = entry;
  if (code !== 'invalid_request' || (asked.what !== 'remove' && asked.what !== 'change a role')) return false;
  const workspace: KnownWorkspace = workspaces.find(({ id }) => id === workspaceId)!;
  const others = new Set([workspace.ownerId, ...acceptsOf(history, workspaceId).map(({ memberId }) => memberId)]);
  others.delete(asked.of);
  return [...others].some((memberId) => {
    const standings = standingsWithin(standingChanges(history, workspace, memberId), invokedAt, completedAt!);
    return standings.size === 1 && standings.has('owner');
  });
}
