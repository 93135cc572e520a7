import type { Account } from '../accounts.ts';
import { json } from '../exchange.ts';
import type { Answer } from '../exchange.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import type { Items } from '../items.ts';
import type { RemoteIds } from '../remote-ids.ts';
import type { Timing } from '../timing.ts';
import { statusOf } from './containers.ts';
import type { Containers } from './containers.ts';
import { mediaNotFound, parameterError, quotaReached } from './graph-errors.ts';
import { permalinkPath } from './media.ts';
import type { PublishingQuota } from './quota.ts';
import { refuseText } from './text-rules.ts';

/** How long a text takes to be ready, before the timing factor. */
const TEXT_READY_MS = 1_000;

export interface PublishingDeps {
  readonly containers: Containers;
  readonly items: Items;
  readonly remoteIds: RemoteIds;
  readonly timing: Timing;
  readonly quota: PublishingQuota;
}

/** POST /{user}/threads */
export function createContainer(parameters: URLSearchParams, account: Account, fault: Fault<NetworkFault> | null, now: number, deps: PublishingDeps): Answer {
  if (parameters.get('media_type') !== 'TEXT') return parameterError('(#100) Param media_type must be one of {TEXT}.');
  if (parameters.get('auto_publish_text') === 'true') return parameterError('(#100) Param auto_publish_text is not available here: publish the container.');
  const text = parameters.get('text') ?? '';
  const refused = refuseText(text);
  if (refused !== null) return refused;
  const id = deps.remoteIds.next();
  const readyAt = fault?.fault === 'processing_stuck' ? null : now + deps.timing.scaled('threads', TEXT_READY_MS);
  const failure = fault?.fault === 'processing_failed' ? (fault.reason ?? 'UNKNOWN') : null;
  deps.containers.put({ id, accountId: account.accountId, text, createdAt: now, readyAt, failure, mediaId: null });
  return json(200, { id });
}

/**
 * POST /{user}/threads_publish. A container is published once: sending it again answers as for one that isn't there, and
 * publishes nothing. Whether it is live is what reading the container tells.
 */
export function publishContainer(parameters: URLSearchParams, account: Account, now: number, deps: PublishingDeps): Answer {
  const containerId = parameters.get('creation_id') ?? '';
  if (containerId === '') return parameterError('(#100) The parameter creation_id is required.');
  const container = deps.containers.get(containerId);
  if (container === null || container.accountId !== account.accountId || statusOf(container, now) !== 'FINISHED') return mediaNotFound(containerId);
  if (deps.quota.used(account.accountId, now) >= deps.quota.total()) return quotaReached();
  const mediaId = deps.remoteIds.next();
  deps.containers.put({ ...container, mediaId });
  deps.quota.count(account.accountId, now);
  deps.items.add({
    network: 'threads',
    accountId: account.accountId,
    remoteId: mediaId,
    placement: 'feed',
    text: container.text,
    media: [],
    altTexts: [],
    publishedAt: now,
    path: permalinkPath(account.username, mediaId),
  });
  return json(200, { id: mediaId });
}
