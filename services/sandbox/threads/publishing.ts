import type { AccountStates } from '../account-states.ts';
import type { Account } from '../accounts.ts';
import { json, type SandboxAnswer, type Incoming } from '../exchange.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import type { FetchFile } from '../files/fetch-file.ts';
import type { SandboxFile } from '../files/files.ts';
import type { Items } from '../items.ts';
import type { Limits } from '../limits.ts';
import type { RemoteIds } from '../remote-ids.ts';
import type { Timing } from '../timing.ts';
import type { Uses } from '../uses.ts';
import { childIds, refuseChildren } from './carousel.ts';
import { statusOf } from '../graph/container-status.ts';
import type { Container, Containers, ErrorMessage } from './containers.ts';
import { isImage, judgeImage, judgeVideo, MAX_FILE_BYTES } from './file-rules.ts';
import { mediaNotFound, mediaUnreachable, parameterError, quotaReached } from './graph-errors.ts';
import { permalinkPath } from './media.ts';
import { cardOf, optionsOf, refuseOptions, itemOptionsOf } from './post-options.ts';
import { repliesOf, type PublishingQuota, type ThreadsLimit } from './quota.ts';
import { rootOf, shownFiles } from './replies.ts';
import { refuseText } from './text-rules.ts';

/** How long processing takes, before the timing factor. */
const READY_MS = { TEXT: 1_000, IMAGE: 2_000, VIDEO: 20_000, CAROUSEL: 2_000 } as const;
const MAX_ALT_TEXT = 1_000;
const URL_PARAMETERS = { IMAGE: 'image_url', VIDEO: 'video_url' } as const;

export interface PublishingOptions {
  readonly containers: Containers;
  readonly items: Items;
  readonly remoteIds: RemoteIds;
  readonly timing: Timing;
  readonly quota: PublishingQuota;
  readonly limits: Limits<ThreadsLimit>;
  readonly uses: Uses;
  readonly accountStates: AccountStates;
  readonly fetchFile: FetchFile;
}

export interface NewContainer {
  readonly request: Incoming;
  readonly parameters: URLSearchParams;
  readonly account: Account;
  readonly fault: Fault<NetworkFault> | null;
  readonly now: number;
}

type Kind = Container['kind'];
const isKind = (kind: string): kind is Kind => Object.hasOwn(READY_MS, kind);
const hasFile = (kind: Kind): kind is keyof typeof URL_PARAMETERS => Object.hasOwn(URL_PARAMETERS, kind);

/** The problem with a new container that shows without its file; null: none. */
function refuseParameters(kind: Kind, parameters: URLSearchParams): SandboxAnswer | null {
  const text = parameters.get('text') ?? '';
  const isChild = parameters.get('is_carousel_item') === 'true';
  if (parameters.get('auto_publish_text') === 'true')
    return parameterError('(#100) Param auto_publish_text is not available here: publish the container.');
  if (isChild && !hasFile(kind)) return parameterError('(#100) Param is_carousel_item is for images and videos only.');
  if (isChild && text !== '') return parameterError('(#100) Param text is not for items of a carousel.');
  if (kind !== 'TEXT' && parameters.has('link_attachment'))
    return parameterError('(#100) Param link_attachment is for text posts only.');
  const refused = refuseOptions(parameters) ?? (kind === 'TEXT' || text !== '' ? refuseText(text) : null);
  if (refused !== null) return refused;
  if ([...(parameters.get('alt_text') ?? '')].length > MAX_ALT_TEXT)
    return parameterError(`(#100) Param alt_text must be at most ${MAX_ALT_TEXT} characters long.`);
  return hasFile(kind) && !parameters.get(URL_PARAMETERS[kind])
    ? parameterError(`(#100) The parameter ${URL_PARAMETERS[kind]} is required.`)
    : null;
}

interface FetchResult {
  readonly file: SandboxFile | null;
  /** The outcome of processing; null: success. */
  readonly failure: ErrorMessage | null;
}

/**
 * Fetches the file now. A missing or invalid image is answered at once; a video's problems show when its processing
 * ends.
 */
async function fetchMedia(
  kind: keyof typeof URL_PARAMETERS,
  { parameters, fault }: NewContainer,
  { fetchFile }: PublishingOptions,
): Promise<FetchResult | SandboxAnswer> {
  const file =
    fault?.fault === 'media_fetch_blocked'
      ? null
      : await fetchFile(parameters.get(URL_PARAMETERS[kind])!, MAX_FILE_BYTES);
  if (kind === 'VIDEO') return { file, failure: file === null ? 'FAILED_DOWNLOADING_VIDEO' : judgeVideo(file) };
  return file === null || !isImage(file) ? mediaUnreachable() : { file, failure: judgeImage(file) };
}

/** POST /{user}/threads. Files are fetched now; their problems show when processing ends. */
export async function createContainer(call: NewContainer, options: PublishingOptions): Promise<SandboxAnswer> {
  const { request, parameters, account, fault, now } = call;
  const kind = parameters.get('media_type') ?? '';
  if (!isKind(kind))
    return parameterError(`(#100) Param media_type must be one of {${Object.keys(READY_MS).join(', ')}}.`);
  const refused = refuseParameters(kind, parameters);
  if (refused !== null) return refused;
  const replyTo = parameters.get('reply_to_id') || null;
  if (replyTo !== null && rootOf(replyTo, account.accountId, options.items) === null) return mediaNotFound(replyTo);
  const fetched = hasFile(kind) ? await fetchMedia(kind, call, options) : { file: null, failure: null };
  if ('status' in fetched) return fetched;
  const children = kind === 'CAROUSEL' ? childIds(request, parameters) : [];
  const wrongChildren =
    kind === 'CAROUSEL' ? refuseChildren(children, account.accountId, now, options.containers) : null;
  if (wrongChildren !== null) return wrongChildren;
  const id = options.remoteIds.next();
  const readyAt = fault?.fault === 'processing_stuck' ? null : now + options.timing.scaled('threads', READY_MS[kind]);
  const failure = fault?.fault === 'processing_failed' ? (fault.reason ?? 'UNKNOWN') : fetched.failure;
  const about = {
    kind,
    isChild: parameters.get('is_carousel_item') === 'true',
    text: parameters.get('text') ?? '',
    altText: parameters.get('alt_text') || null,
  };
  options.containers.put({
    id,
    accountId: account.accountId,
    ...about,
    ...optionsOf(parameters),
    ...(replyTo === null ? {} : { replyTo }),
    file: fetched.file,
    children,
    createdAt: now,
    readyAt,
    failure,
    mediaId: null,
  });
  return json(200, { id });
}

/**
 * POST /{user}/threads_publish. A container is published once: sending it again gets the answer for a missing one, and
 * publishes nothing. Reading the container shows whether it is live.
 */
export function publishContainer(
  parameters: URLSearchParams,
  account: Account,
  now: number,
  options: PublishingOptions,
): SandboxAnswer {
  const containerId = parameters.get('creation_id') ?? '';
  if (containerId === '') return parameterError('(#100) The parameter creation_id is required.');
  const container = options.containers.get(containerId);
  if (
    container === null ||
    container.accountId !== account.accountId ||
    container.isChild ||
    container.isLost === true ||
    statusOf(container, now) !== 'FINISHED'
  )
    return mediaNotFound(containerId);
  if (options.accountStates.takeLostContainer(account.accountId)) {
    options.containers.put({ ...container, isLost: true });
    return mediaNotFound(containerId);
  }
  return container.replyTo === undefined
    ? publishPost(container, account, now, options)
    : publishReply(container, container.replyTo, account, { ...options, now });
}

function publishPost(container: Container, account: Account, now: number, options: PublishingOptions): SandboxAnswer {
  if (options.quota.used(account.accountId, now) >= options.quota.total()) return quotaReached();
  const mediaId = options.remoteIds.next();
  options.containers.put({ ...container, mediaId, publishedAt: now });
  options.quota.count(account.accountId, now);
  options.items.add({
    network: 'threads',
    accountId: account.accountId,
    remoteId: mediaId,
    placement: 'feed',
    text: container.text,
    ...shownFiles(container, options.containers),
    publishedAt: now,
    path: permalinkPath(account.username, mediaId),
    options: itemOptionsOf(container),
    link: cardOf(container),
  });
  return json(200, { id: mediaId });
}

function publishReply(
  container: Container,
  replyTo: string,
  { accountId, username }: Account,
  options: PublishingOptions & { readonly now: number },
): SandboxAnswer {
  const { items, uses, limits, now } = options;
  const root = rootOf(replyTo, accountId, items);
  if (root === null) return mediaNotFound(replyTo);
  if (!uses.admit(repliesOf(accountId), limits.get('repliesPerDay'), now)) return quotaReached();
  const mediaId = options.remoteIds.next();
  options.containers.put({ ...container, mediaId, publishedAt: now });
  const path = permalinkPath(username, mediaId);
  items.comment(root, { remoteId: mediaId, text: container.text, publishedAt: now, path });
  return json(200, { id: mediaId });
}
