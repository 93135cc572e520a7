import { json, type SandboxAnswer } from '../exchange.ts';
import { badParameter, missingParameter } from './errors.ts';
import type { UploadRequest } from './upload-request.ts';

/** The most results of a page, of most lists. */
export const MAX_RESULTS = 50;
const RESULTS = 5;
export const ETAG = 'sandbox';

/** A resource's parts, each made only when it is requested. */
export type ResourceParts = Readonly<Record<string, () => unknown>>;

export const pick = (all: ResourceParts, parts: readonly string[]): object =>
  Object.fromEntries(parts.filter((part) => Object.hasOwn(all, part)).map((part) => [part, all[part]!()]));

/** The requested parts, or why they are refused. */
export function readParts(
  { query }: Pick<UploadRequest, 'query'>,
  known: readonly string[],
): readonly string[] | SandboxAnswer {
  const parts = (query.get('part') ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length === 0) return missingParameter('part');
  const unknown = parts.find((part) => part !== 'id' && !known.includes(part));
  return unknown === undefined ? parts : badParameter('unknownPart', 'part', unknown);
}

export function listOf(kind: string, items: readonly object[], more: object = {}): SandboxAnswer {
  return json(200, {
    kind: `youtube#${kind}`,
    etag: ETAG,
    ...more,
    items,
    pageInfo: { totalResults: items.length, resultsPerPage: items.length },
  });
}

export interface ListPage<T> {
  readonly shown: readonly T[];
  /** The token of the next page, where there is one. */
  readonly more: { readonly nextPageToken?: string };
}

/**
 * The page of `all` that the query asks for. `keyOf` gives the token of the page after an entry; entries are in the
 * order of the list, each with a key of its own.
 */
export function pageOf<T>(
  all: readonly T[],
  { query }: Pick<UploadRequest, 'query'>,
  keyOf: (entry: T) => string,
  most = MAX_RESULTS,
): ListPage<T> | SandboxAnswer {
  const wanted = query.get('maxResults') ?? String(RESULTS);
  if (!/^\d{1,3}$/.test(wanted) || Number(wanted) > most) return badParameter('invalidParameter', 'maxResults', wanted);
  const token = query.get('pageToken');
  const at = token === null ? -1 : all.findIndex((entry) => keyOf(entry) === token);
  if (token !== null && at < 0) return badParameter('invalidPageToken', 'pageToken', token);
  const rest = all.slice(at + 1);
  const shown = rest.slice(0, Number(wanted));
  return {
    shown,
    more: rest.length > shown.length && shown.length > 0 ? { nextPageToken: keyOf(shown.at(-1)!) } : {},
  };
}
