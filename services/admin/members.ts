import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { addressOf } from '#domain/account.ts';
import { PortError } from '#ports/errors.ts';
import { AnyRole, Email, Id, Name } from './fields.ts';
import type { Operator } from './operator.ts';
import type { AdminOptions, InvitationToMail } from './dependencies.ts';
import { procedure, router } from './procedure.ts';

const Member = z.strictObject({ workspaceId: Id, memberId: Id });
const INVITATION_MS = 7 * 86_400_000;

export function memberProcedures(
  operator: Operator,
  { clock, ids, mailInvitation }: Pick<AdminOptions, 'clock' | 'ids' | 'mailInvitation'>,
) {
  return router({
    add: procedure
      .input(z.strictObject({ workspaceId: Id, email: Email, name: Name, role: AnyRole.default('editor') }))
      .mutation(async ({ input: { workspaceId, email, name, role } }) => {
        const memberId = ids.uuid7(clock.now());
        await operator.command(workspaceId, { type: 'AddMember', memberId, name, email, role });
        return { memberId };
      }),
    invite: procedure
      .input(
        z.strictObject({
          workspaceId: Id,
          email: Email,
          name: Name.nullable().default(null),
          role: AnyRole.default('editor'),
        }),
      )
      .mutation(async ({ input: { workspaceId, ...invited } }) => {
        const sendMail = mailerOf(mailInvitation);
        const now = clock.now();
        const invitationId = ids.uuid7(now);
        const expiresAt = now + INVITATION_MS;
        await operator.command(workspaceId, {
          type: 'InviteMember',
          invitationId,
          ...invited,
          invitedBy: null,
          expiresAt,
        });
        const { name: workspaceName } = await operator.workspace(workspaceId);
        const email = addressOf(invited);
        const invitation = { ...invited, workspaceId, workspaceName, invitationId, email, expiresAt };
        await sendMail({ ...invitation, invitedBy: null });
        return { invitationId };
      }),
    changeRole: procedure
      .input(Member.extend({ role: AnyRole }))
      .mutation(async ({ input: { workspaceId, memberId, role } }) => {
        await operator.command(workspaceId, { type: 'ChangeMemberRole', memberId, role });
        return { memberId };
      }),
    remove: procedure.input(Member).mutation(async ({ input: { workspaceId, memberId } }) => {
      await operator.command(workspaceId, { type: 'RemoveMember', memberId });
      return { memberId };
    }),
    verifyEmail: procedure.input(Member).mutation(async ({ input: { workspaceId, memberId } }) => {
      await operator.command(workspaceId, { type: 'VerifyEmail', memberId });
      return { memberId };
    }),
  });
}

/** Without mail nobody could accept, so nothing is begun then. A mail that fails leaves the invitation standing. */
function mailerOf(mailInvitation: AdminOptions['mailInvitation']): (invitation: InvitationToMail) => Promise<void> {
  if (mailInvitation === null)
    throw new TRPCError({
      code: 'PRECONDITION_FAILED',
      message: 'Nobody was invited: this installation can not send mail. Set CRIER_SMTP_URL and CRIER_MAIL_FROM.',
    });
  return async (invitation) => {
    try {
      await mailInvitation(invitation);
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      const sent = error.kind === 'unknown' ? 'may not have gone' : 'did not go';
      // Without the error as its cause: that would be reported as a command of which nothing was done.
      throw new TRPCError({
        code: 'SERVICE_UNAVAILABLE',
        message: `The invitation stands, and its mail ${sent} out: ${error.message}. Invite again to mail another link.`,
      });
    }
  };
}
