import type { Result } from '#domain/workspace/results.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import { createOperatorCommands, type OperatorCommand } from '#commands/operator-command.ts';
import { readHead } from '#tables/repositories/workspaces.ts';
import type { AdminOptions } from './dependencies.ts';
import { refused } from './procedure.ts';

export interface Operator {
  /**
   * Sends a command to the Workspace. Throws its refusal; rejects with `PortError` when it was certainly not appended.
   */
  command(workspaceId: string, command: OperatorCommand): Promise<void>;
  /** As `command`, and resolves with the refusal. */
  tryCommand(workspaceId: string, command: OperatorCommand): Promise<Result>;
  /** The Workspace as its last turn left it. Throws `not_found`; rejects with `PortError`. */
  workspace(workspaceId: string): Promise<WorkspaceState>;
}

export function createOperator({
  store,
  ...options
}: Pick<AdminOptions, 'request' | 'store' | 'clock' | 'ids' | 'replyTo'>): Operator {
  const send = createOperatorCommands({ ...options, door: 'admin' });
  return {
    command: async (workspaceId, command) => {
      const result = await send(workspaceId, command);
      if (!result.ok) throw refused(result);
    },
    tryCommand: (workspaceId, command) => send(workspaceId, command),
    workspace: async (workspaceId) => {
      const head = await readHead(store, workspaceId);
      if (head === null) throw refused({ code: 'not_found', message: 'There is no such Workspace.' });
      return head.state;
    },
  };
}
