import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryLog } from '#adapters/memory/log.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { derivedId } from '#domain/derived-id.ts';
import type { Endpoint } from '#domain/webhook/endpoint.ts';
import type { VariantOutcome } from '#messages/messages.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import { fanOut } from './fan-out.ts';

const WORKSPACE = derivedId('a Workspace');
const ENDPOINTS = Array.from({ length: 10 }, (_, index): Endpoint => {
  const id = derivedId(`endpoint ${index}`);
  const about = { url: 'https://hooks.test/', keyId: 'k', memberId: 'm', createdAt: 0, secrets: [], stoppedAt: null };
  return { id, events: ['variant.published'], ...about };
});

/** How many deliveries are made of so many events of this size, and how many of them at once at most. */
async function made(events: number, bytes: number) {
  const clock = createMemoryClock();
  let [all, now, most] = [0, 0, 0];
  const rows = {
    make: async () => {
      all += 1;
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now -= 1;
    },
  };
  const outcomes = Array.from({ length: events }, (_, index): VariantOutcome => {
    const eventId = derivedId(`event ${index}`);
    const about = { workspaceId: WORKSPACE, eventId, postId: eventId, variantId: eventId, createdAt: clock.now() };
    return {
      ...{ type: 'VariantPublished', ...about, endpointIds: ENDPOINTS.map(({ id }) => id) },
      body: 'a'.repeat(bytes),
    };
  });
  const log = createMemoryLog({ topics: TOPICS, clock });
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const endpointsOf = async () => Object.fromEntries(ENDPOINTS.map((endpoint) => [endpoint.id, endpoint]));
  const options = { clock, rows, endpointsOf, codec, log: log.client('a worker'), reporter: createMemoryReporter() };
  await fanOut(options, WORKSPACE, outcomes);
  return { all, most };
}

test('of large events few deliveries are written at once, of small ones all', async () => {
  expect(await made(30, 250_000)).toEqual({ all: 300, most: 4 });
  expect(await made(30, 2_000)).toEqual({ all: 300, most: 300 });
});
