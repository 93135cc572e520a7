import { covers, type BrakeHolder, type HoldScope, type PublishingHold } from '#domain/publishing-holds.ts';
import { NETWORKS } from '#domain/network.ts';
import type { OverdueChoice, Restoration } from '#domain/restoration.ts';
import type { WorldPorts } from '#ports/ports.ts';
import { countWaiting } from '#tables/repositories/held-waiting.ts';
import type { PublishingBrake } from '#tables/repositories/publishing-brake.ts';
import { holdScope, readHolds, releaseScope } from '#tables/repositories/publishing-holds.ts';
import { releaseRestored } from '#tables/repositories/restored.ts';

export interface PublishingHoldsOptions extends Pick<WorldPorts, 'store' | 'clock' | 'ids' | 'reporter'> {
  /** What this process knows of holds; it forgets that when it changed one. */
  readonly brake: Pick<PublishingBrake, 'forget'>;
}

/** A hold, and how many Variants wait in its scope. */
export interface HoldStatus {
  readonly hold: PublishingHold;
  readonly waiting: number;
}

/** The brake, for operators and owners. All methods reject with `PortError`. */
export interface PublishingHolds {
  /** Of a scope that is held already only the reason changes. */
  hold(scope: HoldScope, who: Pick<PublishingHold, 'holder' | 'by' | 'reason'>): Promise<PublishingHold>;
  /** Ends the holds of exactly this scope by these holders; null: there is none. */
  release(
    scope: HoldScope,
    who: { readonly holders: readonly BrakeHolder[]; readonly by: string },
  ): Promise<PublishingHold | null>;
  /** Ends what a restore holds, for good, with what becomes of what was due meanwhile; null: it holds nothing. */
  releaseRestored(choice: { readonly overdue: OverdueChoice; readonly by: string }): Promise<Restoration | null>;
  /** Of the newest restore of this installation; null: there was none. */
  restoration(): Promise<Restoration | null>;
  /** Every hold of the installation; `workspaceId`: of those only what keeps something of this Workspace back. */
  status(workspaceId?: string): Promise<readonly HoldStatus[]>;
}

export const MAX_HOLD_REASON = 500;

export function createPublishingHolds(options: PublishingHoldsOptions): PublishingHolds {
  const { store, clock, brake, reporter } = options;
  return {
    hold: async (scope, who) => {
      const { hold } = await holdScope(options, { ...scope, ...who, since: clock.now() });
      brake.forget();
      reporter.report('publishing-held', factsOf(hold, who.by));
      return hold;
    },
    release: async (scope, { holders, by }) => {
      let ended: PublishingHold | null = null;
      for (const holder of holders) ended = (await releaseScope(options, { ...scope, holder }, clock.now())) ?? ended;
      brake.forget();
      if (ended !== null) reporter.report('publishing-released', factsOf(ended, by));
      return ended;
    },
    releaseRestored: async ({ overdue, by }) => {
      const restoration = await releaseRestored(options, { overdue, by, now: clock.now() });
      brake.forget();
      if (restoration !== null) {
        const reason = `restored from a backup of ${new Date(restoration.backupAt).toISOString()}; overdue: ${overdue}`;
        reporter.report('publishing-released', factsOf({ network: null, workspaceId: null, reason }, by));
      }
      return restoration;
    },
    restoration: async () => (await readHolds(store)).restoration,
    status: async (workspaceId) => {
      const { holds } = await readHolds(store);
      if (workspaceId === undefined) return withWaiting(holds, await countWaiting(store, holds));
      const own = holds.filter((hold) => NETWORKS.some((network) => covers(hold, { network, workspaceId })));
      const scopes = own.map(({ network }) => ({ network, workspaceId }));
      return withWaiting(own, await countWaiting(store, scopes));
    },
  };
}

function withWaiting(holds: readonly PublishingHold[], waiting: readonly number[]): readonly HoldStatus[] {
  return holds.map((hold, index) => ({ hold, waiting: waiting[index]! }));
}

function factsOf({ network, workspaceId, reason }: HoldScope & Pick<PublishingHold, 'reason'>, by: string) {
  return { network: network ?? '*', workspaceId: workspaceId ?? '*', by, reason };
}
