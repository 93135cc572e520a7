import { sendLoad } from '../../load.ts';
import type { Api, ApiHome } from '../peer.ts';
import { CHANNELS } from './creates.ts';
import type { Figures, PeerRun } from './peer-run.ts';

const PAGE = 100;
const DAY_MS = 86_400_000;
const SENTENCE = 'It is waiting for its time to come. ';

/** A page of the list, asked for by one client again and again. Throws if it is not full: nothing was filled in. */
export async function listPage(run: PeerRun, api: Api, home: ApiHome): Promise<Figures> {
  const path = `/api/posts?limit=${PAGE}`;
  const answer = await fetch(api.url() + path, { headers: { authorization: `Bearer ${home.key}` } });
  const { data } = (await answer.json()) as { readonly data: readonly unknown[] };
  if (data.length !== PAGE) throw new Error(`a page has ${data.length} Posts, not ${PAGE}`);
  const { p50, p99 } = await sendLoad({
    url: api.url(),
    clients: 1,
    warmUp: { requests: run.sizes.listRequests },
    measured: { requests: run.sizes.listRequests },
    ratePerSecond: null,
    requests: { kind: 'get', path, key: home.key },
  });
  return { 'p50 ms': p50, 'p99 ms': p99 };
}

/** A Workspace of one Channel with so many Posts, made through the API. */
export async function smallHome(api: Api, posts: number): Promise<ApiHome> {
  const home = await api.openHome(1);
  const dueAt = Date.now() + DAY_MS;
  await home.schedule(
    Array.from({ length: posts }, (_, index) => ({
      text: `Listed ${index}. ${SENTENCE.repeat(6)}`,
      channels: [0],
      dueAt,
    })),
  );
  return home;
}

/**
 * A Workspace with so many Posts, written into the store, which wait for tomorrow and later. It has as many Channels as
 * one in which Posts are created beside none, so that the Posts of both have as many Variants.
 */
export async function filledHome(api: Api, posts: number): Promise<ApiHome> {
  const home = await api.openHome(CHANNELS);
  await api.fill(home, posts);
  return home;
}
