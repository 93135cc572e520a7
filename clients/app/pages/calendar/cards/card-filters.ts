import type { CalendarSearch } from '../../../address/calendar-search.ts';
import { shownStatusOf } from '../../../parts/status-mark.tsx';
import type { ShownCard } from './calendar-card.ts';

export type CardFilters = Pick<CalendarSearch, 'channel' | 'network' | 'status' | 'via'>;

const BY_HAND = 'hand';

/** What made a Post, as an address names it: `hand`, `key:nightly%20import` or `app:Claude`. */
export function viaValue(via: ShownCard['via']): string {
  return via === null ? BY_HAND : `${via.kind}:${encodeURIComponent(via.name)}`;
}

/**
 * Whether a Post is shown. Of one filter any value suffices; a Post passes by one Variant that has the Channel, the
 * Network and the status at once. Without a filter for it, cancelled Posts are not shown: moving a Post leaves one.
 */
export function passes(card: ShownCard, { channel, network, status, via }: CardFilters): boolean {
  if (via !== undefined && !via.includes(viaValue(card.via))) return false;
  if (channel === undefined && network === undefined && status === undefined)
    return card.variants.length === 0 || card.variants.some((variant) => variant.status !== 'cancelled');
  return card.variants.some(
    (variant) =>
      (channel === undefined || channel.includes(variant.channelId)) &&
      (network === undefined || network.includes(variant.network)) &&
      (status === undefined ? variant.status !== 'cancelled' : status.includes(shownStatusOf(variant))),
  );
}

export function hasFilters({ channel, network, status, via }: CardFilters): boolean {
  return [channel, network, status, via].some((values) => values !== undefined);
}
