import type { Codec, EndConnection, KeepConnection } from '#messages/messages.ts';
import { backoffMs, type Backoff } from '#concurrency/backoff.ts';
import { MAX_CHANNEL_PICTURE_URL_BYTES } from '#domain/channel/channel.ts';
import { isCanary } from '#domain/canary.ts';
import { isFresh, nextUpkeepAt, type Upkeep } from '#domain/channel/upkeep.ts';
import { jsonBytes } from '#domain/json-size.ts';
import type { Network } from '#domain/network.ts';
import type { Connections, TokensAnswer } from '#connections/connections.ts';
import { createTopicConsumer, oneByOne } from '#consumer/topic-consumer.ts';
import type { ConsumerPorts } from '#consumer/consumer-options.ts';
import type { Service } from '#runtime/service.ts';
import { pictureMessage } from '#outbox/picture-messages.ts';
import { appendMessages } from '#outbox/relay.ts';
import { setTimers, type TimerOptions } from '#outbox/timers.ts';
import { endTimer, upkeepTimer } from '#outbox/upkeep-messages.ts';
import type { NetworkAuth } from '#networks/contract/adapter.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { Workload } from '#consumer/workload.ts';
import { CONNECTION_UPKEEP } from '#tables/declarations/topics.ts';
import { readChannels } from '#tables/repositories/workspaces.ts';
import { reportNeedsReconnect } from '#commands/send-command.ts';

export interface UpkeepOptions extends ConsumerPorts, TimerOptions {
  readonly codec: Codec;
  readonly connections: Pick<Connections, 'tokensFor' | 'refreshNow' | 'end'>;
  readonly http: HttpClient;
  readonly auths: Readonly<Partial<Record<Network, Pick<NetworkAuth, 'accounts'>>>>;
}

/** Channels at once in one process: tokens are renewed long before their end. */
const CHANNELS_AT_ONCE = 8;
/** Of a Network that can not be asked to end tokens; about a day in all. */
const END_BACKOFF: Backoff = { firstMs: 60_000, maxMs: 3_600_000 };
const MAX_END_TRIES = 28;
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
      handle: oneByOne<KeepConnection | EndConnection>((message) =>
        message.type === 'EndConnection' ? end(message, options) : keep(message, options),
      ),
    },
    options,
  );
}

async function keep(upkeep: Upkeep, options: UpkeepOptions): Promise<void> {
  const { connections, clock, reporter } = options;
  const { workspaceId, channelId, network } = upkeep;
  // Its Channels have no tokens, and need none.
  if (isCanary(workspaceId)) return;
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
  if (renewed.kind === 'ok') await askForPicture(upkeep, renewed, options);
  // The scheduler's clock may be ahead: a timer for the instant that it has fired would never fire again.
  const nextAt = nextUpkeepAt(upkeep, Math.max(now, upkeep.dueAt));
  const soon = now + Math.max(TRY_AGAIN_MS, renewed.kind === 'unavailable' ? renewed.delayMs : 0);
  const again = renewed.kind === 'unavailable' && soon < nextAt;
  await setTimers(options, [again ? upkeepTimer(upkeep, soon) : upkeepTimer({ ...upkeep, dueAt: nextAt }, nextAt)]);
}

/** A Disconnect is done before this begins, and waits for none of it. */
async function end(order: EndConnection, options: UpkeepOptions): Promise<void> {
  const { workspaceId, channelId, network, connectionId, tries } = order;
  const isLastTry = tries >= MAX_END_TRIES;
  const ended = await options.connections.end({ channelId, connectionId, isLastTry });
  const [outcome, detail] =
    ended.kind === 'ended' ? [ended.revocation, ended.detail] : [ended.kind, 'detail' in ended ? ended.detail : ''];
  options.reporter.report('connection-end-tried', { network, workspaceId, channelId, outcome, detail });
  if (ended.kind !== 'unavailable') return;
  const at = options.clock.now() + backoffMs(END_BACKOFF, tries);
  await setTimers(options, [endTimer({ ...order, tries: tries + 1 }, at)]);
}

/**
 * Has the picture copied that the Network names for the account now: a person may have changed it. What it was copied
 * from is compared when it is fetched, because Networks sign the address of one picture anew each time. Tokens that can
 * not list accounts, such as those of Pages, name no picture: the one of the last sign-in stays.
 */
async function askForPicture(
  { channelId, network, workspaceId, connectedAt, dueAt }: Upkeep,
  { accessToken, accountId, issuedAt }: Extract<TokensAnswer, { kind: 'ok' }>,
  options: UpkeepOptions,
): Promise<void> {
  const tokens = { accessToken, refreshToken: null, expiresAt: issuedAt };
  const accounts = await options.auths[network]?.accounts(options.http, tokens, options.clock.now());
  const account = accounts?.kind === 'ok' ? accounts.value.find((each) => each.accountId === accountId) : undefined;
  const url = account?.avatarUrl ?? null;
  if (url === null || jsonBytes(url) > MAX_CHANNEL_PICTURE_URL_BYTES) return;
  // One instant for each upkeep: its message may come twice.
  const order = { kind: 'copy-picture', channelId, connectedAt, askedAt: dueAt, url } as const;
  await appendMessages(options, [pictureMessage(workspaceId, order)]);
}
