import type { AccountAccess, ChoicesAnswer, NetworkChoices, NetworkEndpoints } from '../contract/adapter.ts';
import { at, listAt, summaryOf, textAt, type CallResult } from '../http/call.ts';
import { youtubeFailure, youtubeGet, type YouTubeCaller } from './calls.ts';

/** Reading takes up to six of the 10,000 units a day that YouTube gives our project for the channels of everyone. */
const FRESH_FOR_MS = 10 * 60_000;
const PAGE = '50';
/** Of playlists: more than two hundred are none to choose from. */
const MAX_PAGES = 4;
/** Where a channel names no country. */
const REGION = 'US';

interface Choice {
  readonly id: string;
  readonly title: string;
}

type Refusal = Exclude<ChoicesAnswer, { kind: 'ok' }>;

/** The channel's playlists, and the categories that videos of its country may have. */
export function createYouTubeChoices({ api }: NetworkEndpoints): NetworkChoices {
  return {
    network: 'youtube',
    freshForMs: FRESH_FOR_MS,
    read: async (access) => {
      const caller: YouTubeCaller = { at: { api }, publication: access };
      const playlists = await playlistsOf(caller);
      if (!Array.isArray(playlists)) return playlists;
      const categories = await categoriesOf(caller);
      if (!Array.isArray(categories)) return categories;
      const detail = `${playlists.length} playlists, ${categories.length} categories`;
      return { kind: 'ok', choices: { playlists, categories }, summary: { status: 200, detail } };
    },
  };
}

async function playlistsOf(caller: YouTubeCaller): Promise<Choice[] | Refusal> {
  const found: Choice[] = [];
  let next: string | null = '';
  for (let page = 0; next !== null && page < MAX_PAGES; page++) {
    const more = next === '' ? {} : { pageToken: next };
    const called = await youtubeGet(caller, '/playlists', { part: 'snippet', mine: 'true', maxResults: PAGE, ...more });
    if (!hasItems(called)) return refusalOf(caller.publication, called);
    found.push(...choicesIn(listAt(called.json, 'items')));
    next = textAt(called.json, 'nextPageToken');
  }
  return found;
}

async function categoriesOf(caller: YouTubeCaller): Promise<Choice[] | Refusal> {
  const channel = await youtubeGet(caller, '/channels', { part: 'snippet', mine: 'true' });
  if (!hasItems(channel)) return refusalOf(caller.publication, channel);
  const regionCode = textAt(channel.json, 'items', 0, 'snippet', 'country') ?? REGION;
  const called = await youtubeGet(caller, '/videoCategories', { part: 'snippet', regionCode });
  if (!hasItems(called)) return refusalOf(caller.publication, called);
  return choicesIn(listAt(called.json, 'items').filter((item) => at(item, 'snippet', 'assignable') === true));
}

function hasItems(called: CallResult): called is Extract<CallResult, { kind: 'answered' }> {
  return called.kind === 'answered' && called.status === 200 && Array.isArray(at(called.json, 'items') ?? []);
}

function choicesIn(items: readonly unknown[]): Choice[] {
  return items.flatMap((item) => {
    const [id, title] = [textAt(item, 'id'), textAt(item, 'snippet', 'title')];
    return id === null ? [] : [{ id, title: title ?? id }];
  });
}

function refusalOf({ now, accessToken }: AccountAccess, called: CallResult): Refusal {
  const { failure, summary } = youtubeFailure(called, now, [accessToken]);
  const isRefused = called.kind === 'answered' && failure.reason === 'needs_reconnect';
  return isRefused
    ? { kind: 'refused', summary: summaryOf(called, summary.detail) }
    : { kind: 'unavailable', summary: summaryOf(called, summary.detail) };
}
