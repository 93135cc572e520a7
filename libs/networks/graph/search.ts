import type { CallSummary } from '../contract/adapter.ts';
import { askingOf } from '../contract/waits.ts';
import type { Failure } from '#domain/variant/failure.ts';
import type { FoundItem, SearchAnswer, Sought } from '../contract/adapter.ts';
import { comparable } from '../contract/comparable-text.ts';
import { searched } from '../contract/search.ts';
import { textAt, type HttpAnswer } from '../http/call.ts';
import { graphSummary, unread, type GraphCaller } from './calls.ts';
import { readGraphList } from './list.ts';
import { CLOCK_SKEW_MS, instantOf } from './time.ts';

/** A list of what an account published, and how to tell what is sought in it. */
export interface GraphSearch {
  /** With a query. */
  readonly url: string;
  /** The field of an entry that has its instant. */
  readonly timeField: string;
  /** The same words; null: no words, so that it can't be told from what has none either. */
  readonly text: string;
  readonly textOf: (entry: unknown) => string | null;
  /** Entries of other people, or of other kinds, are none. */
  readonly isOwn?: (entry: unknown) => boolean;
  readonly permalinkOf: (entry: unknown) => string | null;
  readonly listedAfterMs: number;
  readonly judge: (answer: HttpAnswer) => Failure;
}

/** What an account published since then that says the same, by one list of it. */
export async function searchGraphList(
  caller: GraphCaller & { readonly now: number },
  { url, timeField, text, textOf, isOwn = () => true, permalinkOf, listedAfterMs, judge }: GraphSearch,
  sought: Sought,
): Promise<SearchAnswer> {
  const { since } = sought;
  const secrets = [caller.accessToken];
  const madeAt = (entry: unknown): number | null => instantOf(textAt(entry, timeField));
  const isOld = (entry: unknown): boolean => (madeAt(entry) ?? Infinity) < since - CLOCK_SKEW_MS;
  const { entries, isWhole, called } = await readGraphList(caller, url, isOld);
  if (entries === null) return unread(called, judge, secrets, { ...askingOf(sought), now: caller.now });
  const wanted = comparable(text);
  const alike = entries.filter((entry) => !isOld(entry) && isOwn(entry) && comparable(textOf(entry) ?? '') === wanted);
  const items = alike.flatMap((entry): readonly FoundItem[] => {
    const remoteId = textAt(entry, 'id');
    return remoteId === null ? [] : [{ remoteId, permalink: permalinkOf(entry), publishedAt: madeAt(entry) }];
  });
  const summary = (detail: string): CallSummary => graphSummary(called, detail, secrets);
  if (wanted === '' && items.length > 0)
    return searched([], {
      isProof: false,
      listedAfterMs,
      summary: summary('without words nothing tells it from others'),
    });
  const detail = isWhole ? 'not in the list of the account' : 'the list of the account does not reach back so far';
  return searched(items, { isProof: isWhole, listedAfterMs, summary: summary(detail) });
}
