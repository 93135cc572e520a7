import { derivedId } from '../derived-id.ts';
import { isoOf } from '../post/render.ts';
import type { OutcomeBody } from '../workspace/events.ts';
import type { OutcomeType } from './outcome-type.ts';

const TEXT = 'This is a test event. There is no such Post, and nothing was published.';

/** A made-up event whose text says so, with every field of a real one. `at`: milliseconds. */
export function testEventOf(eventId: string, type: OutcomeType, at: number): OutcomeBody {
  const published = type === 'variant.published';
  const instant = isoOf(at);
  const variant = {
    id: derivedId(`${eventId}/variant`),
    channelId: derivedId(`${eventId}/channel`),
    channelName: 'Test Channel',
    network: 'x',
    placement: 'feed',
    status: published ? 'published' : 'failed',
    scheduledAt: null,
    failureReason: published ? null : 'rejected_by_platform',
    failureDetail: published ? null : TEXT,
    permalink: published ? 'https://example.com/test-event' : null,
    mediaReady: true,
    channelDisconnected: false,
    cancelledByDisconnect: null,
    metrics: null,
    text: null,
    firstComment: null,
  } as const;
  const post = {
    id: derivedId(`${eventId}/post`),
    text: TEXT,
    createdAt: instant,
    at: instant,
    via: null,
    media: [],
    variants: [variant],
  } as const;
  return { id: eventId, type, createdAt: instant, data: { variant, post } };
}
