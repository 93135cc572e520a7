import { QUIET } from '../fault-plans.ts';
import type { BugsOfRoom, PlantedInWorlds, SourceEdit } from '../planted-bug.ts';

const MEMBERS = 'libs/domain/workspace/decide/members.ts';
const INVITATIONS = 'libs/domain/workspace/decide/invitations.ts';
const RIGHTS = 'libs/domain/workspace/member-rights.ts';

/** Clients do little: these bugs are in what Members do with each other. */
function inMembers(name: string, file: string, edit: Omit<SourceEdit, 'file'>): PlantedInWorlds {
  return { name, edits: [{ file, ...edit }], faults: QUIET, parts: ['members'], actions: { 'create now': 1 } };
}

export const MEMBERS_ROOM: BugsOfRoom = {
  room: 'Members, roles and invitations',
  bugs: [
    inMembers('Who was removed goes on as before', 'libs/domain/workspace/decision-context.ts', {
      find: 'return member === undefined || member.removed ? refusal',
      replace: 'return member === undefined ? refusal',
    }),
    inMembers('A viewer may do what an editor may', RIGHTS, {
      find: '= { viewer: 0, editor: 1, owner: 2 };',
      replace: '= { viewer: 1, editor: 1, owner: 2 };',
    }),
    inMembers('An editor may do what an owner may', RIGHTS, {
      find: '= { viewer: 0, editor: 1, owner: 2 };',
      replace: '= { viewer: 0, editor: 2, owner: 2 };',
    }),
    inMembers('Editors are refused as viewers are', RIGHTS, {
      find: "CreatePost: 'editor',",
      replace: "CreatePost: 'owner',",
    }),
    inMembers('An app comes back with the role of its Member', MEMBERS, {
      find: 'if (mayApprove(changed)) return done(left.state, left.effects);',
      replace: 'if (mayApprove(changed) || !changed.removed) return done(left.state, left.effects);',
    }),
    inMembers('The key of who was removed works', 'libs/domain/workspace/decision-context.ts', {
      find: 'if (!key || !member || key.revoked || member.removed)',
      replace: 'if (!key || !member || (key.revoked && !member.removed))',
    }),
    inMembers('A revoked invitation stays open', INVITATIONS, {
      find: 'return done({ ...state, invitations: keptInvitations(state, ({ id }) => id !== command.invitationId) });',
      replace: 'return done(state);',
    }),
    inMembers('An invitation of who is no owner any more stays open', MEMBERS, {
      find: "const kept = command.role === 'owner' ? state : withoutInvitationsOf(state, member);",
      replace: 'const kept = state;',
    }),
    inMembers('An invitation stays open once it was accepted', 'libs/domain/workspace/decide/join.ts', {
      find: 'const invitations = keptInvitations(state, (each) => addressOf(each) !== address);',
      replace: 'const invitations = keptInvitations(state, (each) => addressOf(each) !== `not ${address}`);',
    }),
    inMembers('An invitation is accepted by an account that it was not sent to', INVITATIONS, {
      find: 'if (addressOf(invitation) !== addressOf(command)) return refuse',
      replace: "if (addressOf(command) === '') return refuse",
    }),
    inMembers('An invitation never expires', INVITATIONS, {
      find: 'if (command.issuedAt >= invitation.expiresAt)',
      replace: 'if (command.issuedAt >= invitation.expiresAt + 86_400_000)',
    }),
    inMembers('An invitation that another one replaces stays open', INVITATIONS, {
      find: '(each) => isOpen(each) && !isReplaced(each)',
      replace: 'isOpen',
    }),
    inMembers('Who was removed counts as an owner', MEMBERS, {
      find: "filter(({ role, removed }) => role === 'owner' && !removed);",
      replace: "filter(({ role }) => role === 'owner');",
    }),
    inMembers('The last owner may become an editor', MEMBERS, {
      find: "if (command.role !== 'owner' && isLastOwner(state, member))",
      replace: "if (command.role === 'viewer' && isLastOwner(state, member))",
    }),
    inMembers('The first of two owners counts as the last one', MEMBERS, {
      find: 'return owners.length === 1 && owners[0]!.id === id;',
      replace: 'return owners.length <= 2 && owners[0]!.id === id;',
    }),
    inMembers('The row of an account is not written anew when its Member changes', MEMBERS, {
      find: "effects: [{ kind: 'memberships', memberIds: [member.id] }] };",
      replace: 'effects: [] };',
    }),
    inMembers('The row of an account tells of who it was first', 'libs/tables/repositories/memberships.ts', {
      find: 'if (accounts.get(account)?.removed !== false) accounts.set(account, member);',
      replace: 'if (!accounts.has(account)) accounts.set(account, member);',
    }),
  ],
};
