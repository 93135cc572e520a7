import type { AnswerHints } from '#adapters/trpc/answers.ts';
import type { Service } from '#runtime/service.ts';

/**
 * Closes the connections to Networks, endpoints and other processes when it is stopped. It is started before the
 * services that use them, so it is stopped after them.
 */
export function createOutboundClients(
  clients: readonly { close(): Promise<void> }[],
  hints: Pick<AnswerHints, 'stop'>,
): Service {
  const stop = async (): Promise<void> => {
    hints.stop();
    await Promise.all(clients.map((client) => client.close()));
  };
  return { name: 'outbound clients', start: async () => {}, drain: async () => {}, stop, trouble: () => null };
}
