import { z } from 'zod';
import { lackOfOwnership } from '#domain/workspace/member-rights.ts';
import { isoOf } from '#domain/post/render.ts';
import type { WorkspaceReader } from '#use-cases/dependencies.ts';
import { workspaceOf } from './member-command.ts';
import type { MemberProcedure } from './member-procedure.ts';
import { refused, router } from './procedure.ts';

export interface SandboxProceduresOptions {
  readonly workspaces: Pick<WorkspaceReader, 'state'>;
  /**
   * Moves the installation's clock ahead and resolves with the new instant, Unix ms, once what became due has begun;
   * null where time can not be moved, as with live Networks.
   */
  readonly advanceClock: ((milliseconds: number) => Promise<number>) | null;
}

const MINUTE_MS = 60_000;
const MAX_MINUTES = 24 * 60;

/** Where time can be moved: the time of every Workspace of the installation. Elsewhere there is no such procedure. */
export function sandboxProcedures(member: MemberProcedure, { advanceClock, ...options }: SandboxProceduresOptions) {
  const made = router({
    /** For owners. `now`: by the clock that was moved. */
    advance: member
      .input(z.object({ minutes: z.int().min(1).max(MAX_MINUTES) }))
      .mutation(async ({ ctx: { call }, input: { minutes } }) => {
        const lack = lackOfOwnership(await workspaceOf(call, options), call.credential);
        if (lack !== null) throw refused(lack);
        return { now: isoOf(await advanceClock!(minutes * MINUTE_MS)) };
      }),
  });
  // Its type stays, so that pages can be written for both kinds of installation.
  return advanceClock === null ? (router({}) as unknown as typeof made) : made;
}
