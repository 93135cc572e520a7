import type { RequestEnvelope, RequestedCommand } from '#domain/workspace/commands.ts';
import type { CommandAnswer, Result } from '#domain/workspace/results.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';

type WithoutEnvelope<C> = C extends unknown ? Omit<C, keyof RequestEnvelope> : never;

/** A command of the installation's own, without what its envelope adds. */
export type OperatorCommand = WithoutEnvelope<RequestedCommand>;

/** An order is not carried out later than this after it was given. */
const ORDER_LIFE_MS = 60_000;

export interface OperatorCommandOptions {
  readonly request: (command: RequestedCommand) => Promise<CommandAnswer>;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'uuid7'>;
  /** This process's internal address: where answers are hinted to. */
  readonly replyTo: string;
}

/**
 * Puts an order to a Workspace and waits for what it came to; `outcome_unknown` past its deadline. Rejects with
 * `PortError` when it certainly did not arrive.
 */
export type SendOperatorCommand = (workspaceId: string, order: OperatorCommand) => Promise<Result>;

export function createOperatorCommands({
  request: ask,
  clock,
  ids,
  replyTo,
}: OperatorCommandOptions): SendOperatorCommand {
  return async (workspaceId, order) => {
    const issuedAt = clock.now();
    const envelope: RequestEnvelope = {
      workspaceId,
      requestId: ids.uuid7(issuedAt),
      issuedAt,
      notAfter: issuedAt + ORDER_LIFE_MS,
      replyTo,
      credential: null,
    };
    return (await ask({ ...order, ...envelope })).result;
  };
}
