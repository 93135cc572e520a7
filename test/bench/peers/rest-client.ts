import { Pool } from 'undici';
import type { DuePost, HomeState, Outcome } from './peer.ts';
import { TooLate } from './too-late.ts';

const CLIENTS = 32;
const PAGE = 500;

interface ApiHomeAddress {
  readonly url: string;
  readonly key: string;
  readonly channelIds: readonly string[];
  readonly accounts: readonly string[];
}

/** Creates Posts by the REST API, from several clients at once. Rejects with TooLate where an instant has passed. */
export async function createPosts(home: ApiHomeAddress, posts: readonly DuePost[]): Promise<void> {
  const pool = new Pool(home.url, { connections: CLIENTS, pipelining: 1 });
  const left = posts[Symbol.iterator]();
  const client = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) {
      const { text, channels, dueAt } = next.value;
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: '/api/posts',
        headers: { authorization: `Bearer ${home.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          text,
          channelIds: channels.map((channel) => home.channelIds[channel]),
          scheduledAt: new Date(dueAt).toISOString(),
        }),
      });
      const said = await body.text();
      if (statusCode === 422 && said.includes('too_early')) throw new TooLate();
      if (statusCode !== 201) throw new Error(`a Post was answered by ${statusCode}: ${said}`);
    }
  };
  const clients = await Promise.allSettled(Array.from({ length: CLIENTS }, client));
  await pool.close();
  const failed = clients.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

interface PostPage {
  readonly data: readonly {
    readonly text: string;
    readonly variants: readonly {
      readonly channelId: string;
      readonly status: string;
      readonly failureReason: string | null;
    }[];
  }[];
  readonly nextCursor: string | null;
}

const ENDED: ReadonlySet<string> = new Set(['published', 'failed', 'cancelled']);

/** Reads all Posts of a home. */
export async function homeState({ url, key, channelIds, accounts }: ApiHomeAddress): Promise<HomeState> {
  let [unfinished, cursor]: [number, string | null] = [0, null];
  const notPublished: Outcome[] = [];
  do {
    const query = new URLSearchParams({ limit: `${PAGE}`, ...(cursor === null ? {} : { cursor }) });
    const answer = await fetch(`${url}/api/posts?${query}`, { headers: { authorization: `Bearer ${key}` } });
    if (!answer.ok) throw new Error(`a page was answered by ${answer.status}: ${await answer.text()}`);
    const { data, nextCursor } = (await answer.json()) as PostPage;
    for (const { text, variants } of data)
      for (const { channelId, status, failureReason } of variants) {
        if (!ENDED.has(status)) unfinished++;
        else if (status !== 'published') {
          const outcome = failureReason === 'unconfirmed' ? 'unconfirmed' : 'failed';
          notPublished.push({ text, account: accounts[channelIds.indexOf(channelId)]!, outcome });
        }
      }
    cursor = nextCursor;
  } while (cursor !== null);
  return { unfinished, notPublished };
}
