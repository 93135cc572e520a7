import { z } from 'zod';
import { Id, Instant, Uri, Whole } from './scalars.ts';

const EventType = z.enum(['variant.published', 'variant.failed']);

const ENDPOINT = {
  id: Id,
  url: Uri,
  events: z.array(EventType),
  state: z.enum(['active', 'stopped']).meta({
    description:
      '`stopped`: the Member whose key registered it left the Workspace, or `disabledAt` says since when; nothing is sent any more',
  }),
  createdAt: Instant,
  disabledAt: Instant.nullable().meta({
    description: 'Since when nothing is sent because every attempt had failed for five days; a test event enables it',
  }),
  disabledReason: z.string().nullable().meta({ description: 'Why, for a person; null where `disabledAt` is' }),
};

export const Delivery = z
  .looseObject({
    id: Id,
    eventId: Id.meta({ description: 'As `id` in the body that is sent, the same on every attempt' }),
    type: EventType,
    state: z.enum(['pending', 'succeeded', 'failed']),
    attempts: Whole,
    createdAt: Instant.meta({ description: 'When the event was made' }),
    lastAttemptAt: Instant.nullable(),
    nextAttemptAt: Instant.nullable().meta({
      description: 'null unless pending. It may come later, while the endpoint is slow to answer others',
    }),
    responseStatus: Whole.nullable().meta({ description: 'What the endpoint last answered; null when it did not' }),
    error: z.string().nullable().meta({ description: 'What last went wrong; null once it succeeded' }),
  })
  .meta({
    id: 'Delivery',
    description: 'One event on its way to one endpoint; kept for 30 days after it succeeded or was given up',
  });

export const NewEndpoint = z
  .looseObject({
    ...ENDPOINT,
    secret: z.string().meta({
      description: 'Begins whsec_ and is shown this once. The whole text, prefix and all, is the key of the signatures',
    }),
  })
  .meta({ id: 'NewEndpoint' });

export const Endpoint = z
  .looseObject({ ...ENDPOINT, deliveries: z.array(Delivery).meta({ description: 'The latest 20, newest first' }) })
  .meta({ id: 'Endpoint' });
