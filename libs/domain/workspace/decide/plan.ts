import { channelsBeyond } from '../../channel/live.ts';
import { PLAN_LIMITS, type PlanName } from '../../plan/plan.ts';
import { againAt, CLOCK_SKEW_MS } from '../clock-skew.ts';
import type { AddCredits, PlanDue, SetPlan } from '../commands.ts';
import { disconnect, type Disconnect, type DisconnectResult } from '../disconnect.ts';
import { done, refuse, unchanged, type DecideResult, type DecisionContext } from '../decision-context.ts';
import type { WorkspaceState } from '../state.ts';

/** Only the last change asked for is pending; asking for the present Plan cancels it. */
export function setPlan(situation: DecisionContext, command: SetPlan): DecideResult {
  const { state, now } = situation;
  const { plan, effectiveAt } = command;
  if (effectiveAt === null || effectiveAt <= Math.max(now, command.issuedAt)) {
    const changed = changePlan(situation, plan, { at: command.issuedAt, sweepId: command.requestId });
    return done(changed.state, changed.effects);
  }
  if (plan === state.plan) return done({ ...state, comingPlan: null });
  const timer = { kind: 'plan-timer', timerId: `plan/${state.id}/${effectiveAt}`, at: effectiveAt } as const;
  return done({ ...state, comingPlan: { plan, effectiveAt } }, [timer]);
}

/** The timer of a change that was replaced or cancelled finds nothing due. */
export function planDue(situation: DecisionContext, _command: PlanDue): DecideResult {
  const { state, now } = situation;
  const coming = state.comingPlan;
  if (coming === null) return unchanged(state);
  const { plan, effectiveAt } = coming;
  if (effectiveAt - now > CLOCK_SKEW_MS) {
    // Either the timer of a replaced change, or a clock that was put back: one timer more does no harm, one too few
    // loses the Downgrade.
    return {
      ...unchanged(state),
      effects: [
        { kind: 'plan-timer', timerId: `plan/${state.id}/${effectiveAt}/${now}`, at: againAt(effectiveAt, now) },
      ],
    };
  }
  const changed = changePlan(situation, plan, { at: effectiveAt, sweepId: `plan/${effectiveAt}` });
  return { ...unchanged(changed.state), effects: changed.effects };
}

/** A Downgrade disconnects the newest Channels beyond the new limit. */
function changePlan(
  situation: DecisionContext,
  plan: PlanName,
  order: Pick<Disconnect, 'at' | 'sweepId'>,
): DisconnectResult {
  const state: WorkspaceState = { ...situation.state, plan, comingPlan: null };
  const channels = channelsBeyond(state.channels, PLAN_LIMITS[plan].channels);
  return channels.length === 0
    ? { state, effects: [] }
    : disconnect({ ...situation, state }, { channels, by: null, ...order });
}

/** How long a purchase is remembered. Who tells of purchases tells of none that is older than half of this. */
export const PURCHASES_KEPT_MS = 180 * 86_400_000;

/** `credits` below zero takes back unused credits. A purchase that was counted changes nothing. */
export function addCredits({ state, now }: DecisionContext, command: AddCredits): DecideResult {
  const { purchaseId } = command;
  if (purchaseId !== undefined && state.purchases?.[purchaseId] !== undefined) return done(state);
  const available = state.xCredits.available + command.credits;
  if (!Number.isSafeInteger(available) || available < 0) {
    return refuse(
      state,
      'invalid_request',
      `credits must be a whole number; of those available, ${state.xCredits.available} can be taken back.`,
    );
  }
  const xCredits = { ...state.xCredits, available };
  if (purchaseId === undefined) return done({ ...state, xCredits });
  const kept = Object.entries(state.purchases ?? {}).filter(([, addedAt]) => addedAt > now - PURCHASES_KEPT_MS);
  return done({ ...state, xCredits, purchases: { ...Object.fromEntries(kept), [purchaseId]: now } });
}
