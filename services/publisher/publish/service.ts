import type { Codec, PublishVariant } from '#messages/messages.ts';
import { NETWORKS, type Network } from '#domain/network.ts';
import { titleFor } from '#domain/post/channel-options.ts';
import { postIdOfVariant } from '#domain/post/ids.ts';
import type { NetworkAdapter, NetworkBudget } from '#networks/contract/adapter.ts';
import { closedNetwork } from '#networks/contract/unavailable-network.ts';
import type { Connections, TokensAnswer } from '#connections/connections.ts';
import { PortError } from '#ports/errors.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { RenditionSource } from '#ports/rendition-source.ts';
import { createTopicConsumer, oneByOne } from '#consumer/topic-consumer.ts';
import type { ConsumerPorts } from '#consumer/consumer-options.ts';
import { publishTimer, WATCHDOG_MS } from '#outbox/publish-messages.ts';
import type { Service } from '#runtime/service.ts';
import type { Workload } from '#consumer/workload.ts';
import { setTimers, type TimerOptions } from '#outbox/timers.ts';
import { createLedger, type ArmVerdict } from '#tables/repositories/ledger.ts';
import { readPost, readPostContent } from '#tables/repositories/posts.ts';
import { PUBLISH } from '#tables/declarations/topics.ts';
import { sendCommand, reportNeedsReconnect } from '#commands/send-command.ts';
import { PublishMachine, type PublishContent } from './machine.ts';
import { Throttle } from './throttle.ts';
import { ConcludedAttempts } from './concluded-attempts.ts';

export interface PublisherOptions extends ConsumerPorts, TimerOptions {
  readonly codec: Codec;
  readonly http: HttpClient;
  readonly connections: Connections;
  readonly renditions: RenditionSource;
  readonly adapters: Readonly<Partial<Record<Network, NetworkAdapter>>>;
  readonly budgets: Readonly<Partial<Record<Network, NetworkBudget>>>;
}

/** For a Network without a budget. */
const UNLIMITED: NetworkBudget = { account: [], app: [], atOnce: 256 };
/** Channels at once in one process; within a Channel, Variants go one after the other. */
const CHANNELS_AT_ONCE = 64;

/** For a Network without an adapter: no call is made with them. */
const NO_TOKENS: TokensAnswer = { kind: 'ok', accessToken: '', username: '', accountId: '', facts: {}, issuedAt: 0 };

/**
 * Publishes Variants that are due: one consumer group for each Network, one mailbox for each Channel. On a Network
 * without an adapter they fail with that reason.
 */
export function createPublisherServices(options: PublisherOptions): readonly (Service & Workload)[] {
  const { connections } = options;
  return NETWORKS.map((network) => {
    const adapter = options.adapters[network];
    if (adapter === undefined) return publisherOf(closedNetwork(network), async () => NO_TOKENS, options);
    return publisherOf(adapter, (channelId) => connections.tokensFor(channelId, network), options);
  });
}

type TokensFor = (channelId: string) => Promise<TokensAnswer>;

function publisherOf(adapter: NetworkAdapter, tokensFor: TokensFor, options: PublisherOptions): Service & Workload {
  const budget = options.budgets[adapter.network] ?? UNLIMITED;
  const concluded = new ConcludedAttempts();
  const machine = machineOf(adapter, { ...options, tokensFor, budget, concluded });
  const topic = PUBLISH[adapter.network];
  return createTopicConsumer(
    {
      name: `publisher-${adapter.network}`,
      topic,
      concurrency: CHANNELS_AT_ONCE,
      concurrencyOfAll: { keys: budget.atOnce, partitions: topic.partitions },
      handle: oneByOne((job) => publish(job, machine, concluded, options)),
    },
    options,
  );
}

async function publish(
  job: PublishVariant,
  machine: PublishMachine,
  concluded: ConcludedAttempts,
  options: PublisherOptions,
): Promise<void> {
  if (job.why !== 'watchdog' && concluded.has(job)) return;
  if (job.why === 'watchdog') {
    const post = await readPost(options.store, job.workspaceId, postIdOfVariant(job.variantId));
    const variant = post?.variants.find(({ id }) => id === job.variantId);
    if (variant?.status !== 'publishing' || variant.attempt !== job.attempt) return;
    // Before anything else, so that the attempt is looked at again even if this process ends now.
    await setTimers(options, [publishTimer(job, 'watchdog', options.clock.now() + WATCHDOG_MS)]);
    options.reporter.report('attempt-watchdog-fired', {
      network: job.network,
      variantId: job.variantId,
      attempt: job.attempt,
    });
  }
  await machine.run(job);
}

function machineOf(
  adapter: NetworkAdapter,
  options: PublisherOptions & {
    readonly tokensFor: TokensFor;
    readonly budget: NetworkBudget;
    readonly concluded: ConcludedAttempts;
  },
): PublishMachine {
  const { connections, concluded, budget, tokensFor } = options;
  return new PublishMachine({
    ...options,
    adapter,
    ledger: createLedger(options.store),
    throttle: new Throttle({ ...options, network: adapter.network, budget }),
    tokensFor,
    refreshNow: (channelId, stale) => connections.refreshNow(channelId, stale),
    contentOf: (job) => contentOf(options, job),
    setTimer: (timer) => setTimers(options, [timer]),
    conclude: async (job, verdict) => {
      await conclude(options, job, verdict);
      concluded.add(job);
    },
    markChannel: (job) => reportNeedsReconnect(options, job),
  });
}

async function contentOf({ store }: PublisherOptions, job: PublishVariant): Promise<PublishContent> {
  const postId = postIdOfVariant(job.variantId);
  const content = await readPostContent(store, job.workspaceId, postId);
  // A Post's rows are written before its jobs; a replica without them has not caught up.
  if (content === null) throw new PortError('unavailable', `the content of post ${postId} is not there`);
  return {
    text: job.placement === 'story' ? '' : content.text,
    title: titleFor(job.network, content.channelOptions[job.channelId]),
    altTexts: content.media.map(({ altText }) => altText ?? ''),
  };
}

async function conclude(options: PublisherOptions, job: PublishVariant, verdict: ArmVerdict): Promise<void> {
  const about = { workspaceId: job.workspaceId, variantId: job.variantId, attempt: job.attempt };
  switch (verdict.kind) {
    case 'published':
      await sendCommand(options, {
        type: 'PublishSucceeded',
        ...about,
        remoteId: verdict.remoteId,
        permalink: verdict.permalink,
      });
      break;
    case 'failed':
      await sendCommand(options, { type: 'PublishFailed', ...about, reason: verdict.reason, detail: verdict.detail });
      break;
    case 'unconfirmed':
      await sendCommand(options, { type: 'PublishUnconfirmed', ...about, detail: verdict.detail });
      break;
  }
  options.reporter.report('attempt-ended', {
    network: job.network,
    placement: job.placement,
    outcome: verdict.kind,
    reason: verdict.kind === 'failed' ? verdict.reason : verdict.kind === 'unconfirmed' ? 'unconfirmed' : 'none',
    variantId: job.variantId,
    attempt: job.attempt,
    sinceDueMs: options.clock.now() - job.dueAt,
  });
}
