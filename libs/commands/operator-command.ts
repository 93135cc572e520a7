import { COMMAND_LIFE_MS } from '#domain/workspace/command-life.ts';
import type { RequestedCommand } from '#domain/workspace/commands.ts';
import type { Credential, Door, RequestEnvelope } from '#domain/workspace/request-envelope.ts';
import type { CommandAnswer, Result } from '#domain/workspace/results.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';

type WithoutEnvelope<C> = C extends unknown ? Omit<C, keyof RequestEnvelope> : never;

/** A command of an operator, without its envelope. */
export type OperatorCommand = WithoutEnvelope<RequestedCommand>;

export interface OperatorCommandOptions {
  readonly request: (command: RequestedCommand) => Promise<CommandAnswer>;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'uuid7'>;
  /** This process's internal address, to which answers are hinted. */
  readonly replyTo: string;
  /** Through which the orders for these commands come. */
  readonly door: Door;
}

/**
 * Sends a command to a Workspace and waits for its result; `outcome_unknown` past the deadline. Rejects with
 * `PortError` when the command was certainly not appended.
 */
export type SendOperatorCommand = (
  workspaceId: string,
  command: OperatorCommand,
  sender?: CommandSender,
) => Promise<Result>;

/** Who a command is sent for, and from where. */
export interface CommandSender {
  /** Left out: the operator. */
  readonly credential?: Credential | null;
  /** The caller's IP address, for the audit; left out: not known. */
  readonly address?: string | null | undefined;
  /** Left out: the door of these commands. */
  readonly door?: Door;
}

export function createOperatorCommands(options: OperatorCommandOptions): SendOperatorCommand {
  const { request, clock, ids, replyTo, door: usualDoor } = options;
  return async (workspaceId, command, { credential = null, address = null, door = usualDoor } = {}) => {
    const issuedAt = clock.now();
    const envelope: RequestEnvelope = {
      workspaceId,
      requestId: ids.uuid7(issuedAt),
      issuedAt,
      notAfter: issuedAt + COMMAND_LIFE_MS,
      replyTo,
      credential,
      origin: { door, address },
    };
    return (await request({ ...command, ...envelope })).result;
  };
}
