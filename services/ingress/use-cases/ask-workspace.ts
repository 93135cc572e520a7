import type { Asked, AskedCommand } from '#domain/workspace/commands.ts';
import type { Answer, Result } from '#domain/workspace/results.ts';
import type { Clock } from '#ports/clock.ts';
import type { Call } from '../caller.ts';
import type { Ask } from '../dependencies.ts';
import { done, OUTCOME_UNKNOWN, settled, type Outcome } from '../outcome.ts';

export interface AskingOptions {
  readonly ask: Ask;
  readonly clock: Pick<Clock, 'now'>;
  /** Where the Workspace's owner hints the answer to. */
  readonly replyTo: string;
}

/** A command is not carried out later than this after it was asked, so that nothing a client gave up on happens much later. */
const COMMAND_LIFE_MS = 60_000;

export type Accepted = Exclude<Result, { readonly ok: false }>;

/** The part of a command that says who asks, and how long it holds. */
export function askedBy(call: Call, { clock, replyTo }: AskingOptions, requestId = call.requestId): Asked {
  const issuedAt = clock.now();
  return {
    workspaceId: call.workspaceId,
    requestId,
    issuedAt,
    notAfter: issuedAt + COMMAND_LIFE_MS,
    replyTo,
    credential: { kind: 'key', keyId: call.keyId },
  };
}

/** Puts the command to the Workspace. Its refusal is a problem, and so is a log that is away. */
export function askWorkspace(command: AskedCommand, { ask }: AskingOptions): Promise<Outcome<Answer & { readonly result: Accepted }>> {
  return settled('change', async () => {
    const { result, ...answer } = await ask(command);
    if (result.ok) return done({ ...answer, result });
    if (result.code === 'outcome_unknown') return { ok: false, problem: OUTCOME_UNKNOWN };
    const { code, message, blockers, upgrade } = result;
    return { ok: false, problem: { code, message, ...(blockers && { blockers }), ...(upgrade && { upgrade }) } };
  });
}
