import { describe, expect, it } from 'vitest';
import type { ShownCard } from './calendar-card.ts';
import { passes, viaValue } from './card-filters.ts';

type Status = ShownCard['variants'][number]['status'];

function card(variants: readonly (readonly ['x' | 'threads', Status])[], via: ShownCard['via'] = null): ShownCard {
  return {
    id: 'a',
    at: '2026-11-24T08:00:00.000Z',
    words: 'W',
    via,
    thumbnail: null,
    files: 0,
    variants: variants.map(([network, status], index) => {
      const failureReason = status === 'failed' ? ('unconfirmed' as const) : null;
      return { id: `v${index}`, channelId: `on-${network}`, network, placement: 'feed', status, failureReason };
    }),
  };
}

describe('filters of the calendar', () => {
  it('show all but cancelled Posts unless somebody asks for those', () => {
    const cancelled = card([['x', 'cancelled']]);
    expect(passes(cancelled, {})).toBe(false);
    expect(passes(cancelled, { network: ['x'] })).toBe(false);
    expect(passes(cancelled, { status: ['cancelled'] })).toBe(true);
    expect(
      passes(
        card([
          ['x', 'cancelled'],
          ['threads', 'published'],
        ]),
        {},
      ),
    ).toBe(true);
  });

  it('want one Variant that has the Channel, the Network and the status at once', () => {
    const mixed = card([
      ['x', 'published'],
      ['threads', 'scheduled'],
    ]);
    expect(passes(mixed, { network: ['x'], status: ['published'] })).toBe(true);
    expect(passes(mixed, { network: ['x'], status: ['scheduled'] })).toBe(false);
    expect(passes(mixed, { channel: ['on-threads', 'elsewhere'], status: ['scheduled'] })).toBe(true);
  });

  it('tell an unconfirmed Variant from a failed one', () => {
    const unconfirmed = card([['x', 'failed']]);
    expect(passes(unconfirmed, { status: ['failed'] })).toBe(false);
    expect(passes(unconfirmed, { status: ['unconfirmed'] })).toBe(true);
  });

  it('tell what made a Post by kind and name, whatever the name holds', () => {
    const via = { kind: 'key', name: 'night, import', by: 'Ada' } as const;
    expect(viaValue(via)).not.toContain(',');
    expect(passes(card([['x', 'scheduled']], via), { via: [viaValue(via)] })).toBe(true);
    expect(passes(card([['x', 'scheduled']], via), { via: ['hand'] })).toBe(false);
    expect(passes(card([['x', 'scheduled']]), { via: ['hand'] })).toBe(true);
  });
});
