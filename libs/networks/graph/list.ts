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
  let after: string | null = null;
  for (let page = 1; ; page++) {
    const called = await graphGet(caller, after === null ? url : `${url}&after=${encodeURIComponent(after)}`);
    if (called.kind === 'lost' || called.status !== 200 || !Array.isArray(at(called.json, 'data')))
      return { entries: null, isWhole: false, called };
    const data = listAt(called.json, 'data');
    entries.push(...data);
    after = textAt(called.json, 'paging', 'next') === null ? null : textAt(called.json, 'paging', 'cursors', 'after');
    const last = data.at(-1);
    if (after === null || (last !== undefined && isOld(last))) return { entries, isWhole: true, called };
    if (page === MAX_PAGES) return { entries, isWhole: false, called };
  }
}
