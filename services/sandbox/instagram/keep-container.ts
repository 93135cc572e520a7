import { json, type SandboxAnswer } from '../exchange.ts';
import type { ContainerRequest, InstagramOptions } from './container-request.ts';
import type { Container } from './containers.ts';
import { MEDIA_ERRORS, quotaReached, type MediaFault } from './graph-errors.ts';

const IMAGE_READY_MS = 1_000;
const VIDEO_READY_MS = 20_000;

export const failedWith = (subcode: number | string): string =>
  `Error: Media upload has failed with error code ${subcode}`;

interface Processing extends Pick<ContainerRequest, 'fault' | 'now'> {
  readonly isVideo: boolean;
  /** What is wrong with the file; null: nothing. */
  readonly wrong: MediaFault | null;
}

/** When processing ends, and with which outcome. */
export function processingOf(
  { isVideo, fault, wrong, now }: Processing,
  options: InstagramOptions,
): Pick<Container, 'readyAt' | 'failure'> {
  if (fault?.fault === 'processing_stuck') return { readyAt: null, failure: null };
  const subcode =
    fault?.fault === 'processing_failed' ? fault.reason : wrong === null ? null : MEDIA_ERRORS[wrong].subcode;
  return {
    readyAt: now + options.timing.scaled('instagram', isVideo ? VIDEO_READY_MS : IMAGE_READY_MS),
    failure: subcode === null ? null : failedWith(subcode),
  };
}

export type ContainerResult = Pick<
  Container,
  'kind' | 'file' | 'uploadId' | 'children' | 'readyAt' | 'failure' | 'thumbOffsetMs' | 'options'
>;

/** Stores the container with its parameters beside the file, unless the account has made too many today. */
export function keepContainer(
  { parameters, account }: ContainerRequest,
  options: InstagramOptions,
  made: ContainerResult,
  answer = (id: string): SandboxAnswer => json(200, { id }),
): SandboxAnswer {
  const now = options.clock.now();
  const most = options.limits.get('containersPerPost') * options.limits.get('postsPerDay');
  if (options.made.of(account.accountId, now) >= most) return quotaReached();
  const withCaption = made.kind !== 'child' && made.kind !== 'story';
  const container: Container = {
    id: options.remoteIds.next(),
    accountId: account.accountId,
    caption: withCaption ? (parameters.get('caption') ?? '') : '',
    altText: parameters.get('alt_text') || null,
    createdAt: now,
    mediaId: null,
    ...made,
  };
  options.containers.put(container);
  options.made.add(account.accountId, now);
  return answer(container.id);
}
