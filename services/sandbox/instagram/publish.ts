import { json, type SandboxAnswer } from '../exchange.ts';
import type { ContainerRequest, InstagramOptions } from './container-request.ts';
import type { ItemOptions } from '../items.ts';
import { statusOf } from '../graph/container-status.ts';
import type { Container } from './containers.ts';
import {
  builderMissing,
  containerExpired,
  mediaNotFound,
  notReady,
  parameterError,
  quotaReached,
} from './graph-errors.ts';

/** The letters of a permalink encode the id, so a page is found by its address alone. */
export const shortcodeOf = (mediaId: string): string => BigInt(mediaId).toString(36);

export function mediaIdOf(shortcode: string): string {
  if (!/^[0-9a-z]{1,14}$/.test(shortcode)) return '';
  return [...shortcode].reduce((id, letter) => id * 36n + BigInt(parseInt(letter, 36)), 0n).toString();
}

export function permalinkPath(kind: Container['kind'], username: string, mediaId: string): string {
  return kind === 'story'
    ? `/sim/instagram/stories/${username}/${mediaId}`
    : `/sim/instagram/${kind === 'reel' ? 'reel' : 'p'}/${shortcodeOf(mediaId)}/`;
}

/** The tags of every picture, in the order of the pictures. */
function tagsOf(shown: readonly Container[]): Pick<ItemOptions, 'userTags'> {
  const userTags = shown.flatMap(({ options }) => options?.userTags ?? []);
  return userTags.length === 0 ? {} : { userTags };
}

/**
 * POST /{ig}/media_publish. A container is published once: sending it again gets the answer for a missing one, and
 * publishes nothing. Reading the container shows whether it is live.
 */
export function publishContainer(
  { parameters, account, now }: ContainerRequest,
  options: InstagramOptions,
): SandboxAnswer {
  const containerId = parameters.get('creation_id') ?? '';
  if (containerId === '') return parameterError('(#100) The parameter creation_id is required');
  const container = options.containers.get(containerId);
  if (container === null || container.accountId !== account.accountId || container.kind === 'child')
    return builderMissing();
  const status = statusOf(container, now);
  if (status === 'PUBLISHED') return mediaNotFound();
  if (status === 'EXPIRED') return containerExpired();
  if (status !== 'FINISHED') return notReady();
  if (options.posts.of(account.accountId, now) >= options.limits.get('postsPerDay')) return quotaReached();
  const mediaId = options.remoteIds.next();
  options.containers.put({ ...container, mediaId });
  options.posts.add(account.accountId, now);
  const shown =
    container.kind === 'carousel' ? container.children.map((id) => options.containers.get(id)!) : [container];
  options.items.add({
    network: 'instagram',
    accountId: account.accountId,
    remoteId: mediaId,
    placement: container.kind === 'story' ? 'story' : 'feed',
    text: container.caption,
    media: shown.map(({ file }) => ({ sha256: file!.sha256, bytes: file!.bytes, contentType: file!.contentType })),
    altTexts: shown.map(({ altText }) => altText),
    publishedAt: now,
    path: permalinkPath(container.kind, account.username, mediaId),
    options: { ...container.options, ...tagsOf(shown) },
  });
  return json(200, { id: mediaId });
}
