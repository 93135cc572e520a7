import { json, type SandboxAnswer, type Incoming } from '../exchange.ts';
import type { Fields } from '../graph/fields.ts';
import { wholeOf } from './page-request.ts';
import { select } from './fields.ts';
import { parameterError } from './graph-errors.ts';

const DEFAULT_LIMIT = 25;
const MAX_RESULTS = 100;

/** The whole list in its order. `key`: unique in its list; cursors are made of it. */
export interface Entry {
  readonly key: string;
  readonly all: () => Fields;
}

export interface ListRules {
  readonly kind: string;
  /** The fields of each entry when none are requested. */
  readonly usual: readonly string[];
  readonly most?: number;
  readonly baseUrl: string;
  readonly token: string;
}

const cursorOf = (key: string): string => Buffer.from(key).toString('base64url');

/**
 * One page of a list: `limit` entries after the cursor `after`, and the address of the rest. That address holds the
 * token, as the real one does.
 */
export function listed(
  entries: readonly Entry[],
  { path, query }: Incoming,
  parameters: URLSearchParams,
  { kind, usual, most = MAX_RESULTS, baseUrl, token }: ListRules,
): SandboxAnswer {
  const limit = parameters.has('limit') ? wholeOf(parameters.get('limit')) : DEFAULT_LIMIT;
  if (limit < 1) return parameterError('(#100) Param limit must be a positive integer.');
  const after = parameters.get('after');
  const before = after === null ? -1 : entries.findIndex(({ key }) => cursorOf(key) === after);
  if (after !== null && before < 0) return parameterError('(#100) Param after is not a valid cursor.');
  const shown = entries.slice(before + 1, before + 1 + Math.min(limit, most));
  const data: Fields[] = [];
  for (const { all } of shown) {
    const selected = select(parameters, all(), kind, usual);
    if ('refused' in selected) return selected.refused;
    data.push(selected.fields);
  }
  // For an empty list the fields are not checked.
  if (shown.length === 0) return json(200, { data: [] });
  const cursors = { before: cursorOf(shown[0]!.key), after: cursorOf(shown.at(-1)!.key) };
  const next = new URLSearchParams(query);
  next.set('access_token', token);
  next.set('after', cursors.after);
  const more = before + 1 + shown.length < entries.length;
  return json(200, { data, paging: { cursors, ...(more ? { next: `${baseUrl}${path}?${next}` } : {}) } });
}
