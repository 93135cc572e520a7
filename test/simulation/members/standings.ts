import type { MemberRole } from '#domain/workspace/state.ts';
import type { Workspace } from '../caller.ts';
import type { AcceptEntry, History, MemberEntry } from '../history.ts';

/** How somebody stands to a Workspace; `none`: no Member of it, not yet or not any more. */
export type Standing = MemberRole | 'none';

/** What made somebody stand otherwise, or may have. */
export interface StandingChange {
  readonly to: Standing;
  /** It was done; else it was done, now or later, or never will be. */
  readonly isDone: boolean;
  /** It was done, if it was, at an instant of these two. */
  readonly from: number;
  readonly until: number;
}

/** Of a Workspace, as far as answers tell. */
export type KnownWorkspace = Pick<Workspace, 'id' | 'ownerId'>;

/**
 * Everything by which somebody came to stand as they do. A command whose answer was lost may be carried out at any
 * later time, so that nothing but a removal ends the doubt: it is for good.
 */
export function standingChanges(
  history: History,
  { id, ownerId }: KnownWorkspace,
  memberId: string,
): readonly StandingChange[] {
  const first: StandingChange = { to: memberId === ownerId ? 'owner' : 'none', isDone: true, from: 0, until: 0 };
  const asked = history.of('member').flatMap(({ workspaceId, asked: { ...command }, ...entry }): StandingChange[] => {
    if (workspaceId !== id || !('of' in command) || command.of !== memberId || entry.seen === 'refused') return [];
    if (command.what === 'change a role') return [{ to: command.role, ...spanOf(entry) }];
    return command.what === 'remove' ? [{ to: 'none', ...spanOf(entry) }] : [];
  });
  return [first, ...joining(history, id, memberId), ...asked];
}

/** Whoever accepts again is the Member already: only the first acceptance that is carried out changes anything. */
function joining(history: History, workspaceId: string, memberId: string): readonly StandingChange[] {
  const accepts = acceptsOf(history, workspaceId).filter((each) => each.memberId === memberId);
  const invitations = invitesOf(history, workspaceId);
  const roles = new Set(
    accepts.flatMap(({ invitationId }) => invitations.filter((each) => each.asked.invitationId === invitationId)),
  );
  const from = Math.min(...accepts.map(({ invokedAt }) => invokedAt));
  const answered = accepts.filter(({ seen }) => seen === 'ok').map(({ completedAt }) => completedAt!);
  const until = Math.min(Infinity, ...answered);
  return [...roles].map(({ asked }) => ({
    to: asked.role,
    isDone: answered.length > 0 && roles.size === 1,
    from,
    until,
  }));
}

/** How somebody may stand at any instant from `from` to `until`: what can not be known is all that it may be. */
export function standingsWithin(
  changes: readonly StandingChange[],
  from: number,
  until: number,
): ReadonlySet<Standing> {
  const isOver = (change: StandingChange): boolean => change.isDone && change.until < from;
  // The id of a Member is never given again, whatever is on its way.
  if (changes.some((change) => change.to === 'none' && change.from > 0 && isOver(change))) return new Set(['none']);
  const last = changes.filter(
    (change) => change.from <= until && !changes.some((later) => isOver(later) && later.from > change.until),
  );
  return new Set(last.map(({ to }) => to));
}

/** Invitations that may have been made. */
export function invitesOf(
  history: History,
  workspaceId: string,
): readonly (MemberEntry & { readonly asked: Extract<MemberEntry['asked'], { what: 'invite' }> })[] {
  return history.of('member').flatMap(({ asked, ...entry }) => {
    if (entry.workspaceId !== workspaceId || asked.what !== 'invite' || entry.seen === 'refused') return [];
    return [{ ...entry, asked }];
  });
}

/** Acceptances that may have been carried out. */
export function acceptsOf(history: History, workspaceId: string): readonly AcceptEntry[] {
  return history.of('accept').filter((each) => each.workspaceId === workspaceId && each.seen !== 'refused');
}

/** When what was asked for was done, if it was. */
export function spanOf({
  seen,
  invokedAt,
  completedAt,
}: Pick<MemberEntry, 'seen' | 'invokedAt' | 'completedAt'>): Pick<StandingChange, 'isDone' | 'from' | 'until'> {
  const isDone = seen === 'ok';
  return { isDone, from: invokedAt, until: isDone ? completedAt! : Infinity };
}
