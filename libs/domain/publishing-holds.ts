import type { Network } from './network.ts';
import { CLOCK_SKEW_MS } from './workspace/clock-skew.ts';

/** What a hold is on: a Network, a Workspace, a Network in a Workspace; both null: everything. */
export interface HoldScope {
  readonly network: Network | null;
  readonly workspaceId: string | null;
}

/**
 * Who can hold: the people who run the installation, the owners of a Workspace, a restore, which holds everything, and
 * Crier itself, which holds a Network that no process publishes to. None ends another's hold, but operators end those
 * of owners.
 */
export type BrakeHolder = 'operator' | 'owner' | 'restore' | 'crier';

/** Nothing new is sent in its scope. */
export interface PublishingHold extends HoldScope {
  readonly holder: BrakeHolder;
  /** For a person. */
  readonly reason: string;
  readonly since: number;
  /** A Member's name, that of an operator's token, `restore` or `crier`. */
  readonly by: string;
}

/** A time in which a scope was held; `until` null: it is. Two of different scopes may overlap. */
export interface HeldPeriod extends HoldScope {
  readonly from: number;
  readonly until: number | null;
}

/** What might be held. */
export interface HoldSubject {
  readonly network: Network;
  readonly workspaceId: string;
}

export function covers(scope: HoldScope, { network, workspaceId }: HoldSubject): boolean {
  return (
    (scope.network === null || scope.network === network) &&
    (scope.workspaceId === null || scope.workspaceId === workspaceId)
  );
}

/** Any one hold is enough. */
export function isHeld(periods: readonly HeldPeriod[], subject: HoldSubject): boolean {
  return periods.some((period) => period.until === null && covers(period, subject));
}

/**
 * How long the subject was held between two instants: by so much its missed window is longer. A period is taken for
 * longer at both ends by what clocks may differ, since the clock that began it is not the one that says what is due.
 */
export function heldMs(
  periods: readonly HeldPeriod[],
  subject: HoldSubject,
  between: { readonly from: number; readonly to: number },
): number {
  const { from, to } = between;
  const inside = periods
    .filter((period) => covers(period, subject))
    .map((period) => ({
      from: Math.max(from, period.from - CLOCK_SKEW_MS),
      until: Math.min(to, period.until === null ? to : period.until + CLOCK_SKEW_MS),
    }))
    .toSorted((a, b) => a.from - b.from);
  let [sum, counted] = [0, from];
  for (const period of inside) {
    sum += Math.max(0, period.until - Math.max(period.from, counted));
    counted = Math.max(counted, period.until);
  }
  return sum;
}
