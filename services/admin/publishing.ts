import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import type { HoldScope, PublishingHold } from '#domain/publishing-holds.ts';
import { OVERDUE_CHOICES, type OverdueChoice, type Restoration } from '#domain/restoration.ts';
import { MAX_HOLD_REASON } from '#use-cases/publishing-holds.ts';
import type { AdminOptions } from './dependencies.ts';
import { AnyNetwork, Id, isoOf } from './fields.ts';
import type { Operator } from './operator.ts';
import { procedure, router, type AdminContext } from './procedure.ts';

const Reason = z
  .string('must be a text')
  .trim()
  .min(1, 'must say why: people read it')
  .max(MAX_HOLD_REASON, `must have at most ${MAX_HOLD_REASON} characters`);
/** Left out or null: all Networks, all Workspaces. */
const Scope = { network: AnyNetwork.nullish(), workspaceId: Id.nullish() };

/** What becomes of what was due between the backup and the release. */
const Restored = z.strictObject({
  overdue: z.enum(OVERDUE_CHOICES, `must be one of ${OVERDUE_CHOICES.join(', ')}`).default('ask'),
});

/** Who held or released it, as people read it: the name of the operator's token. */
const nameOf = ({ operator }: Pick<AdminContext, 'operator'>): string => operator?.name ?? 'operator';

/** The brake: while a scope is held nothing new is sent in it, and what comes due waits without being missed. */
export function publishingProcedures(operator: Operator, { publishingHolds }: Pick<AdminOptions, 'publishingHolds'>) {
  const scopeOf = async ({ network = null, workspaceId = null }: Nullish<HoldScope>): Promise<HoldScope> => {
    // Throws when there is no such Workspace.
    if (workspaceId !== null) await operator.workspace(workspaceId);
    return { network, workspaceId };
  };
  const endRestored = (overdue: OverdueChoice, by: string) => publishingHolds.releaseRestored({ overdue, by });
  const isHeldByRestore = async (): Promise<boolean> => (await publishingHolds.restoration())?.released === null;
  const whyNotRestored = async (): Promise<string> => {
    const released = (await publishingHolds.restoration())?.released ?? null;
    if (released === null) return 'Nothing is held by a restore: this installation was not restored from a backup.';
    return `${released.by} released it at ${isoOf(released.at)} with overdue ${released.overdue}. That is final.`;
  };
  const refuseUnserved = async ({ network, workspaceId }: HoldScope): Promise<void> => {
    const own = (await publishingHolds.status()).find(
      ({ hold }) => hold.holder === 'crier' && hold.network === network && workspaceId === null,
    );
    if (own !== undefined) throw asBadRequest(`${own.hold.reason} It is released by itself once a process does.`);
  };
  return router({
    /** Takes effect in every process within two seconds. Of a scope that is held already only the reason changes. */
    hold: procedure.input(z.strictObject({ ...Scope, reason: Reason })).mutation(async ({ ctx, input }) => {
      const who = { holder: 'operator', by: nameOf(ctx), reason: input.reason } as const;
      return described(await publishingHolds.hold(await scopeOf(input), who));
    }),
    /**
     * Ends the hold of exactly this scope, an owner's too; what others still hold goes on waiting. `released` false:
     * there was none. What a restore holds ends only as a whole: with `restored`, or with no scope, which means `ask`.
     */
    release: procedure
      .input(z.strictObject({ ...Scope, restored: Restored.optional() }).default({}))
      .mutation(async ({ ctx, input: { restored, ...narrowed } }) => {
        const scope = await scopeOf(narrowed);
        const isWhole = scope.network === null && scope.workspaceId === null;
        if (restored !== undefined && !isWhole) throw asBadRequest(RESTORED_AS_A_WHOLE);
        const by = nameOf(ctx);
        const ended = isWhole ? await endRestored(restored?.overdue ?? 'ask', by) : null;
        if (restored !== undefined && ended === null) throw asBadRequest(await whyNotRestored());
        // Of what operators hold, `restored` says nothing.
        const others =
          restored === undefined ? await publishingHolds.release(scope, { holders: ['owner', 'operator'], by }) : null;
        if (others === null && !isWhole && (await isHeldByRestore())) throw asBadRequest(RESTORED_AS_A_WHOLE);
        if (others === null && ended === null) await refuseUnserved(scope);
        const since = ended?.restoredAt ?? others?.since ?? null;
        return {
          ...scope,
          released: since !== null,
          since: since === null ? null : isoOf(since),
          ...(ended !== null && { restored: restoredOf(ended) }),
        };
      }),
    /** `restored`: by the newest restore of this installation; null: there was none. */
    status: procedure.input(z.strictObject({}).optional()).query(async () => {
      const restoration = await publishingHolds.restoration();
      return {
        held: (await publishingHolds.status()).map(({ hold, waiting }) => ({ ...described(hold), waiting })),
        restored: restoration === null ? null : restoredOf(restoration),
      };
    }),
  });
}

const RESTORED_AS_A_WHOLE =
  'This installation was restored from a backup, and what the restore holds is released as a whole: leave out network ' +
  'and workspaceId. To let some of it go later, hold it with publishing.hold before you release.';

const asBadRequest = (message: string): TRPCError => new TRPCError({ code: 'BAD_REQUEST', message });

function restoredOf({ backupAt, restoredAt, released }: Restoration) {
  return {
    backupAt: isoOf(backupAt),
    restoredAt: isoOf(restoredAt),
    released: released === null ? null : { ...released, at: isoOf(released.at) },
  };
}

type Nullish<T> = { readonly [K in keyof T]?: T[K] | null | undefined };

function described({ network, workspaceId, reason, since, by }: PublishingHold) {
  return { network, workspaceId, reason, since: isoOf(since), by };
}
