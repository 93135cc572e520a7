import type { AccountAccess, Publication, PublishAnswer } from '../contract/adapter.ts';
import { published } from '../contract/answers.ts';
import { summaryOf, textAt } from '../http/call.ts';
import { TROUBLE_DELAY_MS } from '../contract/waits.ts';
import { permalinkOf, xPost, type XWork } from './calls.ts';
import { failureOf, problemOf } from './errors.ts';
import type { XHandle } from './handle.ts';

/** What X calls who may reply. Everybody may where a post does not say. */
const REPLY_SETTINGS = { everyone: null, following: 'following', mentioned: 'mentionedUsers' } as const;

/** The one call that makes the post. */
export async function publish(work: XWork, handle: XHandle | null): Promise<PublishAnswer> {
  return sendPost(work, postOf(work.publication, handle));
}

/**
 * Makes a post, or a reply, which is a post of its own. X refuses a token, as it refuses anything else by an answer of
 * its own, before it makes a post: the refusal proves that there is none.
 */
export async function sendPost(work: XWork<AccountAccess>, post: object): Promise<PublishAnswer> {
  const { publication } = work;
  const called = await xPost(work, '/2/tweets', post, work.publishTimeoutMs);
  const secrets = [publication.accessToken];
  if (called.kind === 'lost') {
    const summary = summaryOf(called, '', secrets);
    if (called.sent) return { kind: 'unknown', summary };
    return {
      kind: 'failed',
      failure: { reason: 'platform_problem', detail: summary.detail, retry: 'later', delayMs: TROUBLE_DELAY_MS },
      summary,
    };
  }
  const remoteId = textAt(called.json, 'data', 'id');
  if ((called.status === 201 || called.status === 200) && remoteId !== null) {
    return published(remoteId, permalinkOf(work, remoteId), summaryOf(called, `published as ${remoteId}`));
  }
  const summary = summaryOf(called, problemOf(called).detail, secrets);
  const failure = failureOf(called, 'publish', publication.now);
  if (failure === 'reconcile') return { kind: 'unknown', summary };
  // Files that X refuses are not offered to it again.
  const next = failure.reason === 'media_problem' ? { handle: null } : {};
  return { kind: 'failed', failure: { ...failure, detail: summary.detail }, ...next, summary };
}

function postOf({ text, media, options }: Publication, handle: XHandle | null): object {
  const { replySettings = 'everyone', madeWithAi = false } = options;
  const settings = REPLY_SETTINGS[replySettings];
  const chosen = {
    ...(settings === null ? {} : { reply_settings: settings }),
    ...(madeWithAi ? { made_with_ai: true } : {}),
  };
  if (media.length === 0) return { text, ...chosen };
  const files = handle?.files.filter(({ state }) => state === 'ready') ?? [];
  if (files.length !== media.length)
    throw new Error(`a post on X of ${media.length} files, ${files.length} of them uploaded`);
  const named = { media: { media_ids: files.map((file) => file.media) } };
  return { ...(text.trim() === '' ? {} : { text }), ...named, ...chosen };
}
