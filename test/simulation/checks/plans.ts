import type { PlanName } from '#domain/plan/plan.ts';
import type { PlanState } from '#domain/plan/upgrade.ts';
import type { Aftermath, Check } from '../aftermath.ts';

/** What a Workspace is founded with. */
const FIRST_PLAN: PlanName = 'pro';
/** A command of unknown outcome may be carried out within its life, by clocks that differ. */
const LIFE_OF_A_COMMAND_MS = 75_000;
/** After its instant, a change to come may still wait for its timer. */
const FIRED_WITHIN_MS = 60_000;

interface PlanChange {
  readonly shown: PlanState | null;
  readonly plan: PlanName;
  /** Null: at once. */
  readonly effectiveAt: number | null;
  readonly isDefinite: boolean;
  readonly invokedAt: number;
  /** By then it was carried out, if it ever was. */
  readonly doneBy: number;
}

/**
 * What was answered is true: right after it, the Workspace has the Plan, or has it to come. In the end a Workspace
 * has the Plan that was asked for last, or another one whose command may have been carried out after that; and so it
 * is with a Plan to come. Each change takes the place of all that were asked for before it, at once or for later.
 */
export const plansAreInForce: Check = (after) =>
  [...after.heads].flatMap(([id, { state }]) => {
    const changes = changesOf(after, id);
    const { now } = after.world.engine;
    const wrong = [...changes.map((each) => notShown(each, changes)), notInForce(state, mayBeLast(changes), now)];
    return wrong
      .filter((detail) => detail !== null)
      .map((detail) => ({ check: 'Plans are in force', detail: `workspace ${id} ${detail}`, about: [id] }));
  });

/** Null: nothing is wrong, or others were asked for meanwhile. */
function notShown(change: PlanChange, changes: readonly PlanChange[]): string | null {
  const { plan, effectiveAt, shown, invokedAt, doneBy } = change;
  const isAlone = changes.every((each) => each === change || each.doneBy < invokedAt || each.invokedAt > doneBy);
  if (shown === null || !isAlone) return null;
  const isThere = shown.plan === plan && shown.comingPlan === null;
  const isToCome = shown.comingPlan?.plan === plan && shown.comingPlan.effectiveAt === effectiveAt;
  if (isThere || (effectiveAt !== null && isToCome)) return null;
  return `was given the Plan ${plan}, and right after the answer has ${shown.plan}, to come ${shown.comingPlan?.plan ?? 'none'}`;
}

function notInForce({ plan, comingPlan }: PlanState, last: readonly PlanChange[], now: number): string | null {
  const isPending = last.some(({ effectiveAt }) => effectiveAt !== null && effectiveAt > now - FIRED_WITHIN_MS);
  if (!isPending && !last.some((each) => each.plan === plan))
    return `has the Plan ${plan}, and should have ${last.map((each) => each.plan).join(' or ')}`;
  const isAsked = last.some(
    (each) => comingPlan === null || (each.plan === comingPlan.plan && each.effectiveAt === comingPlan.effectiveAt),
  );
  return isAsked ? null : `will have the Plan ${comingPlan!.plan}, which was cancelled or never asked for`;
}

function changesOf({ history }: Aftermath, workspaceId: string): readonly PlanChange[] {
  const first = { plan: FIRST_PLAN, effectiveAt: null, shown: null, isDefinite: true, invokedAt: 0, doneBy: 0 };
  const asked = history.of('operator').flatMap((entry): PlanChange[] => {
    const { planned, shown, seen, invokedAt, completedAt } = entry;
    if (entry.workspaceId !== workspaceId || planned === null || seen === 'refused') return [];
    const isDefinite = seen === 'ok';
    const doneBy = isDefinite ? completedAt! : invokedAt + LIFE_OF_A_COMMAND_MS;
    return [{ ...planned, shown, isDefinite, invokedAt, doneBy }];
  });
  return [first, ...asked];
}

/** Those after which no other one was certainly carried out. */
function mayBeLast(changes: readonly PlanChange[]): readonly PlanChange[] {
  return changes.filter((each) => !changes.some((other) => other.isDefinite && other.invokedAt > each.doneBy));
}
