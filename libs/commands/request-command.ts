import type { Codec } from '#messages/messages.ts';
import { traceHeaders } from '#messages/message-headers.ts';
import type { RequestedCommand } from '#domain/workspace/commands.ts';
import type { CommandAnswer } from '#domain/workspace/results.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { Log } from '#ports/log.ts';
import type { WorldPorts } from '#ports/ports.ts';
import type { TableStore } from '#ports/table-store.ts';
import { WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { findResult } from '#tables/repositories/workspaces.ts';

export interface CommandRequestsOptions {
  readonly log: Log;
  readonly store: TableStore;
  readonly codec: Codec;
  readonly clock: Clock;
  readonly reporter: Pick<WorldPorts['reporter'], 'report'>;
  /** How long a requester waits before the outcome is called unknown. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 10_000;
/** A hint normally comes within milliseconds. After this time the result row is read, and again at this interval. */
const READ_EVERY_MS = 1000;
/**
 * An owner carries out the outbox of a turn within a second. If the result is still owed at so many reads, the owner is
 * gone, and the next one loads a Workspace only when a command comes: so the command is appended again. The next owner
 * knows its request id and answers it without deciding it again.
 */
const OWED_READS = 2;

export interface CommandRequests {
  /**
   * Appends a command and waits for its result: a hint from the owner or, should that be lost, the result row. Refusal
   * `outcome_unknown`: neither came in time; the command may still be carried out until its notAfter. Rejects with
   * `PortError` `unavailable` when the command was certainly not appended.
   */
  request(command: RequestedCommand): Promise<CommandAnswer>;
  /** Takes a hint that arrived. An answer that no request waits for is dropped: the result row is the truth. */
  receiveAnswer(answer: CommandAnswer): void;
  /** Commands being waited for. */
  pending(): number;
}

export function createCommandRequests({
  log,
  store,
  codec,
  clock,
  reporter,
  deadlineMs = DEADLINE_MS,
}: CommandRequestsOptions): CommandRequests {
  const waiters = new Map<string, (answer: CommandAnswer) => void>();

  const request = async (command: RequestedCommand): Promise<CommandAnswer> => {
    const { promise, resolve } = Promise.withResolvers<CommandAnswer>();
    waiters.set(command.requestId, resolve);
    const cancelDeadline = clock.after(deadlineMs, () => resolve(unknownOutcome(command.requestId)));
    const stopReading = pollRow(command, resolve);
    try {
      const appended = append(command);
      return await Promise.race([promise, appended.then(() => promise)]);
    } finally {
      waiters.delete(command.requestId);
      cancelDeadline();
      stopReading();
    }
  };

  const append = async (command: RequestedCommand): Promise<void> => {
    try {
      const record = { key: command.workspaceId, value: codec.encode(command), ...traceHeaders(command) };
      await log.append(WORKSPACE_COMMANDS.name, [record], { deadlineMs });
    } catch (error) {
      // The log may hold the command all the same: go on waiting for its answer.
      if (error instanceof PortError && error.kind === 'unknown') return;
      throw error;
    }
  };

  const pollRow = (command: RequestedCommand, resolve: (answer: CommandAnswer) => void): (() => void) => {
    let cancel = clock.after(READ_EVERY_MS, read);
    let stopped = false;
    let owedReads = 0;
    function read(): void {
      findResult(store, command.workspaceId, command.requestId)
        .then((result) => {
          if (result !== null && result !== 'owed') {
            const { workspaceId, requestId } = command;
            // The hint may have come while the row was read.
            if (waiters.has(requestId)) reporter.report('answer-found-by-looking', { workspaceId, requestId });
            return resolve({ requestId, result });
          }
          if (result === 'owed' && ++owedReads === OWED_READS) return append(command);
        })
        .catch(() => {})
        .finally(() => {
          if (!stopped) cancel = clock.after(READ_EVERY_MS, read);
        });
    }
    return () => {
      stopped = true;
      cancel();
    };
  };

  return {
    request,
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
