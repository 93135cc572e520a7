import type { Codec } from '#messages/messages.ts';
import { isFresh, nextUpkeepAt, type Upkeep } from '#domain/channel/upkeep.ts';
import type { Connections } from '#connections/connections.ts';
import { createTopicConsumer, oneByOne } from '#consumer/topic-consumer.ts';
import type { ConsumerPorts } from '#consumer/consumer-options.ts';
import type { Service } from '#runtime/service.ts';
import { setTimers, type TimerOptions } from '#outbox/timers.ts';
import { upkeepTimer } from '#outbox/upkeep-messages.ts';
import type { Workload } from '#consumer/workload.ts';
import { CONNECTION_UPKEEP } from '#tables/declarations/topics.ts';
import { readChannels } from '#tables/repositories/workspaces.ts';
import { reportNeedsReconnect } from '#commands/send-command.ts';

export interface UpkeepOptions extends ConsumerPorts, TimerOptions {
  readonly codec: Codec;
  readonly connections: Pick<Connections, 'tokensFor' | 'refreshNow'>;
}

/** Channels at once in one process: tokens are renewed long before their end. */
const CHANNELS_AT_ONCE = 8;
/** After a failure that may pass. */
const TRY_AGAIN_MS = 3_600_000;

/**
 * Keeps Connections alive that may not have been used for long: renews their tokens, or asks whether they are valid, so
 * that a Channel that has to be reconnected is marked before a Post is due. Upkeep of a Channel ends when it is
 * disconnected, needs to be reconnected, or was connected anew.
 */
export function createUpkeepService(options: UpkeepOptions): Service & Workload {
  return createTopicConsumer(
    {
      name: 'upkeep',
      topic: CONNECTION_UPKEEP,
      concurrency: CHANNELS_AT_ONCE,
      handle: oneByOne((message) => keep(message, options)),
    },
    options,
  );
}

async function keep(upkeep: Upkeep, options: UpkeepOptions): Promise<void> {
  const { connections, clock, reporter } = options;
  const { workspaceId, channelId, network } = upkeep;
  const channel = (await readChannels(options.store, workspaceId))[channelId];
  if (channel?.connectedAt !== upkeep.connectedAt || channel.state !== 'connected') return;
  const tokens = await connections.tokensFor(channelId, network);
  // Some Networks refuse to renew tokens that are hardly a day old.
  const mayRenew = tokens.kind === 'ok' && !isFresh(upkeep, tokens.issuedAt, clock.now());
  const renewed = mayRenew ? await connections.refreshNow(channelId, tokens.accessToken) : tokens;
  reporter.report('upkeep-ended', { network, outcome: renewed.kind, channelId });
  const now = clock.now();
  if (renewed.kind === 'needs_reconnect') {
    await reportNeedsReconnect(options, upkeep);
    return;
  }
  const nextAt = nextUpkeepAt(upkeep, now);
  const soon = now + Math.max(TRY_AGAIN_MS, renewed.kind === 'unavailable' ? renewed.delayMs : 0);
  const again = renewed.kind === 'unavailable' && soon < nextAt;
  await setTimers(options, [again ? upkeepTimer(upkeep, soon) : upkeepTimer({ ...upkeep, dueAt: nextAt }, nextAt)]);
}
