import { z } from 'zod';
import { isoOf } from '#domain/post/render.ts';
import type { WorkspaceReader } from '#use-cases/dependencies.ts';
import { MAX_HOLD_REASON, type PublishingHolds } from '#use-cases/publishing-holds.ts';
import type { SubmitCommandOptions } from '#use-cases/submit-command.ts';
import { command, workspaceOf } from './member-command.ts';
import type { MemberProcedure } from './member-procedure.ts';
import { router } from './procedure.ts';

export interface PublishingProceduresOptions extends SubmitCommandOptions {
  readonly workspaces: Pick<WorkspaceReader, 'state'>;
  readonly publishingHolds: PublishingHolds;
}

const Reason = z.object({ reason: z.string().trim().min(1).max(MAX_HOLD_REASON) });

/**
 * Owners hold and release their Workspace. The command comes first: the Workspace judges who asks, in its turn, and its
 * audit has it. The hold itself is no part of its state, since publishers read it.
 */
export function publishingProcedures(member: MemberProcedure, options: PublishingProceduresOptions) {
  const { publishingHolds } = options;
  return router({
    hold: member.input(Reason).mutation(async ({ ctx: { call, membership }, input: { reason } }) => {
      await command(call, { type: 'HoldPublishing', reason }, options);
      const { members } = await workspaceOf(call, options);
      const by = members[membership.memberId]?.name ?? '';
      const scope = { network: null, workspaceId: call.workspaceId };
      const { since } = await publishingHolds.hold(scope, { holder: 'owner', by, reason });
      return { since: isoOf(since) };
    }),
    /** Ends what owners of the Workspace hold, and nothing that an operator holds. */
    release: member.mutation(async ({ ctx: { call, membership } }) => {
      await command(call, { type: 'ReleasePublishing' }, options);
      const { members } = await workspaceOf(call, options);
      const by = members[membership.memberId]?.name ?? '';
      const scope = { network: null, workspaceId: call.workspaceId };
      const ended = await publishingHolds.release(scope, { holders: ['owner'], by });
      return { released: ended !== null };
    }),
    /**
     * What keeps Posts of this Workspace back. `isOurs`: an owner can release it. `isRestore`: it is held because Crier
     * was restored from a backup.
     */
    status: member.query(async ({ ctx: { call } }) => ({
      held: (await publishingHolds.status(call.workspaceId)).map(({ hold, waiting }) => ({
        network: hold.network,
        reason: hold.reason,
        since: isoOf(hold.since),
        by: hold.by,
        isOurs: hold.holder === 'owner',
        isRestore: hold.holder === 'restore',
        waiting,
      })),
    })),
  });
}
