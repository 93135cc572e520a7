import type { Aftermath, Check } from '../aftermath.ts';
import type { MemberEntry, PlainDeed } from '../history.ts';
import { spanOf, standingChanges, standingsWithin, type Standing, type StandingChange } from '../members/standings.ts';

const RANK: Readonly<Record<Standing, number>> = { none: 0, viewer: 1, editor: 2, owner: 3 };

/** `least`: who stands lower can not have done it. `surely`: who stands so is not refused for want of rights. */
interface Needed {
  readonly least: Standing;
  readonly surely: Standing;
}

const EDITORS: Needed = { least: 'editor', surely: 'editor' };
const OWNERS: Needed = { least: 'owner', surely: 'owner' };

/** Written from what the pages tell people about roles, and not from the table by which the turn judges. */
const NEEDED: Readonly<Record<PlainDeed | 'approve an app' | 'invite' | 'revoke an invitation', Needed>> = {
  'make a Post': EDITORS,
  'cancel a Post': EDITORS,
  'replace a Post': EDITORS,
  'make a key': EDITORS,
  'set defaults': EDITORS,
  'register an endpoint': EDITORS,
  'approve an app': EDITORS,
  // Of a Channel that was disconnected owners decide, and whether this one was may not be known.
  reconnect: { least: 'editor', surely: 'owner' },
  disconnect: OWNERS,
  rename: OWNERS,
  invite: OWNERS,
  'revoke an invitation': OWNERS,
};

/** By which a command is refused for who asks. */
const FOR_RIGHTS: ReadonlySet<string> = new Set(['unauthorized', 'forbidden']);

/**
 * From the answer to their removal on, or to the loss of a role, nothing succeeds that a Member, a key or an app of
 * theirs asks for and that is not theirs to do. Nobody is refused for who they are while nothing has taken their right.
 */
export const rolesAreKept: Check = (after) =>
  after.history.of('member').flatMap((entry) => {
    const workspace = after.workspaces.find(({ id }) => id === entry.workspaceId)!;
    const changes = standingChanges(after.history, workspace, entry.memberId);
    const detail =
      entry.seen === 'ok'
        ? wronglyDone(after, entry, changes)
        : entry.seen === 'refused'
          ? wronglyRefused(after, entry, changes)
          : null;
    if (detail === null) return [];
    return [{ check: 'roles are kept', detail: `member ${entry.memberId} ${detail}`, about: [entry.memberId] }];
  });

/** Null: they may have been allowed to. */
function wronglyDone(after: Aftermath, entry: MemberEntry, changes: readonly StandingChange[]): string | null {
  const { asked, by, invokedAt, completedAt } = entry;
  const standings = [...standingsWithin(changes, invokedAt, completedAt!)];
  const { least } = neededFor(entry);
  if (standings.every((standing) => RANK[standing] < RANK[least]))
    return `did "${asked.what}" by ${by.kind}, being ${standings.join(' or ')}`;
  const ended = endsOf(after, entry).find((end) => end.isDone && end.until < invokedAt);
  return ended === undefined ? null : `did "${asked.what}" by ${by.kind} ${invokedAt - ended.until} ms after its end`;
}

/** Null: they may not have been allowed to, or were refused for something else. */
function wronglyRefused(after: Aftermath, entry: MemberEntry, changes: readonly StandingChange[]): string | null {
  const { asked, by, since, completedAt, code } = entry;
  // Of who approves an app, the turn is told by name.
  const isForRights = FOR_RIGHTS.has(code) || (asked.what === 'approve an app' && code === 'not_found');
  if (!isForRights || endsOf(after, entry).some(({ from }) => from <= completedAt!)) return null;
  const standings = [...standingsWithin(changes, since, completedAt!)];
  const { surely } = neededFor(entry);
  if (standings.some((standing) => RANK[standing] < RANK[surely])) return null;
  return `was refused "${asked.what}" by ${by.kind} with ${code}, being ${standings.join(' or ')}`;
}

function neededFor({ memberId, asked }: MemberEntry): Needed {
  switch (asked.what) {
    case 'remove':
      // Asked again, it goes on for who is none any more.
      return asked.of === memberId ? { least: 'none', surely: 'viewer' } : OWNERS;
    case 'change a role':
      return asked.of === memberId && asked.role === 'viewer' ? { least: 'viewer', surely: 'owner' } : OWNERS;
    case 'revoke a key':
    case 'end an app':
      return asked.of === memberId ? EDITORS : OWNERS;
    default:
      return NEEDED[asked.what];
  }
}

/**
 * What ended the key or the app by which it was asked for, or may have: a key is revoked; an app ends for good with the
 * place or the role of its Member, too. Of an approval and an end that overlap, either may have been first.
 */
function endsOf({ history }: Aftermath, { by, memberId }: MemberEntry): readonly Omit<StandingChange, 'to'>[] {
  if (by.kind === 'member') return [];
  const entries = history.of('member').filter(({ seen }) => seen !== 'refused');
  if (by.kind === 'key') return entries.filter(({ asked }) => 'keyId' in asked && asked.keyId === by.keyId).map(spanOf);
  const { approvalId } = by;
  const approved = entries.find(({ asked }) => asked.what === 'approve an app' && asked.approvalId === approvalId);
  const { from, until } = approved === undefined ? { from: Infinity, until: Infinity } : spanOf(approved);
  return entries
    .filter(
      ({ asked }) =>
        (asked.what === 'end an app' && asked.approvalId === approvalId) ||
        (asked.what === 'change a role' && asked.of === memberId && asked.role === 'viewer') ||
        (asked.what === 'remove' && asked.of === memberId),
    )
    .map(spanOf)
    .filter((end) => end.until > from)
    .map((end) => ({ ...end, isDone: end.isDone && end.from > until }));
}
