import assert from 'node:assert/strict';
import { z } from 'zod';
import { channelsBeyond } from '#domain/channel/live.ts';
import { PLAN_LIMITS, PLANS } from '#domain/plan/plan.ts';
import { isoOf } from '#domain/post/render.ts';
import { lackOfOwnership } from '#domain/workspace/member-rights.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import type { ApiCall } from '#use-cases/caller.ts';
import type { WorkspaceReader } from '#use-cases/dependencies.ts';
import { getUsage } from '#use-cases/get-usage.ts';
import type { SubmitCommandOptions } from '#use-cases/submit-command.ts';
import type { Installation } from './account.ts';
import type { Billing, Payer } from '../billing/billing.ts';
import type { SignedIn } from '../people/signed-in.ts';
import { command, workspaceOf } from './member-command.ts';
import type { MemberProcedure } from './member-procedure.ts';
import { refused, router, valueOf } from './procedure.ts';

export interface PlanProceduresOptions extends SubmitCommandOptions {
  readonly workspaces: WorkspaceReader;
  readonly installation: Pick<Installation, 'billing'>;
  /** Null: nothing is paid here. */
  readonly billing: Pick<Billing, 'changePlan' | 'buyCredits' | 'creditPacks'> | null;
}

const MAX_CREDITS = 100_000;
/** Where the person goes on to pay; null: it is done. */
const NOWHERE: string | null = null;
const ANY_NUMBER: readonly number[] = [];
const OF_OPERATORS = {
  code: 'forbidden',
  message: 'Plans and credits of this installation are changed by the people who run it. Ask them.',
} as const;

const NOT_SOLD = { code: 'invalid_request' } as const;
const notSoldWords = (packs: readonly number[]): string =>
  packs.length === 0 ? 'Credits are not sold here. Ask the operator.' : `Credits are sold by ${packs.join(', ')}.`;

const PlanChange = z.object({ plan: z.enum(PLANS) });

/** Only owners pay. Throws a refusal for others. */
function payerOf({ workspaceId, credential }: ApiCall, state: WorkspaceState, { email }: SignedIn): Payer {
  const lack = lackOfOwnership(state, credential);
  if (lack !== null) throw refused(lack);
  assert(credential.kind === 'member', 'a procedure of Members was called by another caller');
  return { workspaceId, memberId: credential.memberId, email };
}

export function usageProcedures(member: MemberProcedure, options: PlanProceduresOptions) {
  return router({
    get: member.query(async ({ ctx: { call } }) => valueOf(await getUsage(call, options))),
  });
}

export function planProcedures(member: MemberProcedure, options: PlanProceduresOptions) {
  const { installation, billing } = options;
  return router({
    /** The Plan, what is to come, and what every Plan allows. */
    get: member.query(async ({ ctx: { call } }) => {
      const { plan, comingPlan, channels } = await workspaceOf(call, options);
      return {
        plan,
        coming: comingPlan && { plan: comingPlan.plan, effectiveAt: isoOf(comingPlan.effectiveAt) },
        plans: PLANS.map((name) => ({
          name,
          limits: PLAN_LIMITS[name],
          /** The Channels of now that it has no room for: changing to it disconnects them. */
          disconnects: channelsBeyond(channels, PLAN_LIMITS[name].channels).map((channel) => ({
            id: channel.id,
            name: channel.name,
            network: channel.network,
          })),
        })),
        billing: installation.billing,
        /** How many credits can be bought at once; empty: any number. */
        creditPacks: billing?.creditPacks ?? ANY_NUMBER,
      };
    }),
    /**
     * The Plan is another one at once; where the one of now was to change, it is kept. Where Plans are paid, nothing
     * has changed yet: the person goes on to `url`.
     */
    change: member.input(PlanChange).mutation(async ({ ctx: { call, signedIn }, input: { plan } }) => {
      const state = await workspaceOf(call, options);
      if (billing !== null) {
        const url = await billing.changePlan(payerOf(call, state, signedIn), plan);
        if (url === null) throw refused(OF_OPERATORS);
        return { plan, url };
      }
      if (installation.billing !== 'self-service') throw refused(OF_OPERATORS);
      await command(call, { type: 'SetPlan', plan, effectiveAt: null }, options);
      return { plan, url: NOWHERE };
    }),
  });
}

export function creditProcedures(member: MemberProcedure, options: PlanProceduresOptions) {
  return router({
    buy: member
      .input(z.object({ credits: z.int().min(1).max(MAX_CREDITS) }))
      .mutation(async ({ ctx: { call, signedIn }, input: { credits } }) => {
        const { billing, installation } = options;
        if (billing !== null) {
          const url = await billing.buyCredits(payerOf(call, await workspaceOf(call, options), signedIn), credits);
          if (url === null) throw refused({ ...NOT_SOLD, message: notSoldWords(billing.creditPacks) });
          return { credits, url };
        }
        if (installation.billing !== 'self-service') throw refused(OF_OPERATORS);
        await command(call, { type: 'AddCredits', credits }, options);
        return { credits, url: NOWHERE };
      }),
  });
}
