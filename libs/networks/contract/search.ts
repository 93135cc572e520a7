import type { FoundItem, ReconcileAnswer, SearchAnswer } from './adapter.ts';

/**
 * What a handle told, when that ends the search; null: the list is to be read, since another handle may have been used.
 */
export function conclusive(answer: ReconcileAnswer | null): SearchAnswer | null {
  if (answer === null) return null;
  if (answer.kind === 'published' || answer.kind === 'processing') return answer;
  return answer.kind === 'unknown' && answer.tokenRefused === true ? answer : null;
}

export function searched(
  items: readonly FoundItem[],
  { isProof, listedAfterMs, summary }: Omit<Extract<SearchAnswer, { kind: 'searched' }>, 'kind' | 'items'>,
): SearchAnswer {
  return { kind: 'searched', items, isProof, listedAfterMs, summary };
}
