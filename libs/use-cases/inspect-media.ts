import { kindOfType } from '#domain/media/file-facts.ts';
import type { ChannelOptions } from '#domain/post/channel-options.ts';
import type { InspectedAddress, MediaReference } from '#domain/post/media-reference.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { FairPool } from '#concurrency/fair-pool.ts';
import type { Pools } from '#concurrency/pools.ts';
import { parallelMap } from '#concurrency/parallel-map.ts';
import type { ApiCall } from './caller.ts';
import type { InspectAddress, VideosUnavailable } from './dependencies.ts';
import { done, type UseCaseResult } from './outcome.ts';
import { countAddresses, type CountAddressesOptions } from './count-addresses.ts';

export interface InspectMediaOptions extends CountAddressesOptions {
  readonly inspectAddress: InspectAddress;
  readonly inspections: Inspections;
  readonly videosOff: VideosUnavailable;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly ids: Ids;
  readonly reporter: Reporter;
}

/** Bounds the inspections of one process, over all Workspaces. */
export type Inspections = FairPool<'workspace' | 'host'>;

/** Requests to addresses at once in one process; one Workspace has at most a quarter of them. */
const PERMITS = { permits: 64, maxOf: { workspace: 16, host: 4 }, maxWaiting: 2_000 } as const;
/** For all addresses of one request together: the rest of the request's ten seconds is for the Workspace. */
const WITHIN_MS = 6_000;
/** Addresses of one request at once. */
const AT_ONCE_OF_REQUEST = 8;

const LATE: Found = { contentType: null, bytes: null, problem: 'The address did not answer in time.' };

export function createInspections(pools: Pools): Inspections {
  return pools.open('inspections', PERMITS);
}

type NoPermit = Extract<Awaited<ReturnType<Inspections['acquire']>>, { granted: false }>;

/** Reports that there was no permit to ask an address. Whole seconds until there may be one, and who asks too much. */
export function noPermit(
  { by, retryAfterMs }: NoPermit,
  { workspaceId }: Pick<ApiCall, 'workspaceId'>,
  reporter: Pick<Reporter, 'report'>,
): { readonly retryAfterSeconds: number; readonly whose: string } {
  reporter.report('pool-saturated', { pool: 'inspections', limit: by, workspaceId });
  const whose = {
    ...{ workspace: 'Of your Workspace too', account: 'Of the Workspaces of your owner too' },
    ...{ host: 'Of this host too', all: 'Here too' },
  }[by];
  return { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000), whose };
}

/** Where a Post names files: those that it shows, and the pictures of covers. */
export interface NamedFiles {
  readonly media: readonly MediaReference[];
  readonly channelOptions: Readonly<Record<string, ChannelOptions>>;
}

export const NO_FILES: NamedFiles = { media: [], channelOptions: {} };

/**
 * The files of each Post with the answers of their addresses, or why the addresses of that Post may not be requested.
 * Each address is requested once, however many of the Posts name it, and one that takes too long counts as silent. No
 * request outlives the call; rejects with the reason of its signal when the client no longer waits.
 */
export async function inspectMedia(
  call: ApiCall,
  posts: readonly NamedFiles[],
  options: InspectMediaOptions,
): Promise<readonly UseCaseResult<NamedFiles>[]> {
  const addresses = posts.map(addressesIn);
  const named = new Set<string>();
  // Counted for the Post that names it first.
  const first = addresses.map((all) => [...all].filter((address) => !named.has(address) && named.add(address)));
  if (named.size === 0) return posts.map(done);
  const counted = await countAddresses(
    call.workspaceId,
    first.map((all) => all.length),
    options,
  );
  const refused = new Map(
    first.flatMap((all, index) => all.map((address) => [address, counted[index] ?? null] as const)),
  );
  const verdicts = addresses.map(
    (all) => [...all].map((address) => refused.get(address) ?? null).find((problem) => problem !== null) ?? null,
  );
  const askable = new Set(addresses.flatMap((all, index) => (verdicts[index] === null ? [...all] : [])));
  const found = await ask(call, askable, options);
  call.signal.throwIfAborted();
  return posts.map((post, index) => {
    const problem = verdicts[index] ?? null;
    return problem === null ? done(inspected(post, found, options)) : { ok: false, problem };
  });
}

function addressesIn({ media, channelOptions }: NamedFiles): ReadonlySet<string> {
  const named = [...media, ...Object.values(channelOptions).map(({ cover }) => cover)];
  return new Set(named.flatMap((file) => (file?.url === undefined ? [] : [addressOf(file.url)])));
}

type Found = Omit<InspectedAddress, 'assetId'>;

function inspected(
  { media, channelOptions }: NamedFiles,
  found: ReadonlyMap<string, Found>,
  { ids, clock }: InspectMediaOptions,
): NamedFiles {
  const answerOf = (url: string): InspectedAddress => ({
    assetId: ids.uuid7(clock.now()),
    ...(found.get(addressOf(url)) ?? LATE),
  });
  const covers = new Map<string, InspectedAddress>();
  /** Channels that name the same address share one file: it is fetched and counted once. */
  const coverAt = (url: string): InspectedAddress => {
    const answer = covers.get(addressOf(url)) ?? answerOf(url);
    covers.set(addressOf(url), answer);
    return answer;
  };
  const withCover = (options: ChannelOptions): ChannelOptions => {
    const { cover } = options;
    return cover?.url === undefined ? options : { ...options, cover: { ...cover, inspected: coverAt(cover.url) } };
  };
  return {
    media: media.map((file) => (file.url === undefined ? file : { ...file, inspected: answerOf(file.url) })),
    channelOptions: Object.fromEntries(Object.entries(channelOptions).map(([id, each]) => [id, withCover(each)])),
  };
}

/** By address. Each waits for a permit, so that a request with many addresses delays no other Workspace, nor a host. */
async function ask(
  call: ApiCall,
  addresses: ReadonlySet<string>,
  options: InspectMediaOptions,
): Promise<ReadonlyMap<string, Found>> {
  const { inspections, clock, reporter } = options;
  const found = new Map<string, Found>();
  const over = new AbortController();
  const signal = AbortSignal.any([call.signal, over.signal]);
  const one = async (address: string): Promise<void> => {
    if (signal.aborted) return;
    const permit = await inspections.acquire({ workspace: call.workspaceId, host: hostOf(address) }, signal);
    if (permit.granted)
      return void (await inspect(address, signal, options)
        .then((seen) => found.set(address, seen))
        .finally(permit.release));
    if (signal.aborted) return;
    const { whose, retryAfterSeconds } = noPermit(permit, call, reporter);
    const problem = `${whose} many addresses are being asked at once. Please send the Post again in ${retryAfterSeconds} s.`;
    found.set(address, { contentType: null, bytes: null, problem });
  };
  const all = parallelMap(AT_ONCE_OF_REQUEST, addresses, one);
  await Promise.race([all, clock.sleep(WITHIN_MS, signal)]).finally(() => over.abort());
  return found;
}

async function inspect(
  address: string,
  signal: AbortSignal,
  { inspectAddress, videosOff }: InspectMediaOptions,
): Promise<Found> {
  const seen = await inspectAddress(address, signal);
  const off = seen.contentType !== null && kindOfType(seen.contentType) === 'video' ? await videosOff() : null;
  return off === null ? seen : { contentType: null, bytes: null, problem: off };
}

/** One spelling of an address: the part after `#` is never sent. */
function addressOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const address = new URL(url);
  address.hash = '';
  return address.href;
}

/** '': it is no address. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname.replace(/\.$/, '') : '';
}
