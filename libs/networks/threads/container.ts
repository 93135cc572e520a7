import type { Publication } from '../adapter.ts';
import { call, listAt, textAt, type Called } from '../call.ts';
import { CALL_TIMEOUT_MS } from '../waits.ts';

/** `PUBLISHED` and `FINISHED` (= ready to publish) are the words of the Network; EXPIRED comes after 24 hours. */
export type ContainerStatus = 'IN_PROGRESS' | 'FINISHED' | 'PUBLISHED' | 'ERROR' | 'EXPIRED';

const STATUSES: ReadonlySet<string> = new Set(['IN_PROGRESS', 'FINISHED', 'PUBLISHED', 'ERROR', 'EXPIRED']);

/** `status` null: the container could not be read. */
export interface Container {
  readonly status: ContainerStatus | null;
  readonly errorMessage: string | null;
  readonly called: Called;
}

export function bearer(publication: Publication): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${publication.accessToken}` };
}

export async function readContainer(api: string, publication: Publication, handle: string): Promise<Container> {
  const called = await call(publication.http, {
    method: 'GET',
    url: `${api}/v1.0/${encodeURIComponent(handle)}?fields=id,status,error_message`,
    headers: bearer(publication),
    timeoutMs: CALL_TIMEOUT_MS,
  });
  const status = called.kind === 'answered' && called.status === 200 ? textAt(called.json, 'status') : null;
  const known = status !== null && STATUSES.has(status) ? (status as ContainerStatus) : null;
  return { status: known, errorMessage: known === null ? null : textAt((called as { readonly json?: unknown }).json, 'error_message'), called };
}

export interface OwnPost {
  readonly id: string;
  readonly permalink: string | null;
}

/** The clock of Threads and ours may differ. */
const CLOCK_SKEW_MS = 30_000;
const MOST_POSTS = 25;

/** The account's text posts since shortly before `armedAt` that say what the publication says; null when the list can't be read. */
export async function findOwnPosts(
  api: string,
  publication: Publication,
  armedAt: number,
): Promise<{ readonly posts: readonly OwnPost[] | null; readonly called: Called }> {
  const query = new URLSearchParams({
    fields: 'id,text,timestamp,permalink,media_type,children',
    since: String(Math.floor((armedAt - CLOCK_SKEW_MS) / 1000)),
    limit: String(MOST_POSTS),
  });
  const called = await call(publication.http, {
    method: 'GET',
    url: `${api}/v1.0/me/threads?${query}`,
    headers: bearer(publication),
    timeoutMs: CALL_TIMEOUT_MS,
  });
  if (called.kind === 'lost' || called.status !== 200) return { posts: null, called };
  const wanted = comparable(publication.text);
  const posts: OwnPost[] = [];
  for (const post of listAt(called.json, 'data')) {
    const id = textAt(post, 'id');
    if (id === null || textAt(post, 'media_type') !== 'TEXT_POST' || comparable(textAt(post, 'text') ?? '') !== wanted) continue;
    // `since` is a whole day at some Graph edges: judge by the post's own time.
    const at = instantOf(textAt(post, 'timestamp'));
    if (at !== null && at < armedAt - CLOCK_SKEW_MS) continue;
    posts.push({ id, permalink: textAt(post, 'permalink') });
  }
  return { posts, called };
}

function comparable(text: string): string {
  return text.normalize('NFC').trim();
}

/** Graph times: `2026-09-05T14:33:01+0000`, whole seconds. */
function instantOf(timestamp: string | null): number | null {
  const instant = Date.parse((timestamp ?? '').replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
  return Number.isNaN(instant) ? null : instant;
}
