import { hash } from 'node:crypto';
import { z } from 'zod';
import { isoOf, isoOrNull } from '#domain/post/render.ts';
import type { Ids } from '#ports/ids.ts';
import { SentId } from '#schemas/http/scalars.ts';
import { makeApiKey } from '#use-cases/api-key.ts';
import { limitsOf, SENT_KEY_LIMITS, shownLimits } from '#use-cases/key-limits.ts';
import type { WorkspaceReader } from '#use-cases/dependencies.ts';
import type { SubmitCommandOptions } from '#use-cases/submit-command.ts';
import { AnyPermission, Name } from './fields.ts';
import { command, workspaceOf } from './member-command.ts';
import type { MemberProcedure } from './member-procedure.ts';
import { router } from './procedure.ts';

export interface AccessProceduresOptions extends SubmitCommandOptions {
  readonly workspaces: Pick<WorkspaceReader, 'state'>;
  readonly ids: Pick<Ids, 'uuid7' | 'token'>;
  /** When keys or approvals were last used, to the minute, by id; null: never, or longer ago than is kept. */
  readonly lastUses: (credentialIds: readonly string[]) => Promise<ReadonlyMap<string, number | null>>;
}

const OneKey = z.object({ keyId: SentId });
const OneApp = z.object({ approvalId: SentId });

/** API keys. */
export function keyProcedures(member: MemberProcedure, options: AccessProceduresOptions) {
  const { clock, ids } = options;
  return router({
    /** Those that were not revoked, in the order in which they were made. `isMine`: it acts for who asks. */
    list: member.query(async ({ ctx: { call, membership } }) => {
      const { keys, members } = await workspaceOf(call, options);
      const live = Object.values(keys).filter(({ revoked }) => !revoked);
      const uses = await options.lastUses(live.map(({ id }) => id));
      return live.map(({ id, name, memberId, permissions, createdAt, limits }) => ({
        keyId: id,
        name,
        by: members[memberId]?.name ?? null,
        isMine: memberId === membership.memberId,
        permissions: [...permissions],
        createdAt: isoOf(createdAt),
        lastUsedAt: isoOrNull(uses.get(id) ?? null),
        ...shownLimits(limits),
      }));
    }),
    /** The key is in this answer only: the command and the table carry its SHA-256. */
    create: member
      .input(z.object({ name: Name, permissions: z.array(AnyPermission).max(20).default([]), ...SENT_KEY_LIMITS }))
      .mutation(async ({ ctx: { call, membership }, input: { name, permissions, ...limits } }) => {
        const keyId = ids.uuid7(clock.now());
        const apiKey = makeApiKey(ids);
        const tokenHash = hash('sha256', apiKey, 'hex');
        const { memberId } = membership;
        const key = { keyId, memberId, name, permissions, tokenHash, ...limitsOf(limits) };
        await command(call, { type: 'CreateKey', ...key }, options);
        return { keyId, apiKey };
      }),
    /** Ends it at once, with the webhook endpoints that it registered. */
    revoke: member.input(OneKey).mutation(async ({ ctx: { call }, input: { keyId } }) => {
      await command(call, { type: 'RevokeKey', keyId }, options);
      return { keyId };
    }),
  });
}

/** Apps that Members approved. */
export function appProcedures(member: MemberProcedure, options: AccessProceduresOptions) {
  return router({
    /** Those that have not ended, in the order in which they were approved. */
    list: member.query(async ({ ctx: { call, membership } }) => {
      const { approvals, members } = await workspaceOf(call, options);
      const live = Object.values(approvals).filter(({ revoked }) => !revoked);
      const uses = await options.lastUses(live.map(({ id }) => id));
      return live.map(({ id, name, registered, redirectHost, memberId, permissions, createdAt }) => ({
        approvalId: id,
        name,
        registered,
        redirectHost,
        by: members[memberId]?.name ?? null,
        isMine: memberId === membership.memberId,
        permissions: [...permissions],
        createdAt: isoOf(createdAt),
        lastUsedAt: isoOrNull(uses.get(id) ?? null),
      }));
    }),
    /** What the app may do ends at once, and so do the endpoints that it registered. */
    revoke: member.input(OneApp).mutation(async ({ ctx: { call }, input: { approvalId } }) => {
      await command(call, { type: 'RevokeApproval', approvalId }, options);
      return { approvalId };
    }),
  });
}
