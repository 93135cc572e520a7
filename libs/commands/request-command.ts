import type { Codec } from '#messages/messages.ts';
import type { RequestedCommand } from '#domain/workspace/commands.ts';
import type { CommandAnswer } from '#domain/workspace/results.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Log } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import { WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { findResult } from '#tables/repositories/workspaces.ts';

export interface CommandRequestsOptions {
  readonly log: Log;
  readonly store: TableStore;
  readonly codec: Codec;
  readonly clock: Clock;
  /** How long an asker waits before the outcome is called unknown. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 10_000;
/** A hint normally comes within milliseconds; after this the result row is looked for, and again at this pace. */
const LOOK_EVERY_MS = 1000;
/**
 * An owner clears what its turn owed within a second. Seen owed more often than that, the owner is gone, and the next
 * one looks at a Workspace only when a command comes: so the command is sent again, which it answers without carrying
 * it out again.
 */
const OWED_LOOKS = 2;

export interface CommandRequests {
  /**
   * Appends a command and waits for what came of it. The answer is a hint from the owner or, should that be lost, the
   * result row. Refusal `outcome_unknown`: neither came in time; the command may still be carried out until its
   * notAfter. Rejects with `PortError` `unavailable` when it was certainly not appended.
   */
  request(command: RequestedCommand): Promise<CommandAnswer>;
  /** A hint arrived. Answers nobody waits for are dropped: the row is the truth. */
  receiveAnswer(answer: CommandAnswer): void;
  /** Commands being waited for. */
  pending(): number;
}

export function createCommandRequests({
  log,
  store,
  codec,
  clock,
  deadlineMs = DEADLINE_MS,
}: CommandRequestsOptions): CommandRequests {
  const waiters = new Map<string, (answer: CommandAnswer) => void>();

  const ask = async (command: RequestedCommand): Promise<CommandAnswer> => {
    const { promise, resolve } = Promise.withResolvers<CommandAnswer>();
    waiters.set(command.requestId, resolve);
    const over = clock.after(deadlineMs, () => resolve(unknownOutcome(command.requestId)));
    const stopLooking = lookForRow(command, resolve);
    try {
      const appended = append(command);
      return await Promise.race([promise, appended.then(() => promise)]);
    } finally {
      waiters.delete(command.requestId);
      over();
      stopLooking();
    }
  };

  const append = async (command: RequestedCommand): Promise<void> => {
    try {
      await log.append(WORKSPACE_COMMANDS.name, [{ key: command.workspaceId, value: codec.encode(command) }], {
        deadlineMs,
      });
    } catch (error) {
      // Perhaps it stands in the log all the same: go on waiting for its answer.
      if (error instanceof PortError && error.kind === 'unknown') return;
      throw error;
    }
  };

  const lookForRow = (command: RequestedCommand, resolve: (answer: CommandAnswer) => void): (() => void) => {
    let cancel = clock.after(LOOK_EVERY_MS, look);
    let stopped = false;
    let owedLooks = 0;
    function look(): void {
      findResult(store, command.workspaceId, command.requestId)
        .then((result) => {
          if (result !== null && result !== 'owed') return resolve({ requestId: command.requestId, result });
          if (result === 'owed' && ++owedLooks === OWED_LOOKS) return append(command);
        })
        .catch(() => {})
        .finally(() => {
          if (!stopped) cancel = clock.after(LOOK_EVERY_MS, look);
        });
    }
    return () => {
      stopped = true;
      cancel();
    };
  };

  return {
    request: ask,
    receiveAnswer: (answer) => waiters.get(answer.requestId)?.(answer),
    pending: () => waiters.size,
  };
}

function unknownOutcome(requestId: string): CommandAnswer {
  return {
    requestId,
    result: {
      ok: false,
      code: 'outcome_unknown',
      message:
        'The outcome is not known yet: it may still be carried out. A Post that is sent again is not made twice; before repeating anything else, look.',
    },
  };
}
