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
import { PublishMachine, type PublishContent } from './machine.ts';
import { Throttle } from './throttle.ts';
import { sendCommand, reportNeedsReconnect } from '#commands/send-command.ts';
import { ConcludedAttempts } from './concluded-attempts.ts';

export interface PublisherOptions extends ConsumerPorts, TimerOptions {
  readonly codec: Codec;
  readonly http: HttpClient;
  readonly connections: Connections;
  readonly renditions: RenditionSource;
  readonly adapters: Readonly<Partial<Record<Network, NetworkAdapter>>>;
  readonly budgets: Readonly<Partial<Record<Network, NetworkBudget>>>;
}

/** Where nothing else is said. */
const UNLIMITED: NetworkBudget = { account: [], app: [], atOnce: 256 };
/** Channels at once in one process; within a Channel, Variants go one after the other. */
const CHANNELS_AT_ONCE = 64;

/** Nobody is asked in their name. */
const NO_TOKENS: TokensAnswer = { kind: 'ok', accessToken: '', username: '', accountId: '', facts: {}, issuedAt: 0 };

/**
 * Publishes what is due: one consumer group a Network, one mailbox a Channel. What is due on a Network without an
 * adapter fails with the reason.
 */
export function createPublisherServices(parts: PublisherOptions): readonly (Service & Workload)[] {
  const { connections } = parts;
  return NETWORKS.map((network) => {
    const adapter = parts.adapters[network];
    if (adapter === undefined) return publisherOf(closedNetwork(network), async () => NO_TOKENS, parts);
    return publisherOf(adapter, (channelId) => connections.tokensFor(channelId, network), parts);
  });
}

type TokensFor = (channelId: string) => Promise<TokensAnswer>;

function publisherOf(adapter: NetworkAdapter, tokensFor: TokensFor, parts: PublisherOptions): Service & Workload {
  const budget = parts.budgets[adapter.network] ?? UNLIMITED;
  const concluded = new ConcludedAttempts();
  const machine = machineOf(adapter, tokensFor, budget, concluded, parts);
  const topic = PUBLISH[adapter.network];
  return createTopicConsumer(
    {
      name: `publisher-${adapter.network}`,
      topic,
      maxBatch: 8,
      concurrency: CHANNELS_AT_ONCE,
      concurrencyOfAll: { keys: budget.atOnce, partitions: topic.partitions },
      handle: oneByOne((job) => publish(job, machine, concluded, parts)),
    },
    parts,
  );
}

async function publish(
  job: PublishVariant,
  machine: PublishMachine,
  concluded: ConcludedAttempts,
  parts: PublisherOptions,
): Promise<void> {
  if (job.why !== 'watchdog' && concluded.has(job)) return;
  if (job.why === 'watchdog') {
    const post = await readPost(parts.store, job.workspaceId, postIdOfVariant(job.variantId));
    const variant = post?.variants.find(({ id }) => id === job.variantId);
    if (variant?.status !== 'publishing' || variant.attempt !== job.attempt) return;
    // Before anything else: whatever happens now, somebody looks again.
    await setTimers(parts, [publishTimer(job, 'watchdog', parts.clock.now() + WATCHDOG_MS)]);
    parts.reporter.report('attempt-looked-after', {
      network: job.network,
      variantId: job.variantId,
      attempt: job.attempt,
    });
  }
  await machine.run(job);
}

function machineOf(
  adapter: NetworkAdapter,
  tokensFor: TokensFor,
  budget: NetworkBudget,
  concluded: ConcludedAttempts,
  parts: PublisherOptions,
): PublishMachine {
  const { connections } = parts;
  return new PublishMachine({
    ...parts,
    adapter,
    ledger: createLedger(parts.store),
    throttle: new Throttle({ ...parts, network: adapter.network, budget }),
    tokensFor,
    refreshNow: (channelId, stale) => connections.refreshNow(channelId, stale),
    contentOf: (job) => contentOf(parts, job),
    setTimer: (timer) => setTimers(parts, [timer]),
    conclude: async (job, verdict) => {
      await conclude(parts, job, verdict);
      concluded.add(job);
    },
    markChannel: (job) => reportNeedsReconnect(parts, job),
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

async function conclude(parts: PublisherOptions, job: PublishVariant, verdict: ArmVerdict): Promise<void> {
  const about = { workspaceId: job.workspaceId, variantId: job.variantId, attempt: job.attempt };
  switch (verdict.kind) {
    case 'published':
      await sendCommand(parts, {
        type: 'PublishSucceeded',
        ...about,
        remoteId: verdict.remoteId,
        permalink: verdict.permalink,
      });
      break;
    case 'failed':
      await sendCommand(parts, { type: 'PublishFailed', ...about, reason: verdict.reason, detail: verdict.detail });
      break;
    case 'unconfirmed':
      await sendCommand(parts, { type: 'PublishUnconfirmed', ...about, detail: verdict.detail });
      break;
  }
  parts.reporter.report('attempt-ended', {
    network: job.network,
    placement: job.placement,
    outcome: verdict.kind,
    reason: verdict.kind === 'failed' ? verdict.reason : verdict.kind === 'unconfirmed' ? 'unconfirmed' : 'none',
    variantId: job.variantId,
    attempt: job.attempt,
    sinceDueMs: parts.clock.now() - job.dueAt,
  });
}
