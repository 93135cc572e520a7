import { COMMAND_LIFE_MS } from '#domain/workspace/command-life.ts';
import type { RequestedCommand } from '#domain/workspace/commands.ts';
import type { RequestEnvelope } from '#domain/workspace/request-envelope.ts';
import type { CommandAnswer, Result } from '#domain/workspace/results.ts';
import type { Clock } from '#ports/clock.ts';
import type { ApiCall } from './caller.ts';
import type { RequestCommand } from './dependencies.ts';
import { done, OUTCOME_UNKNOWN, settled, type UseCaseResult } from './outcome.ts';

export interface SubmitCommandOptions {
  readonly request: RequestCommand;
  readonly clock: Pick<Clock, 'now'>;
  /** The address to which the Workspace's owner hints the answer. */
  readonly replyTo: string;
}

export type AcceptedCommand = Exclude<Result, { readonly ok: false }>;

/** The part of a command that names its caller and its latest instant. */
export function requestEnvelopeOf(
  call: ApiCall,
  { clock, replyTo }: SubmitCommandOptions,
  requestId = call.requestId,
): RequestEnvelope {
  const issuedAt = clock.now();
  return {
    workspaceId: call.workspaceId,
    requestId,
    issuedAt,
    notAfter: issuedAt + COMMAND_LIFE_MS,
    replyTo,
    credential: call.credential,
    origin: call.origin,
    ...(call.trace !== undefined && { trace: call.trace }),
  };
}

/** Sends the command to the Workspace. A refusal is a problem, and so is a log that is away. */
export function submitCommand(
  command: RequestedCommand,
  { request }: SubmitCommandOptions,
): Promise<UseCaseResult<CommandAnswer & { readonly result: AcceptedCommand }>> {
  return settled('change', async () => {
    const { result, ...answer } = await request(command);
    if (result.ok) return done({ ...answer, result });
    if (result.code === 'outcome_unknown') return { ok: false, problem: OUTCOME_UNKNOWN };
    const { code, message, blockers, upgrade } = result;
    return { ok: false, problem: { code, message, ...(blockers && { blockers }), ...(upgrade && { upgrade }) } };
  });
}
