import { z } from 'zod';
import { addressOf } from '#domain/account.ts';
import { isoOf } from '#domain/post/render.ts';
import { lackOfOwnership } from '#domain/workspace/member-rights.ts';
import { PortError } from '#ports/errors.ts';
import { SentId } from '#schemas/http/scalars.ts';
import type { MemberRole } from '#domain/workspace/state.ts';
import type { Membership } from '#tables/repositories/memberships.ts';
import type { ApiCall } from '#use-cases/caller.ts';
import type { WorkspaceReader } from '#use-cases/dependencies.ts';
import type { SubmitCommandOptions } from '#use-cases/submit-command.ts';
import { InvitationLimits, type InvitationLimitsOptions } from '../people/invitation-limits.ts';
import type { MailInvitation } from '../people/invitations.ts';
import { AnyRole, Mailbox, Name } from './fields.ts';
import { command, workspaceOf } from './member-command.ts';
import type { MemberProcedure } from './member-procedure.ts';
import { refused, router } from './procedure.ts';

export interface MemberProceduresOptions extends SubmitCommandOptions, InvitationLimitsOptions {
  readonly clock: InvitationLimitsOptions['clock'];
  readonly workspaces: Pick<WorkspaceReader, 'state'>;
  /** Null: this installation can not send mail. */
  readonly mailInvitation: MailInvitation | null;
}

const OneMember = z.object({ memberId: SentId });
const INVITATION_MS = 7 * 86_400_000;

export function memberProcedures(member: MemberProcedure, options: MemberProceduresOptions) {
  const { clock } = options;
  const limits = new InvitationLimits(options);
  return router({
    /** Those who are present, and the invitations that are open. */
    list: member.query(async ({ ctx: { call } }) => {
      const { members, invitations } = await workspaceOf(call, options);
      const now = clock.now();
      return {
        members: Object.values(members)
          .filter(({ removed }) => !removed)
          .map(({ id, name, email, emailVerified, role }) => ({ id, name, email, emailVerified, role })),
        invitations: Object.values(invitations)
          .filter(({ expiresAt }) => expiresAt > now)
          .map(({ id, email, role, invitedBy, createdAt, expiresAt }) => ({
            id,
            email,
            role,
            invitedBy: invitedBy === null ? null : (members[invitedBy]?.name ?? null),
            createdAt: isoOf(createdAt),
            expiresAt: isoOf(expiresAt),
          })),
      };
    }),
    /** Mails a link that is good for a week. Inviting again mails another one in its place. */
    invite: member
      .input(z.object({ email: Mailbox, name: Name.nullable().default(null), role: AnyRole.default('editor') }))
      .mutation(({ ctx: { call, membership }, input: { workspaceId: _, ...invited } }) =>
        invite(call, membership, invited, { ...options, limits }),
      ),
    revokeInvitation: member
      .input(z.object({ invitationId: SentId }))
      .mutation(async ({ ctx: { call }, input: { invitationId } }) => {
        await command(call, { type: 'RevokeInvitation', invitationId }, options);
        return { invitationId };
      }),
    changeRole: member
      .input(z.object({ ...OneMember.shape, role: AnyRole }))
      .mutation(async ({ ctx: { call }, input: { memberId, role } }) => {
        await command(call, { type: 'ChangeMemberRole', memberId, role }, options);
        return { memberId, role };
      }),
    remove: member.input(OneMember).mutation(async ({ ctx: { call }, input: { memberId } }) => {
      await command(call, { type: 'RemoveMember', memberId }, options);
      return { memberId };
    }),
    leave: member.mutation(
      async ({
        ctx: {
          call,
          membership: { memberId },
        },
      }) => {
        await command(call, { type: 'RemoveMember', memberId }, options);
        return { memberId };
      },
    ),
  });
}

interface InvitedPerson {
  readonly email: string;
  readonly name: string | null;
  readonly role: MemberRole;
}

/** `mail`: whether the invitation's mail went out. It stands in any case, and inviting again mails another link. */
async function invite(
  call: ApiCall,
  { memberId, name: invitedBy, workspaceName }: Membership,
  invited: InvitedPerson,
  options: MemberProceduresOptions & { readonly limits: InvitationLimits },
): Promise<{ readonly invitationId: string; readonly mail: 'sent' | 'failed' | 'unknown' }> {
  const { clock, ids, mailInvitation, limits } = options;
  // Without mail nobody could accept, so nothing is begun then.
  if (mailInvitation === null)
    throw refused({
      code: 'invalid_request',
      message: 'Nobody was invited: this installation can not send mail. Ask the people who run it.',
    });
  // Before anything is counted: a viewer must not use up what owners may invite.
  const lack = lackOfOwnership(await workspaceOf(call, options), call.credential);
  if (lack !== null) throw refused(lack);
  // Before the command: another invitation of the address takes the place of the one whose link was mailed.
  const tooMany = await limits.take(call.workspaceId, addressOf(invited));
  if (tooMany !== null) throw refused(tooMany);
  const now = clock.now();
  const invitationId = ids.uuid7(now);
  const expiresAt = now + INVITATION_MS;
  await command(call, { type: 'InviteMember', invitationId, ...invited, invitedBy: memberId, expiresAt }, options);
  const { workspaceId } = call;
  const email = addressOf(invited);
  try {
    await mailInvitation({ ...invited, workspaceId, workspaceName, invitationId, email, expiresAt, invitedBy });
    return { invitationId, mail: 'sent' };
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return { invitationId, mail: error.kind === 'unknown' ? 'unknown' : 'failed' };
  }
}
