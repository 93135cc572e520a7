import type { Codec, PublishComment, PublishVariant } from '#messages/messages.ts';
import { isCanary, keptSeconds } from '#domain/canary.ts';
import type { Network } from '#domain/network.ts';
import { postIdOfVariant } from '#domain/post/ids.ts';
import type { Variant } from '#domain/post/post.ts';
import type {
  FirstComment,
  NetworkAdapter,
  NetworkBudget,
  NetworkComments,
  Publication,
} from '#networks/contract/adapter.ts';
import { canaryNetwork, NOWHERE } from '#networks/contract/canary-network.ts';
import { closedComments, closedNetwork } from '#networks/contract/unavailable-network.ts';
import type { Connections, TokensAnswer } from '#connections/connections.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { Tracer } from '#ports/tracer.ts';
import type { RenditionSource } from '#ports/rendition-source.ts';
import type { Pools } from '#concurrency/pools.ts';
import { publishingPool } from '#domain/pool.ts';
import { createTopicConsumer } from '#consumer/topic-consumer.ts';
import type { ConsumerPorts } from '#consumer/consumer-options.ts';
import { commentTimer, publishTimer, WATCHDOG_MS } from '#outbox/publish-messages.ts';
import type { Service } from '#runtime/service.ts';
import type { Workload } from '#consumer/workload.ts';
import { setTimers, type TimerOptions } from '#outbox/timers.ts';
import type { TimerEffect } from '#tables/rows/pending-effects.ts';
import { createLiveItems } from '#tables/repositories/live-items.ts';
import { createLedger, type ArmVerdict } from '#tables/repositories/ledger.ts';
import { readPost } from '#tables/repositories/posts.ts';
import { PUBLISH } from '#tables/declarations/topics.ts';
import type { Brake } from '#tables/repositories/publishing-brake.ts';
import { reportNeedsReconnect, sendCommand } from '#commands/send-command.ts';
import { isOfRemovedPost } from '../removed-posts.ts';
import { AttemptObserver, factsOf } from './attempt-observer.ts';
import { inTraceOfRun, type SoleProcess } from './attempt.ts';
import { ChannelDisconnects } from './channel-disconnects.ts';
import {
  commentAttemptOf,
  commentDueAt,
  concludeComment,
  readComment,
  type CommentAttempt,
} from './comment-attempts.ts';
import { PublishMachine } from './machine.ts';
import type { PublishMachineOptions, RunObserver } from './machine-options.ts';
import { Throttle } from './throttle.ts';
import type { RunContext } from './turn-of-channel.ts';
import { ConcludedAttempts } from './concluded-attempts.ts';
import {
  concludeVariant,
  contentOfVariant,
  firstDueAt,
  readPublication,
  variantJobOf,
  wasDisconnected,
  type VariantJob,
} from './variant-attempts.ts';

export interface PublisherOptions extends ConsumerPorts, TimerOptions {
  readonly codec: Codec;
  readonly tracer?: Tracer;
  readonly http: HttpClient;
  readonly connections: Connections;
  readonly renditions: RenditionSource;
  readonly adapters: Readonly<Partial<Record<Network, NetworkAdapter>>>;
  readonly comments: Readonly<Partial<Record<Network, NetworkComments>>>;
  /** Where no other process can publish at the same time; null: others may. */
  readonly soleProcess: SoleProcess | null;
  readonly budgets: Readonly<Partial<Record<Network, NetworkBudget>>>;
  readonly brake: Brake;
  readonly pools: Pools;
  /** Networks that this process publishes to. */
  readonly served: readonly Network[];
}

/** What one Network's attempts are like at this moment, as this process sees it. */
export interface NetworkLoad {
  readonly network: Network;
  /** Attempts that are worked on. */
  readonly running: number;
  readonly isOutOfOrder: boolean;
}

export interface PublisherService extends Service, Workload {
  load(): NetworkLoad;
}

/** For a Network without a budget. */
const UNLIMITED: NetworkBudget = { account: [], app: [], atOnce: 256 };
/** Channels at once in one process; within a Channel, Variants go one after the other. */
export const CHANNELS_AT_ONCE = 64;
/** A Workspace may hold this many times the slots that are free: alone, it gets seven eighths of them. */
const TIMES_FREE = 7;

/** Stand in where no call is made: for a Network without an adapter, and for the canary. */
const NO_TOKENS: TokensAnswer = { kind: 'ok', accessToken: '', username: '', accountId: '', facts: {}, issuedAt: 0 };

/**
 * Publishes Variants that are due, and first comments: one consumer group for each Network, one mailbox for each
 * Channel. On a Network without an adapter they fail with that reason.
 */
export function createPublisherServices(options: PublisherOptions): readonly PublisherService[] {
  const { connections, served } = options;
  const shared: SharedOptions = { ...options, disconnects: new ChannelDisconnects(options) };
  return served.map((network) => {
    const adapter = options.adapters[network];
    const comments = options.comments[network] ?? closedComments(network);
    if (adapter === undefined) return publisherOf(closedNetwork(network), comments, async () => NO_TOKENS, shared);
    const tokensFor: TokensFor = (channelId, beforeCall) => connections.tokensFor(channelId, network, beforeCall);
    return publisherOf(adapter, comments, tokensFor, shared);
  });
}

const UNOBSERVED: RunObserver<VariantJob> = { httpFor: () => NOWHERE, calling: () => {}, heldBack: () => {} };

type TokensFor = (channelId: string, beforeCall: () => Promise<void>) => Promise<TokensAnswer>;

/** What attempts at all Networks have in common. */
interface SharedOptions extends PublisherOptions {
  readonly disconnects: ChannelDisconnects;
}

/** What attempts at Variants and at comments of one Network have in common. */
interface AttemptOptions extends SharedOptions {
  readonly tokensFor: TokensFor;
  readonly throttle: Throttle;
  readonly observer: AttemptObserver;
  readonly concluded: ConcludedAttempts;
}

function publisherOf(
  adapter: NetworkAdapter,
  comments: NetworkComments,
  tokensFor: TokensFor,
  options: SharedOptions,
): PublisherService {
  const { network } = adapter;
  const budget = options.budgets[network] ?? UNLIMITED;
  const accountOf = (workspaceId: string): string => options.pools.accountOf(workspaceId);
  const throttle = new Throttle({ ...options, network, budget, accountOf });
  const observer = new AttemptObserver({ ...options, network });
  const shared: AttemptOptions = { ...options, tokensFor, throttle, observer, concluded: new ConcludedAttempts() };
  const machines = { ofVariants: variantMachine(adapter, shared), ofComments: commentMachine(comments, shared) };
  const ofCanary = canaryMachine(network, shared);
  const topic = PUBLISH[network];
  const consumer = createTopicConsumer(
    {
      name: `publisher-${network}`,
      topic,
      // Attempts are made one by one anyway. Were several handed over together, a crash amid one of them would put all
      // of them under suspicion, and suspects of all Networks take turns.
      maxBatch: 1,
      // What can be done for the next Variant before it is armed is done while the Network is called for this one.
      pipelined: true,
      // Where log and store are one, the arm is durable only behind its job: one fsync for both.
      reads: 'appended',
      concurrency: CHANNELS_AT_ONCE,
      concurrencyOfAll: { keys: budget.atOnce, partitions: topic.partitions },
      turns: {
        pool: options.pools.open(publishingPool(network), {
          ...{ permits: CHANNELS_AT_ONCE, maxOf: { workspace: CHANNELS_AT_ONCE }, timesFree: TIMES_FREE },
        }),
        workspaceOf: (message) => ('workspaceId' in message ? message.workspaceId : ''),
      },
      onWaited: (waitMs) => options.reporter.report('channel-waited', { network, waitMs }),
      handle: async (_channelId, messages, context) => {
        for (const message of messages) {
          if (message.type === 'PublishVariant') {
            const machine = isCanary(message.workspaceId) ? ofCanary : machines.ofVariants;
            await attempt({ job: variantJobOf(message), context }, machine, OF_VARIANTS, shared);
          } else await attempt({ job: commentAttemptOf(message), context }, machines.ofComments, OF_COMMENTS, shared);
        }
      },
    },
    options,
  );
  const load = (): NetworkLoad => ({ network, running: observer.running, isOutOfOrder: throttle.isOutOfOrder });
  return { ...consumer, load };
}

/** What the watchdog of an attempt needs to know. */
interface Watchdog<Job> {
  /** Whether the Workspace still waits for this attempt to end. */
  readonly isOpen: (variant: Variant, job: Job) => boolean;
  readonly timer: (job: Job, at: number) => TimerEffect;
}

const OF_VARIANTS: Watchdog<VariantJob> = {
  isOpen: ({ status, attempt: newest }, job) => status === 'publishing' && newest === job.attempt,
  timer: (job, at) => publishTimer(job, 'watchdog', at),
};
const OF_COMMENTS: Watchdog<CommentAttempt> = {
  isOpen: ({ firstComment }) => firstComment?.status === 'waiting',
  timer: (job, at) => commentTimer(job, 'watchdog', at),
};

async function attempt<Job extends VariantJob | CommentAttempt, Content>(
  { job, context }: { readonly job: Job; readonly context: RunContext },
  machine: PublishMachine<Job, Content>,
  watchdog: Watchdog<Job>,
  options: AttemptOptions,
): Promise<void> {
  if (job.why !== 'watchdog' && options.concluded.has(job)) return;
  // Only what a turn has just made due is worth beginning early, or out of turn.
  if (job.why !== 'due') {
    await context.predecessor?.over;
    await context.durable();
  }
  if (await isOfRemovedPost(job, options)) {
    options.reporter.report('attempt-at-removed-post', factsOf(job));
    return;
  }
  if (job.why === 'watchdog') {
    const variant = await variantOf(job, options);
    if (variant === undefined || !watchdog.isOpen(variant, job)) return;
    // Before anything else, so that the attempt is looked at again even if this process ends now.
    await setTimers(options, [watchdog.timer(job, options.clock.now() + WATCHDOG_MS)]);
    options.reporter.report('attempt-watchdog-fired', factsOf(job));
  }
  const runContext = job.why === 'due' ? context : { ...context, predecessor: null };
  await options.observer.watch(job, (run) => machine.run(run, runContext));
}

async function variantOf(
  { workspaceId, variantId }: PublishVariant | PublishComment,
  { store }: PublisherOptions,
): Promise<Variant | undefined> {
  const post = await readPost(store, workspaceId, postIdOfVariant(variantId));
  return post?.variants.find(({ id }) => id === variantId);
}

/**
 * Attempts at the canary's Variants take every step that others take, ledger and brake included, with an adapter that
 * calls nobody, without tokens, and with a throttle of their own: they neither wait for a Network that is out of order
 * nor make it look well, and use up nothing of what it allows. What is measured of Networks leaves them out.
 */
function canaryMachine(network: Network, options: AttemptOptions): PublishMachine<VariantJob, Publication> {
  return variantMachine(canaryNetwork(network), options, {
    ledger: createLedger(options.store, keptSeconds()),
    tokensFor: async () => NO_TOKENS,
    throttle: new Throttle({ ...options, network, budget: UNLIMITED }),
    observer: UNOBSERVED,
  });
}

type MachineParts = PublishMachineOptions<VariantJob, Publication>;

function variantMachine(
  adapter: NetworkAdapter,
  options: AttemptOptions,
  own: Partial<Pick<MachineParts, 'ledger' | 'tokensFor' | 'throttle' | 'observer'>> = {},
): PublishMachine<VariantJob, Publication> {
  const { store, connections, concluded, renditions, clock } = options;
  return new PublishMachine<VariantJob, Publication>({
    ...options,
    adapter,
    ledger: createLedger(store),
    refreshNow: (channelId, stale) => connections.refreshNow(channelId, stale),
    readContent: async (job) => readPublication(job, await contentOfVariant(store, job), { source: renditions, clock }),
    isUse: true,
    continueAt: (job, at) => setTimers(options, [publishTimer(job, 'continue', at)]),
    conclude: async (job, verdict) => {
      await concludeVariant(options, job, verdict);
      if (!isCanary(job.workspaceId)) reportEnd(job, verdict, options);
      concluded.add(job);
    },
    liveItems: createLiveItems(store),
    firstDueAt: (job, restoration) => firstDueAt(store, job, restoration),
    isDisconnected: (job) => wasDisconnected(job, options),
    giveBack: ({ workspaceId, variantId, attempt: number, ...job }) =>
      sendCommand(options, { type: 'PublishHeld', workspaceId, variantId, attempt: number, ...inTraceOfRun(job) }),
    markChannel: (job, _state, seenAt) => reportNeedsReconnect(options, job, seenAt),
    ...own,
  });
}

function commentMachine(
  adapter: NetworkComments,
  options: AttemptOptions,
): PublishMachine<CommentAttempt, FirstComment> {
  const { store, connections, concluded, observer, reporter } = options;
  return new PublishMachine<CommentAttempt, FirstComment>({
    ...options,
    adapter,
    ledger: createLedger(store),
    refreshNow: (channelId, stale) => connections.refreshNow(channelId, stale),
    readContent: (job) => readComment(store, job),
    isUse: adapter.isUse,
    continueAt: (job, at) => setTimers(options, [commentTimer(job, 'continue', at)]),
    conclude: async (job, verdict) => {
      await concludeComment(options, job, verdict);
      observer.endedAfterMs(job);
      reporter.report('first-comment-ended', { ...factsOf(job), outcome: verdict.kind });
      concluded.add(job);
    },
    liveItems: createLiveItems(store),
    firstDueAt: (job, restoration) => commentDueAt(createLedger(store), job, restoration),
    // What is live keeps its comment, or tells by the tokens that it gets none.
    isDisconnected: async () => false,
    giveBack: null,
    // A comment changes nothing but itself: whether the token is dead is found out by the next Variant, or by upkeep.
    markChannel: async () => {},
  });
}

function reportEnd(job: VariantJob, verdict: ArmVerdict, { reporter, clock, observer }: AttemptOptions): void {
  reporter.report('attempt-ended', {
    ...factsOf(job),
    placement: job.placement,
    outcome: verdict.kind,
    reason: verdict.kind === 'failed' ? verdict.reason : verdict.kind === 'unconfirmed' ? 'unconfirmed' : 'none',
    sinceDueMs: clock.now() - job.dueAt,
    tookMs: observer.endedAfterMs(job),
  });
}
