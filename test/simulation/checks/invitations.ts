import type { Aftermath, Check, Violation } from '../aftermath.ts';
import type { AcceptEntry, Asked } from '../history.ts';
import { acceptsOf, invitesOf, spanOf, type StandingChange } from '../members/standings.ts';
import { skewMsOf } from './failures-have-causes.ts';

/** By which an acceptance is refused for its invitation. */
const FOR_THE_INVITATION: ReadonlySet<string> = new Set(['not_found', 'forbidden', 'invalid_request']);

type Invite = ReturnType<typeof invitesOf>[number];
type Span = Omit<StandingChange, 'to'>;

/**
 * An invitation makes one Member at most, of the account that it is for; none after it was answered that it was
 * revoked, that another took its place, or that who invited is no owner any more, nor once it has expired. Until one of
 * these may have begun, its account is not refused for it.
 */
export const invitationsMakeOneMember: Check = (after) => {
  const violations: Violation[] = [];
  for (const { id } of after.workspaces) {
    for (const invite of invitesOf(after.history, id)) {
      const { invitationId } = invite.asked;
      const accepts = after.history
        .of('accept')
        .filter((each) => each.workspaceId === id && each.invitationId === invitationId);
      const details = [...madeTwice(after, invite, accepts), ...accepts.map((each) => wrongly(after, invite, each))];
      for (const detail of details)
        if (detail !== null)
          violations.push({
            check: 'invitations make one Member',
            detail: `invitation ${invitationId} ${detail}`,
            about: [invitationId],
          });
    }
  }
  return violations;
};

function madeTwice(after: Aftermath, { workspaceId }: Invite, accepts: readonly AcceptEntry[]): readonly string[] {
  const members = after.heads.get(workspaceId)?.state.members ?? {};
  const answered = accepts.filter(({ seen, memberId }) => seen === 'ok' || memberId in members);
  const made = new Set(answered.map(({ memberId }) => memberId));
  return made.size <= 1 ? [] : [`made ${made.size} Members: ${[...made].join(', ')}`];
}

/** Null: the answer may be right. */
function wrongly(after: Aftermath, invite: Invite, accept: AcceptEntry): string | null {
  const { email } = invite.asked;
  if (accept.seen === 'ok' && accept.email !== email) return `for ${email} was accepted by ${accept.email}`;
  if (accept.seen === 'unknown' || accept.email !== email) return null;
  return accept.seen === 'ok' ? wronglyAccepted(after, invite, accept) : wronglyRefused(after, invite, accept);
}

function wronglyAccepted(after: Aftermath, invite: Invite, accept: AcceptEntry): string | null {
  const { invokedAt } = accept;
  const removal = removalsOf(after, accept).find(({ isDone, until }) => isDone && until < invokedAt);
  if (removal !== undefined) return `made a Member of who was removed ${invokedAt - removal.until} ms before`;
  const ends = endsOf(after, invite).filter(({ isDone, from }) => isDone && from > spanOf(invite).until);
  const over = Math.min(...ends.map(({ until }) => until), invite.asked.expiresAt + skewMsOf(after));
  // Accepted before, it is answered in the same way as long as the Member is present.
  const isRepeat = acceptsOf(after.history, accept.workspaceId).some(
    (other) => other !== accept && other.memberId === accept.memberId && other.invokedAt <= over,
  );
  return invokedAt <= over || isRepeat ? null : `was accepted ${invokedAt - over} ms after it was over`;
}

function wronglyRefused(after: Aftermath, invite: Invite, accept: AcceptEntry): string | null {
  const { code, invokedAt, completedAt, workspaceId } = accept;
  if (!FOR_THE_INVITATION.has(code) || spanOf(invite).until >= invokedAt) return null;
  if (completedAt! + skewMsOf(after) >= invite.asked.expiresAt) return null;
  const isRemoved = removalsOf(after, accept).length > 0;
  const joins = acceptsOf(after.history, workspaceId).filter(
    (other) => other.email === accept.email && (isRemoved || other.memberId !== accept.memberId),
  );
  const mayBeOver = [...endsOf(after, invite), ...joins.map(spanOf)].some(
    ({ from, until }) => from <= completedAt! && until >= invite.invokedAt,
  );
  return mayBeOver ? null : `was open, and its account was refused with ${code}`;
}

/** Those of the Member that it makes. */
function removalsOf({ history }: Aftermath, { memberId }: AcceptEntry): readonly Span[] {
  return history
    .of('member')
    .filter(({ asked, seen }) => asked.what === 'remove' && asked.of === memberId && seen !== 'refused')
    .map(spanOf);
}

/** What ended it, or may have, beside an acceptance. */
function endsOf({ history }: Aftermath, invite: Invite): readonly Span[] {
  const { invitationId, email } = invite.asked;
  const revoked = history
    .of('member')
    .filter(
      ({ asked, seen, workspaceId }) =>
        workspaceId === invite.workspaceId && seen !== 'refused' && endsIt(asked, invite.memberId, invitationId),
    );
  const replaced = invitesOf(history, invite.workspaceId).filter(
    ({ asked }) => asked.email === email && asked.invitationId !== invitationId,
  );
  return [...revoked, ...replaced].map(spanOf);
}

/** `inviterId`: whoever is no owner any more has no open invitations. */
function endsIt(asked: Asked, inviterId: string, invitationId: string): boolean {
  switch (asked.what) {
    case 'revoke an invitation':
      return asked.invitationId === invitationId;
    case 'remove':
      return asked.of === inviterId;
    case 'change a role':
      return asked.of === inviterId && asked.role !== 'owner';
    default:
      return false;
  }
}
