import type {
  ArmedCall,
  NetworkAdapter,
  NetworkEndpoints,
  Publication,
  PublishAnswer,
  ReconcileAnswer,
} from '../contract/adapter.ts';
import { summaryOf, textAt } from '../http/call.ts';
import { askAgainMs, mayGiveUp, PUBLISH_TIMEOUT_MS, TROUBLE_DELAY_MS, type AdapterOptions } from '../contract/waits.ts';
import { xPost } from './calls.ts';
import { failureOf, problemOf } from './errors.ts';
import { parseHandle, type XHandle } from './handle.ts';
import { prepareFiles } from './prepare.ts';
import { findOnTimeline } from './timeline.ts';

/**
 * When to look at the timeline, after arming: a post may take a while to appear. After the last look nobody will ever
 * know.
 */
const LOOKS_MS = [10_000, 60_000, 180_000] as const;

/**
 * X: one call makes a post, nothing names it before but the ids of its files, and the account's timeline is the only
 * witness.
 */
export function createXAdapter(endpoints: NetworkEndpoints, options: AdapterOptions = {}): NetworkAdapter {
  const publishTimeoutMs = options.publishTimeoutMs ?? PUBLISH_TIMEOUT_MS;
  const waitFactor = options.waitFactor ?? 1;
  return {
    network: 'x',
    publishTimeoutMs,
    prepare: async (publication, handle) => {
      if (publication.placement === 'story') {
        const detail = 'X has no Stories.';
        return {
          kind: 'failed',
          failure: { reason: 'rejected_by_platform', detail, retry: 'never' },
          summary: { status: 0, detail },
        };
      }
      if (publication.media.length === 0)
        return { kind: 'ready', handle: null, summary: { status: 0, detail: 'nothing to prepare' } };
      return prepareFiles({ api: endpoints.api, waitFactor, publication }, parseHandle(handle));
    },
    publish: async (publication, handle) => publish(endpoints, publishTimeoutMs, publication, parseHandle(handle)),
    reconcile: (publication, armed) => reconcile(endpoints, publication, armed),
  };
}

async function publish(
  { api, site }: NetworkEndpoints,
  timeoutMs: number,
  publication: Publication,
  handle: XHandle | null,
): Promise<PublishAnswer> {
  const called = await xPost({ api, publication }, '/2/tweets', postOf(publication, handle), timeoutMs);
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
    return {
      kind: 'published',
      remoteId,
      permalink: permalinkOf(site, publication.username, remoteId),
      summary: summaryOf(called, `published as ${remoteId}`),
    };
  }
  const summary = summaryOf(called, problemOf(called).detail, secrets);
  const failure = failureOf(called, 'publish', publication.now);
  if (failure === 'reconcile') return { kind: 'unknown', summary };
  // Files that X refuses are not offered to it again.
  const next = failure.reason === 'media_problem' ? { handle: null } : {};
  return { kind: 'failed', failure: { ...failure, detail: summary.detail }, ...next, summary };
}

function postOf({ text, media }: Publication, handle: XHandle | null): object {
  if (media.length === 0) return { text };
  const files = handle?.files.filter(({ state }) => state === 'ready') ?? [];
  if (files.length !== media.length)
    throw new Error(`a post on X of ${media.length} files, ${files.length} of them uploaded`);
  return { ...(text.trim() === '' ? {} : { text }), media: { media_ids: files.map((file) => file.media) } };
}

async function reconcile(
  { api, site }: NetworkEndpoints,
  publication: Publication,
  armed: ArmedCall,
): Promise<ReconcileAnswer> {
  const sinceMs = publication.now - armed.armedAt;
  const [first] = LOOKS_MS;
  if (sinceMs < first)
    return {
      kind: 'unknown',
      delayMs: first - sinceMs,
      summary: { status: 0, detail: 'too early to look at the timeline' },
    };
  const found = await findOnTimeline(api, publication, armed);
  if (found.kind === 'unreadable') return unreadable(found.last, publication, armed);
  const [remoteId, ...others] = found.ids;
  if (remoteId !== undefined && others.length === 0) {
    return {
      kind: 'published',
      remoteId,
      permalink: permalinkOf(site, publication.username, remoteId),
      summary: summaryOf(found.last, `found on the timeline as ${remoteId}`),
    };
  }
  if (remoteId !== undefined)
    return { kind: 'unknown', delayMs: null, summary: summaryOf(found.last, 'several posts on the timeline say this') };
  const next = LOOKS_MS.find((look) => look > sinceMs);
  return {
    kind: 'unknown',
    delayMs: next === undefined ? null : next - sinceMs,
    summary: summaryOf(found.last, 'not on the timeline; it may still be live'),
  };
}

function unreadable(
  last: Parameters<typeof summaryOf>[0],
  publication: Publication,
  armed: ArmedCall,
): ReconcileAnswer {
  const delayMs = mayGiveUp(armed, publication.now) ? null : askAgainMs(armed.asked);
  if (last.kind === 'lost')
    return { kind: 'unknown', delayMs, summary: summaryOf(last, '', [publication.accessToken]) };
  const failure = failureOf(last, 'other', publication.now);
  const summary = summaryOf(last, problemOf(last).detail, [publication.accessToken]);
  if (failure === 'reconcile') return { kind: 'unknown', delayMs, summary };
  if (failure.retry === 'refresh' || failure.retry === 'afterReconnect')
    return { kind: 'unknown', delayMs, tokenRefused: true, summary };
  // An exhausted window opens when X says; asking earlier only lengthens it.
  return {
    kind: 'unknown',
    delayMs:
      delayMs === null ? null : Math.max(delayMs, failure.reason === 'rate_limited' ? (failure.delayMs ?? 0) : 0),
    summary,
  };
}

function permalinkOf(site: string, username: string, remoteId: string): string {
  return `${site}/${username === '' ? 'i' : username}/status/${remoteId}`;
}
