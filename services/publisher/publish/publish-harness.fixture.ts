import { createSeededIds } from '#adapters/memory/ids.ts';
import type { MemoryClock } from '#adapters/memory/clock.ts';
import type { Network, Placement } from '#domain/network.ts';
import type { NetworkOptions } from '#domain/network-options.ts';
import { postIdOf, variantIdOf } from '#domain/post/ids.ts';
import type { NetworkAdapter, NetworkBudget, Publication } from '#networks/contract/adapter.ts';
import type { TokensAnswer } from '#connections/connections.ts';
import type { RenditionSource } from '#ports/rendition-source.ts';
import { noRenditions } from '#testing/publication.ts';
import { createLedger, type Ledger } from '#tables/repositories/ledger.ts';
import {
  workersOn,
  type AttemptWorkerOptions,
  type AttemptWorkers,
  type PublishInterruption,
} from './attempt-workers.fixture.ts';
import type { PublishMachine } from './machine.ts';
import { openSandboxChannel, type SandboxChannel, type SandboxChannelOptions } from './sandbox-channel.fixture.ts';
import { readPublication, variantJobOf, type VariantContent, type VariantJob } from './variant-attempts.ts';

export const TEXT = 'Only once, please';

/** What a worker has instead of what the harness would give it. */
export type WorkerOptions = AttemptWorkerOptions<VariantJob, Publication> & { readonly renditions?: RenditionSource };

export interface PublishHarness
  extends
    Omit<AttemptWorkers<VariantJob, Publication>, 'worker'>,
    Pick<SandboxChannel, 'http' | 'requests' | 'items' | 'control' | 'fault' | 'accountId'> {
  readonly clock: MemoryClock;
  readonly job: VariantJob;
  readonly ledger: Ledger;
  /** A worker with memory of its own, which `interrupt` may stop anywhere. */
  worker(interrupt?: PublishInterruption, options?: WorkerOptions): PublishMachine<VariantJob, Publication>;
  /** The texts of what is live. */
  live(): Promise<readonly string[]>;
  tokens(): Promise<TokensAnswer>;
  retry(): VariantJob;
}

/** TikTok takes nothing without a choice of who may see it. */
function contentFor(
  network: Network,
  { text, title }: { readonly text?: string; readonly title?: string },
): VariantContent {
  const options: NetworkOptions = network === 'tiktok' ? { privacy: 'public' } : {};
  return { text: text ?? TEXT, title: title ?? null, options, altTexts: [] };
}

export interface PublishHarnessOptions extends SandboxChannelOptions {
  readonly adapter?: (real: NetworkAdapter) => NetworkAdapter;
  readonly renditions?: RenditionSource;
  readonly budget?: NetworkBudget;
  readonly placement?: Placement;
  readonly text?: string;
  readonly title?: string;
}

/** One Variant on its way to one sandbox Network, with workers that can be stopped anywhere. */
export async function openPublishHarness(network: Network, about: PublishHarnessOptions = {}): Promise<PublishHarness> {
  return publishOn(await openSandboxChannel(network, about), about);
}

/** One Variant on its way to the sandbox Network of this Channel. */
export function publishOn(
  channel: SandboxChannel,
  about: Omit<PublishHarnessOptions, keyof SandboxChannelOptions> = {},
): PublishHarness {
  const { network, networks, clock, accountId, connections, store, http, requests, control, fault, items } = channel;
  const variantId = variantIdOf(postIdOf(createSeededIds(4).uuid7(clock.now())), 1);
  const first = variantJobOf({
    ...{ type: 'PublishVariant', why: 'due', workspaceId: 'w', variantId, attempt: 1, network },
    ...{ placement: about.placement ?? 'feed', channelId: 'channel', accountId },
    ...{ dueAt: clock.now(), latestStart: clock.now() + 3_600_000, reconcileFirst: false },
  });
  const jobs = [first];
  const content = contentFor(network, about);
  const readWith = (renditions: RenditionSource) => (job: VariantJob) =>
    readPublication(job, content, { source: renditions, clock });
  const workers = workersOn<VariantJob, Publication>(channel, {
    adapter: about.adapter?.(networks.adapters[network]!) ?? networks.adapters[network]!,
    isUse: true,
    readContent: readWith(about.renditions ?? noRenditions),
    ...(about.budget === undefined ? {} : { budget: about.budget }),
  });
  return {
    ...workers,
    ...{ clock, http, requests, accountId, control, fault, items },
    ledger: createLedger(store),
    worker: (interrupt, { renditions, ...options } = {}) =>
      workers.worker(interrupt, renditions === undefined ? options : { readContent: readWith(renditions), ...options }),
    get job() {
      return jobs.at(-1)!;
    },
    live: async () => (await items()).map(({ text }) => text),
    tokens: () => connections.tokensFor('channel', network),
    retry: () => {
      jobs.push({
        ...jobs.at(-1)!,
        attempt: jobs.length + 1,
        dueAt: clock.now(),
        latestStart: clock.now() + 3_600_000,
        reconcileFirst: true,
      });
      return jobs.at(-1)!;
    },
  };
}
