import type { OperatorCommand } from '#commands/operator-command.ts';
import type { RequestedCommand } from '#domain/workspace/commands.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import type { ApiCall } from '#use-cases/caller.ts';
import type { WorkspaceReader } from '#use-cases/dependencies.ts';
import { failed, settled, done } from '#use-cases/outcome.ts';
import { requestEnvelopeOf, submitCommand, type SubmitCommandOptions } from '#use-cases/submit-command.ts';
import { valueOf } from './procedure.ts';

/** A command without its envelope. */
export type MemberCommand = OperatorCommand;

/** Sends a command as the Member who calls. Throws its refusal. */
export async function command(call: ApiCall, asked: MemberCommand, options: SubmitCommandOptions): Promise<void> {
  valueOf(await submitCommand({ ...asked, ...requestEnvelopeOf(call, options) } as RequestedCommand, options));
}

/** The Workspace as its last turn left it. Throws a refusal. */
export async function workspaceOf(
  { workspaceId }: Pick<ApiCall, 'workspaceId'>,
  { workspaces }: { readonly workspaces: Pick<WorkspaceReader, 'state'> },
): Promise<WorkspaceState> {
  const state = await settled('read', async () => {
    const found = await workspaces.state(workspaceId);
    return found === null ? failed('not_found', 'There is no such Workspace.') : done(found);
  });
  return valueOf(state);
}
