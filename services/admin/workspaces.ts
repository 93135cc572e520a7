import { shownLimits } from '#use-cases/key-limits.ts';
import { z } from 'zod';
import { isCanary } from '#domain/canary.ts';
import { renderUsage } from '#domain/plan/usage.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import { Email, Id, Instant, isoOf, Name, Plan } from './fields.ts';
import type { Operator } from './operator.ts';
import type { AdminOptions } from './dependencies.ts';
import { procedure, router } from './procedure.ts';
import { listWorkspaces } from './list-workspaces.ts';

const CreateWorkspace = z.strictObject({
  name: Name,
  ownerEmail: Email,
  ownerName: Name.optional(),
  plan: Plan.default('free'),
  emailVerified: z.boolean('must be true or false').default(true),
  /** Chosen by the caller, so that a repetition makes no second Workspace. */
  workspaceId: Id.refine((id) => !isCanary(id), 'is that of the canary').optional(),
  memberId: Id.optional(),
});

const MAX_CREDITS = 1_000_000_000;
const Credits = z.int('must be a whole number').min(-MAX_CREDITS).max(MAX_CREDITS);

export function workspaceProcedures(
  operator: Operator,
  { clock, ids, store }: Pick<AdminOptions, 'clock' | 'ids' | 'store'>,
) {
  return router({
    create: procedure.input(CreateWorkspace).mutation(async ({ input }) => {
      const { name, plan, ownerEmail: email, ownerName = email, emailVerified } = input;
      const workspaceId = input.workspaceId ?? ids.uuid7(clock.now());
      const memberId = input.memberId ?? ids.uuid7(clock.now());
      await operator.command(workspaceId, {
        type: 'CreateWorkspace',
        name,
        plan,
        owner: { memberId, name: ownerName, email, emailVerified },
      });
      return { workspaceId, memberId };
    }),
    setPlan: procedure
      .input(z.strictObject({ workspaceId: Id, plan: Plan, effectiveAt: Instant.nullable().default(null) }))
      .mutation(async ({ input: { workspaceId, plan, effectiveAt } }) => {
        await operator.command(workspaceId, { type: 'SetPlan', plan, effectiveAt });
        return { workspaceId };
      }),
    addCredits: procedure
      .input(z.strictObject({ workspaceId: Id, credits: Credits }))
      .mutation(async ({ input: { workspaceId, credits } }) => {
        await operator.command(workspaceId, { type: 'AddCredits', credits });
        return { workspaceId };
      }),
    list: listWorkspaces(store),
    get: procedure
      .input(z.strictObject({ workspaceId: Id }))
      .query(async ({ input }) => described(await operator.workspace(input.workspaceId), clock.now())),
  });
}

/** The whole state, without the digests by which keys are looked up. */
function described(state: WorkspaceState, now: number) {
  return {
    workspaceId: state.id,
    name: state.name,
    createdAt: isoOf(state.createdAt),
    comingPlan: state.comingPlan && { plan: state.comingPlan.plan, effectiveAt: isoOf(state.comingPlan.effectiveAt) },
    ...renderUsage(state, now),
    members: Object.values(state.members).map(({ id, name, email, role, emailVerified, removed }) => ({
      memberId: id,
      name,
      email,
      role,
      emailVerified,
      removed,
    })),
    invitations: Object.values(state.invitations).map(({ id, email, name, role, invitedBy, createdAt, expiresAt }) => ({
      invitationId: id,
      email,
      name,
      role,
      invitedBy,
      createdAt: isoOf(createdAt),
      expiresAt: isoOf(expiresAt),
    })),
    /** Those that `apps.list` tells of. */
    apps: Object.values(state.approvals).filter(({ revoked }) => !revoked).length,
    channels: Object.values(state.channels).map((channel) => ({
      channelId: channel.id,
      network: channel.network,
      name: channel.name,
      accountId: channel.accountId,
      kind: channel.kind,
      state: channel.state,
      connectedAt: isoOf(channel.connectedAt),
    })),
    keys: Object.values(state.keys).map(({ id, memberId, name, permissions, createdAt, revoked, limits }) => ({
      keyId: id,
      memberId,
      name,
      permissions: [...permissions],
      createdAt: isoOf(createdAt),
      revoked,
      ...shownLimits(limits),
    })),
  };
}
