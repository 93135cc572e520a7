import { expect, test } from 'vitest';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryLog } from '#adapters/memory/log.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { derivedId } from '#domain/derived-id.ts';
import type { Endpoint } from '#domain/webhook/endpoint.ts';
import type { VariantOutcome } from '#messages/messages.ts';
import { PortError } from '#ports/errors.ts';
import type { Atom } from '#ports/table-store.ts';
import { createDeliveryRows } from '#tables/repositories/deliveries.ts';
import { TOPICS } from '#tables/declarations/topics.ts';
import { fanOut } from './fan-out.ts';

const WORKSPACE = derivedId('a Workspace');
const ENDPOINTS = Array.from({ length: 10 }, (_, index): Endpoint => {
  const id = derivedId(`endpoint ${index}`);
  const about = { url: 'https://hooks.test/', keyId: 'k', memberId: 'm', createdAt: 0, secrets: [], stoppedAt: null };
  return { id, events: ['variant.published'], ...about };
});

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** How many deliveries are made of so many events of this size, and how many of them at once at most. */
async function made(events: number, bytes: number) {
  const clock = createMemoryClock();
  let [all, now, most] = [0, 0, 0];
  const rows = {
    isInOrderWithLog: false,
    make: async () => {
      all += 1;
      most = Math.max(most, ++now);
      await nextTurn();
      now -= 1;
    },
  };
  await fanOut({ ...ports(clock), rows }, WORKSPACE, outcomes(events, bytes, clock.now()));
  return { all, most };
}

function outcomes(events: number, bytes: number, createdAt: number): readonly VariantOutcome[] {
  return Array.from({ length: events }, (_, index): VariantOutcome => {
    const eventId = derivedId(`event ${index}`);
    const about = { workspaceId: WORKSPACE, eventId, postId: eventId, variantId: eventId, createdAt };
    return {
      ...{ type: 'VariantPublished', ...about, endpointIds: ENDPOINTS.map(({ id }) => id) },
      body: 'a'.repeat(bytes),
    };
  });
}

function ports(clock: MemoryClock) {
  const log = createMemoryLog({ topics: TOPICS, clock });
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const endpointsOf = async () => Object.fromEntries(ENDPOINTS.map((endpoint) => [endpoint.id, endpoint]));
  return { clock, endpointsOf, codec, log: log.client('a worker'), reporter: createMemoryReporter() };
}

/** The calls of a fan-out of one event that is not the first; `|`: rows are written. */
async function calls(atom: Atom): Promise<string> {
  const clock = createMemoryClock();
  const store = createMemoryTableStore({ clock, atom });
  const options = ports(clock);
  const made: string[] = [];
  const insert = store.insert.bind(store);
  store.insert = async (table, rows) => {
    made.push(table.name);
    await insert(table, rows);
    made.push('|');
  };
  const append = options.log.append.bind(options.log);
  options.log.append = (topic, records) => {
    made.push('append');
    return append(topic, records);
  };
  const rows = createDeliveryRows(store);
  const [first, second] = outcomes(2, 10, clock.now()).map((each) => ({ ...each, endpointIds: [ENDPOINTS[0]!.id] }));
  await fanOut({ ...options, rows }, WORKSPACE, [first!]);
  made.length = 0;
  await fanOut({ ...options, rows }, WORKSPACE, [second!]);
  return made.join(' ');
}

test('of large events few deliveries are written at once, of small ones all', async () => {
  expect(await made(30, 250_000)).toEqual({ all: 300, most: 4 });
  expect(await made(30, 2_000)).toEqual({ all: 300, most: 300 });
});

test('of many events some are made in a slice of their Workspace, and the next ones in another', async () => {
  const clock = createMemoryClock();
  const slices: string[] = [];
  let now = 0;
  const begin = (workspaceId: string | null) => async () => {
    slices.push(`${workspaceId === WORKSPACE ? 'Workspace' : workspaceId} ${now}`);
    now = 0;
  };
  const make = async () => void now++;
  const rows = { isInOrderWithLog: true, make };
  await fanOut({ ...ports(clock), rows, slices: { begin } }, WORKSPACE, outcomes(5, 100, clock.now()));
  expect([...slices, now]).toEqual(['Workspace 0', 'Workspace 16', 'Workspace 16', 'Workspace 16', 2]);
});

test('a delivery that can not be written fails the fan-out, though others are made after it', async () => {
  const clock = createMemoryClock();
  let count = 0;
  const make = async () => {
    if (++count === 1) throw new PortError('unavailable', 'the store is away');
    await nextTurn();
  };
  const slices = { begin: () => nextTurn };
  const fannedOut = fanOut(
    { ...ports(clock), rows: { isInOrderWithLog: true, make }, slices },
    WORKSPACE,
    outcomes(5, 100, clock.now()),
  );
  await expect(fannedOut).rejects.toThrow('the store is away');
  expect(count).toBe(50);
});

test('rows are written before the attempt is appended, and where log and store are in order only called before it', async () => {
  expect(await calls('partition')).toBe('deliveries | deliveries_by_endpoint | append');
  expect(await calls('store_and_log')).toBe('deliveries deliveries_by_endpoint append | |');
});
