import { comparable } from '../contract/comparable-text.ts';
import { at, listAt, textAt, type CallResult } from '../http/call.ts';
import { answeredText, graphGet } from '../graph/calls.ts';
import { CLOCK_SKEW_MS, instantOf } from '../graph/time.ts';
import { accountUrl, objectUrl, type AccountWork } from './calls.ts';

/** `FINISHED`: ready to publish. `EXPIRED`: a day old and unpublished. */
export type ContainerStatus = 'IN_PROGRESS' | 'FINISHED' | 'PUBLISHED' | 'ERROR' | 'EXPIRED';

const STATUSES: ReadonlySet<string> = new Set<ContainerStatus>([
  'IN_PROGRESS',
  'FINISHED',
  'PUBLISHED',
  'ERROR',
  'EXPIRED',
]);

/** `status` null: it could not be read. `detail`: Instagram's words on it. */
export interface Container {
  readonly status: ContainerStatus | null;
  readonly detail: string | null;
  readonly called: CallResult;
}

export async function readContainer(work: AccountWork, container: string): Promise<Container> {
  const called = await graphGet(work.publication, `${objectUrl(work, container)}?fields=status_code,status`);
  const status = answeredText(called, 'status_code');
  return {
    status: status !== null && STATUSES.has(status) ? (status as ContainerStatus) : null,
    detail: answeredText(called, 'status'),
    called,
  };
}

export interface OwnMedia {
  readonly id: string;
  readonly permalink: string | null;
}

/**
 * What the account shows since shortly before `armedAt` that could be the publication; null when the list can't be
 * read.
 */
export async function findOwnMedia(
  work: AccountWork,
  armedAt: number,
): Promise<{ readonly found: readonly OwnMedia[] | null; readonly called: CallResult }> {
  const { placement, text } = work.publication;
  const fields =
    placement === 'story'
      ? 'id,timestamp,permalink,media_type'
      : 'id,caption,timestamp,permalink,media_type,media_product_type';
  const url = `${accountUrl(work, placement === 'story' ? 'stories' : 'media')}?${new URLSearchParams({ fields, limit: '100' })}`;
  const called = await graphGet(work.publication, url);
  if (called.kind === 'lost' || called.status !== 200) return { found: null, called };
  const found: OwnMedia[] = [];
  for (const media of listAt(called.json, 'data')) {
    const id = textAt(media, 'id');
    const madeAt = instantOf(textAt(media, 'timestamp'));
    if (id === null || madeAt === null || madeAt < armedAt - CLOCK_SKEW_MS) continue;
    if (
      placement === 'feed' &&
      (comparable(textAt(media, 'caption') ?? '') !== comparable(text) || at(media, 'media_product_type') === 'STORY')
    )
      continue;
    found.push({ id, permalink: textAt(media, 'permalink') });
  }
  return { found, called };
}
