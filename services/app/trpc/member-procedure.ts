import type { SendOperatorCommand } from '#commands/operator-command.ts';
import { workingFor } from '#concurrency/work-in-hand.ts';
import { z } from 'zod';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import { isPostId, isVariantId, postIdOfVariant } from '#domain/post/ids.ts';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import { rateLimited } from '#http-server/answer.ts';
import type { ApiProblem } from '#http-server/api-problem.ts';
import type { RateLimiter } from '#rate-limit/rate-limiter.ts';
import { SentId } from '#schemas/http/scalars.ts';
import type { Membership } from '#tables/repositories/memberships.ts';
import type { ApiCall } from '#use-cases/caller.ts';
import { within } from '#use-cases/deadline.ts';
import { OUTCOME_UNKNOWN, UNAVAILABLE } from '#use-cases/outcome.ts';
import { MailboxProof } from '../people/mailbox-proof.ts';
import { refused, signedInProcedure } from './procedure.ts';

export interface MemberProcedureOptions {
  readonly memberships: (accountId: string) => Promise<readonly Membership[]>;
  /** By Member, and by account for what is about no Workspace; null: their calls are not limited. */
  readonly memberLimiter: Pick<RateLimiter, 'admit'> | null;
  readonly clock: Clock;
  readonly sendCommand: SendOperatorCommand;
}

const NO_WORKSPACE: ApiProblem = {
  code: 'not_found',
  message: 'There is no such Workspace, or you are no Member of it.',
};

/**
 * The base of every procedure of one Workspace: it takes `workspaceId`, and knows the Member who calls. What the
 * Member's role allows is judged by the Workspace itself, in its turn; reads are for every role unless a use case says
 * otherwise.
 */
export function memberProcedureOf({ memberships, memberLimiter, clock, sendCommand }: MemberProcedureOptions) {
  const proof = new MailboxProof({ sendCommand });
  return signedInProcedure
    .input(z.object({ workspaceId: SentId }))
    .use(async ({ ctx, input, next, type, getRawInput }) => {
      const { accountId } = ctx.signedIn;
      const membership = (await readable(memberships(accountId))).find(
        ({ workspaceId, removed }) => workspaceId === input.workspaceId && !removed,
      );
      if (membership === undefined) throw refused(NO_WORKSPACE);
      const { workspaceId, memberId, role } = membership;
      const requestId = ctx.newRequestId();
      const facts = { workspaceId, memberId, requestId };
      workingFor(workspaceId);
      ctx.known.facts = { ...facts, postId: postIdIn(await getRawInput()) };
      const admission = await readable(memberLimiter?.admit(`member/${memberId}`, requestId) ?? Promise.resolve(null));
      if (admission !== null && !admission.admitted) throw refused(rateLimited(admission, 'You'));
      const verified = proof.of(membership, ctx.address);
      // A Workspace refuses changes of a Member whose address it does not know; reads wait for nothing.
      if (type === 'mutation') await verified;
      const call: ApiCall = {
        workspaceId,
        credential: { kind: 'member', memberId },
        permissions: role === 'viewer' ? [] : PERMISSIONS,
        requestId,
        signal: ctx.signal,
        origin: { door: 'app', address: ctx.address },
        ...(ctx.trace !== undefined && { trace: ctx.trace }),
      };
      const work = next({ ctx: { ...ctx, call, membership } });
      // A subscription goes on for as long as its page is open.
      if (type === 'subscription') return work;
      const late = Symbol('late');
      const result = await within<Awaited<typeof work> | typeof late>(clock, work, late);
      if (result !== late && result.ok && ctx.known.facts.postId === null)
        ctx.known.facts = { ...facts, postId: postIdIn((result.data as { readonly post?: unknown } | null)?.post) };
      if (result === late) throw refused(type === 'query' ? UNAVAILABLE : OUTCOME_UNKNOWN);
      return result as Awaited<typeof work>;
    });
}

/** The Post that the input of a call names, or that its answer shows; null: none. */
function postIdIn(value: unknown): string | null {
  const { postId, variantId, id } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const named = postId ?? id;
  if (typeof named === 'string' && isPostId(named)) return named;
  return typeof variantId === 'string' && isVariantId(variantId) ? postIdOfVariant(variantId) : null;
}

export type MemberProcedure = ReturnType<typeof memberProcedureOf>;

/** Before anything was done, a store that is away is no doubt about an outcome. */
async function readable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PortError) throw refused({ ...UNAVAILABLE, behind: error.message });
    throw error;
  }
}
