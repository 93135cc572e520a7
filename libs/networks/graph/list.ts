import { at, listAt, textAt, type CallResult } from '../http/call.ts';
import { graphGet, type GraphCaller } from './calls.ts';

const MAX_PAGES = 32;

/** Entries of a list, newest first. */
export interface GraphList {
  /** null: it could not be read. */
  readonly entries: readonly unknown[] | null;
  /** It was read to its end, or to an entry that is old enough. */
  readonly isWhole: boolean;
  readonly called: CallResult;
}

/** Reads a list, newest first, page by page, until it ends or `isOld` is true of an entry. */
export async function readGraphList(
  caller: GraphCaller,
  url: string,
  isOld: (entry: unknown) => boolean,
): Promise<GraphList> {
  const entries: unknown[] = [];
  let address = url;
  for (let page = 1; ; page++) {
    const called = await graphGet(caller, address);
    if (called.kind === 'lost' || called.status !== 200 || !Array.isArray(at(called.json, 'data')))
      return { entries: null, isWhole: false, called };
    const data = listAt(called.json, 'data');
    entries.push(...data);
    const next = textAt(called.json, 'paging', 'next');
    const last = data.at(-1);
    if (next === null || (last !== undefined && isOld(last))) return { entries, isWhole: true, called };
    const rest = restOf(url, next, textAt(called.json, 'paging', 'cursors', 'after'));
    if (rest === null || page === MAX_PAGES) return { entries, isWhole: false, called };
    address = rest;
  }
}

/**
 * Where the rest of a list is: behind its cursor, or as the address `next` asks where a list goes on by time and has
 * none. That address holds the token, so only its query is used. null: it is no address.
 */
function restOf(url: string, next: string, after: string | null): string | null {
  if (after !== null) return `${url}&after=${encodeURIComponent(after)}`;
  if (!URL.canParse(next)) return null;
  const query = new URL(next).searchParams;
  query.delete('access_token');
  return `${url.slice(0, url.indexOf('?'))}?${query}`;
}
