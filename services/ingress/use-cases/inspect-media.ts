import { kindOfType } from '#domain/media/file-facts.ts';
import type { InspectedAddress, MediaReference } from '#domain/post/post.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { InspectAddress, VideosOff } from '../needs.ts';

export interface InspectMediaOptions {
  readonly inspectAddress: InspectAddress;
  readonly videosOff: VideosOff;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly ids: Ids;
}

/** For all addresses of one request together: what is left of its ten seconds is for the Workspace. */
const WITHIN_MS = 6_000;
/** Addresses of one request at once. */
const AT_ONCE = 8;

const LATE: Found = { contentType: null, bytes: null, problem: 'The address did not answer in time.' };

/** The media of some Posts with what their addresses answered: each address is asked once, and those that took too long count as silent. */
export async function inspectMedia(posts: readonly (readonly MediaReference[])[], options: InspectMediaOptions): Promise<readonly (readonly MediaReference[])[]> {
  const urls = new Set(posts.flatMap((media) => media.flatMap(({ url }) => url ?? [])));
  if (urls.size === 0) return posts;
  const found = await ask([...urls], options);
  const { ids, clock } = options;
  const inspected = (reference: MediaReference): MediaReference =>
    reference.url === undefined ? reference : { ...reference, inspected: { assetId: ids.uuid7(clock.now()), ...(found.get(reference.url) ?? LATE) } };
  return posts.map((media) => media.map(inspected));
}

type Found = Omit<InspectedAddress, 'assetId'>;

async function ask(urls: readonly string[], { inspectAddress, videosOff, clock }: InspectMediaOptions): Promise<ReadonlyMap<string, Found>> {
  const found = new Map<string, Found>();
  const inspect = async (url: string): Promise<Found> => {
    const seen = await inspectAddress(url);
    const off = seen.contentType !== null && kindOfType(seen.contentType) === 'video' ? await videosOff() : null;
    return off === null ? seen : { contentType: null, bytes: null, problem: off };
  };
  const queue = [...urls];
  const over = new AbortController();
  const worker = async (): Promise<void> => {
    for (let url = queue.shift(); url !== undefined && !over.signal.aborted; url = queue.shift()) found.set(url, await inspect(url));
  };
  const all = Promise.all(Array.from({ length: Math.min(AT_ONCE, urls.length) }, worker));
  await Promise.race([all, clock.sleep(WITHIN_MS, over.signal)]).finally(() => over.abort());
  return found;
}
