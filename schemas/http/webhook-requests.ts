import { z } from 'zod';
import { SentId, sentText } from './scalars.ts';

const EVENTS = ['variant.published', 'variant.failed'] as const;
const MAX_URL_CHARACTERS = 2_048;

/**
 * The body of POST /api/webhooks. Whether the address is on the public internet is checked later, by the use case, as
 * that refusal has a code of its own.
 */
export const RegisterEndpointRequest = z
  .strictObject(
    {
      url: sentText(MAX_URL_CHARACTERS)
        // Parsing would drop or escape control characters, and each takes six bytes of the Workspace's state.
        .refine(
          (url) => URL.canParse(url) && !/\p{Cc}/u.test(url),
          'must be an address such as https://example.com/webhooks',
        )
        .meta({
          format: 'uri',
          description:
            'https on the standard port, reachable from the internet, without a redirect. One address may be registered several times',
        }),
      events: z
        .array(z.enum(EVENTS, `must be one of ${EVENTS.join(', ')}`), 'must be a list')
        .min(1, 'must name at least one event')
        .refine((events) => new Set(events).size === events.length, 'must name each event once')
        .meta({ uniqueItems: true }),
    },
    'must be an object',
  )
  .meta({ id: 'RegisterEndpointRequest' });

export type RegisterEndpointInput = z.output<typeof RegisterEndpointRequest>;

export const PathDelivery = z.strictObject({ id: SentId, deliveryId: SentId });
