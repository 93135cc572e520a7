import type { ReconcileAnswer } from '../contract/adapter.ts';
import { foundAs, published } from '../contract/answers.ts';
import type { CallResult } from '../http/call.ts';
import { graphSummary } from './calls.ts';

/** A published post shows up in the account's list a few seconds later. */
const LIST_LAG_MS = 5_000;
const LIST_LOOKS = 4;

/** What the list of an account has of a container that is live. */
export interface ListedPosts {
  readonly container: string;
  /** Those that may be it; null: the list could not be read. */
  readonly posts: readonly { readonly id: string; readonly permalink: string | null }[] | null;
  readonly called: CallResult;
  /** What the answer is while the list may still lag. */
  readonly unlisted: 'processing' | 'unknown';
  readonly secrets: readonly string[];
}

/**
 * Which post a container that is live became, by the `asked`th look. Its id is worth a few looks; without it the
 * container's own id stands for it.
 */
export function identified(
  { container, posts, called, unlisted, secrets }: ListedPosts,
  { asked, waitFactor }: { readonly asked: number; readonly waitFactor: number },
): ReconcileAnswer {
  const summary = (detail: string) => graphSummary(called, detail, secrets);
  const nameless = published(container, null, summary('published; which post it became is not known'));
  const notListed: ReconcileAnswer =
    asked < LIST_LOOKS
      ? {
          kind: unlisted,
          delayMs: LIST_LAG_MS * waitFactor,
          summary: summary('published, but not in the list yet'),
        }
      : nameless;
  const [post, ...others] = posts ?? [];
  if (post === undefined) return notListed;
  if (others.length > 0) return nameless;
  return foundAs(post, summary(`published; found as ${post.id}`), notListed);
}
