import type { Aftermath, Check, Violation } from '../aftermath.ts';
import type { Workspace } from '../caller.ts';
import type { MembershipEntry, MembersListedEntry } from '../history.ts';
import { isOfPeople } from '../members/people.ts';
import { standingChanges, standingsWithin, type Standing } from '../members/standings.ts';

/** Somebody who is or was a Member, or may be one. */
interface Known {
  readonly memberId: string;
  readonly email: string;
  readonly standsAs: (from: number, until: number) => ReadonlySet<Standing>;
}

/**
 * Whoever reads after an answer finds what was answered: in the list of Members, in the row by which an account finds
 * its Workspace, and in the end in the Workspace itself. Nobody is there whom no invitation can have made a Member.
 */
export const membersAreListed: Check = (after) =>
  after.workspaces.flatMap((workspace) => {
    const known = knownIn(after, workspace);
    const { history, world, heads } = after;
    const isHere = ({ workspaceId }: { readonly workspaceId: string }): boolean => workspaceId === workspace.id;
    const { now } = world.engine;
    const members = Object.values(heads.get(workspace.id)?.state.members ?? {}).filter(({ removed }) => !removed);
    return [
      ...history
        .of('members listed')
        .filter(isHere)
        .flatMap((entry) => wrongInList(known, entry)),
      ...history
        .of('membership')
        .filter(isHere)
        .flatMap((entry) => wrongInRow(known, entry)),
      ...wrongInList(known, { members, invokedAt: now, completedAt: now }),
    ];
  });

type Listed = Pick<MembersListedEntry, 'members' | 'invokedAt' | 'completedAt'>;

function wrongInList(known: readonly Known[], { members, invokedAt, completedAt }: Listed): readonly Violation[] {
  if (members === null) return [];
  const strangers = members.filter(
    ({ id, email }) => isOfPeople(email) && known.every(({ memberId }) => memberId !== id),
  );
  return [
    ...strangers.map(({ id, email }) => complaint(id, `lists ${id}, ${email}, whom nobody made a Member`)),
    ...known.flatMap(({ memberId, standsAs }) => {
      const shown: Standing = members.find(({ id }) => id === memberId)?.role ?? 'none';
      const expected = standsAs(invokedAt, completedAt!);
      return expected.has(shown) ? [] : [complaint(memberId, differs('lists', memberId, shown, expected))];
    }),
  ];
}

function wrongInRow(known: readonly Known[], entry: MembershipEntry): readonly Violation[] {
  const { email, membership, seen, invokedAt, completedAt } = entry;
  if (seen !== 'ok') return [];
  return known
    .filter((each) => each.email === email)
    .flatMap(({ memberId, standsAs }) => {
      const shown: Standing = membership?.memberId === memberId ? membership.role : 'none';
      const expected = standsAs(invokedAt, completedAt!);
      return expected.has(shown) ? [] : [complaint(memberId, differs(`tells ${email} of`, memberId, shown, expected))];
    });
}

function knownIn({ history }: Aftermath, workspace: Workspace): readonly Known[] {
  const emails = new Map(
    history
      .of('accept')
      .filter(({ workspaceId }) => workspaceId === workspace.id)
      .map(({ memberId, email }) => [memberId, email]),
  );
  emails.set(workspace.ownerId, workspace.ownerEmail);
  return [...emails].map(([memberId, email]) => {
    const changes = standingChanges(history, workspace, memberId);
    return { memberId, email, standsAs: (from, until) => standingsWithin(changes, from, until) };
  });
}

function differs(does: string, memberId: string, shown: Standing, expected: ReadonlySet<Standing>): string {
  return `${does} ${memberId} as ${shown}, who is ${[...expected].join(' or ')}`;
}

function complaint(memberId: string, detail: string): Violation {
  return { check: 'Members are listed as they are', detail: `the Workspace ${detail}`, about: [memberId] };
}
