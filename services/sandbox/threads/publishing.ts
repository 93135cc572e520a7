import type { Account } from '../accounts.ts';
import { isRecord, json } from '../exchange.ts';
import type { Answer, Incoming } from '../exchange.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import type { FetchFile } from '../files/fetch-file.ts';
import type { SandboxFile } from '../files/files.ts';
import type { Items } from '../items.ts';
import type { RemoteIds } from '../remote-ids.ts';
import type { Timing } from '../timing.ts';
import { statusOf } from './containers.ts';
import type { Container, Containers } from './containers.ts';
import { mediaNotFound, mediaUnreachable, parameterError, quotaReached } from './graph-errors.ts';
import { permalinkPath } from './media.ts';
import type { PublishingQuota } from './quota.ts';
import { refuseText } from './text-rules.ts';

/** How long processing takes, before the timing factor. */
const READY_MS = { TEXT: 1_000, IMAGE: 2_000, VIDEO: 20_000, CAROUSEL: 2_000 } as const;
const MOST_ALT_TEXT = 1_000;
const MOST_ITEMS = 20;

export interface PublishingDeps {
  readonly containers: Containers;
  readonly items: Items;
  readonly remoteIds: RemoteIds;
  readonly timing: Timing;
  readonly quota: PublishingQuota;
  readonly fetchFile: FetchFile;
}

export interface NewContainer {
  readonly request: Incoming;
  readonly parameters: URLSearchParams;
  readonly account: Account;
  readonly fault: Fault<NetworkFault> | null;
  readonly now: number;
}

const isKind = (kind: string): kind is Container['kind'] => Object.hasOwn(READY_MS, kind);

/** What the file may not be, in the words of `error_message`; null: it will do. */
function judge({ contentType, bytes, width, height, durationMs }: SandboxFile, kind: Container['kind']): string | null {
  const ratio = width / height;
  if (kind === 'IMAGE') {
    if ((contentType !== 'image/jpeg' && contentType !== 'image/png') || bytes > 8_388_608) return 'UNKNOWN';
    return ratio > 10 || ratio < 0.1 ? 'INVALID_ASPEC_RATIO' : null;
  }
  if (contentType !== 'video/mp4' && contentType !== 'video/quicktime') return 'FAILED_PROCESSING_VIDEO';
  if (ratio > 10 || ratio < 0.01) return 'INVALID_ASPEC_RATIO';
  return durationMs > 300_000 ? 'INVALID_DURATION' : null;
}

/** A comma list, or a JSON array. */
function childIds({ request, parameters }: NewContainer): readonly string[] {
  const body = request.json();
  if (isRecord(body) && Array.isArray(body['children'])) return body['children'].map(String);
  return (parameters.get('children') ?? '').replace(/[[\]"\s]/g, '').split(',').filter((id) => id !== '');
}

function refuseChildren(ids: readonly string[], { account, now }: NewContainer, { containers }: PublishingDeps): Answer | null {
  if (ids.length < 2 || ids.length > MOST_ITEMS || new Set(ids).size < ids.length) return parameterError(`(#100) Param children must name 2 to ${MOST_ITEMS} different items.`);
  for (const id of ids) {
    const child = containers.get(id);
    if (child === null || child.accountId !== account.accountId || !child.isChild) return parameterError(`(#100) Param children names ${id.slice(0, 60)}, which is no item of a carousel.`);
    if (statusOf(child, now) !== 'FINISHED') return mediaNotFound(id);
  }
  return null;
}

/** POST /{user}/threads. Files are fetched now; what is wrong with them shows when processing ends. */
export async function createContainer(asked: NewContainer, deps: PublishingDeps): Promise<Answer> {
  const { parameters, account, fault, now } = asked;
  const kind = parameters.get('media_type') ?? '';
  if (!isKind(kind)) return parameterError(`(#100) Param media_type must be one of {${Object.keys(READY_MS).join(', ')}}.`);
  if (parameters.get('auto_publish_text') === 'true') return parameterError('(#100) Param auto_publish_text is not available here: publish the container.');
  const text = parameters.get('text') ?? '';
  const isChild = parameters.get('is_carousel_item') === 'true';
  const refused = kind === 'TEXT' || text !== '' ? refuseText(text) : null;
  if (refused !== null) return refused;
  const altText = parameters.get('alt_text');
  if (altText !== null && altText.length > MOST_ALT_TEXT) return parameterError(`(#100) Param alt_text must be at most ${MOST_ALT_TEXT} characters long.`);
  const name = kind === 'IMAGE' ? 'image_url' : kind === 'VIDEO' ? 'video_url' : null;
  const url = name === null ? null : parameters.get(name);
  if (name !== null && !url) return parameterError(`(#100) The parameter ${name} is required.`);
  const file = url === null || fault?.fault === 'media_fetch_blocked' ? null : await deps.fetchFile(url, 1_073_741_824);
  if (name !== null && file === null) return mediaUnreachable();
  const children = kind === 'CAROUSEL' ? childIds(asked) : [];
  const wrongChildren = kind === 'CAROUSEL' ? refuseChildren(children, asked, deps) : null;
  if (wrongChildren !== null) return wrongChildren;
  const id = deps.remoteIds.next();
  const readyAt = fault?.fault === 'processing_stuck' ? null : now + deps.timing.scaled('threads', READY_MS[kind]);
  const failure = fault?.fault === 'processing_failed' ? (fault.reason ?? 'UNKNOWN') : file === null ? null : judge(file, kind);
  deps.containers.put({ id, accountId: account.accountId, kind, isChild, text, altText, file, children, createdAt: now, readyAt, failure, mediaId: null });
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
  if (container === null || container.accountId !== account.accountId || container.isChild || statusOf(container, now) !== 'FINISHED') return mediaNotFound(containerId);
  if (deps.quota.used(account.accountId, now) >= deps.quota.total()) return quotaReached();
  const mediaId = deps.remoteIds.next();
  deps.containers.put({ ...container, mediaId });
  deps.quota.count(account.accountId, now);
  const shown = container.kind === 'TEXT' ? [] : container.kind === 'CAROUSEL' ? container.children.map((id) => deps.containers.get(id)!) : [container];
  deps.items.add({
    network: 'threads',
    accountId: account.accountId,
    remoteId: mediaId,
    placement: 'feed',
    text: container.text,
    media: shown.map(({ file }) => ({ sha256: file!.sha256, bytes: file!.bytes, contentType: file!.contentType })),
    altTexts: shown.map(({ altText }) => altText),
    publishedAt: now,
    path: permalinkPath(account.username, mediaId),
  });
  return json(200, { id: mediaId });
}
