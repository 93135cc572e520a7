import { beforeEach, describe, expect, test } from 'vitest';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryLog, type MemoryLog } from '#adapters/memory/log.ts';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createCodec } from '#codec/avro-codec.ts';
import type { Message } from '#messages/messages.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { nextUpkeepAt, type Upkeep } from '#domain/channel/upkeep.ts';
import type { ConnectionEnd, ConnectionEnded } from '#connections/end-connection.ts';
import type { TokensAnswer } from '#connections/connections.ts';
import type { TableStore } from '#ports/table-store.ts';
import { BODY_FORMAT, encodeBody } from '#tables/rows/body.ts';
import { createDueTimers, minuteOf } from '#tables/repositories/due.ts';
import { WORKSPACE_VIEWS } from '#tables/declarations/tables.ts';
import {
  CHANNEL_PICTURES,
  CONNECTION_UPKEEP,
  shardOf,
  TOPICS,
  WORKSPACE_COMMANDS,
} from '#tables/declarations/topics.ts';
import { CHANNELS_VIEW } from '#tables/repositories/workspaces.ts';
import { createUpkeepService } from './upkeep-service.ts';

const WORKSPACE = '01a20000-0000-7000-8000-000000000001';
const CHANNEL = '01a20000-0000-7000-8000-000000000000';
const DAY = 86_400_000;
const codec = createCodec({ registry: createBuiltInRegistry() });

let clock: MemoryClock;
let store: TableStore;
let log: MemoryLog;
let reporter: MemoryReporter;
let upkeep: Upkeep;
let issuedAt: number;
let renewed: TokensAnswer | 'as before';
let renewals: string[];
let ends: ConnectionEnd[];
let ended: ConnectionEnded;
let avatarUrl: string | null;

beforeEach(async () => {
  clock = createMemoryClock();
  store = createMemoryTableStore({ clock });
  log = createMemoryLog({ topics: TOPICS, clock });
  reporter = createMemoryReporter();
  issuedAt = clock.now() - 7 * DAY;
  renewed = 'as before';
  renewals = [];
  ends = [];
  ended = { kind: 'ended', revocation: 'revoked', detail: '' };
  askedWith = [];
  avatarUrl = null;
  // Due now: letting days pass would let every timer of a consumer pass, too.
  const round = {
    workspaceId: WORKSPACE,
    channelId: CHANNEL,
    network: 'threads',
    connectedAt: clock.now() - 7 * DAY,
  } as const;
  upkeep = { ...round, dueAt: nextUpkeepAt(round, clock.now() - 1) };
  await channelIs('connected', round.connectedAt);
  const tokens = (accessToken: string): TokensAnswer => ({
    kind: 'ok',
    accessToken,
    username: 'ada',
    accountId: '7',
    facts: {},
    issuedAt,
  });
  const service = createUpkeepService({
    ...{ store, log, codec, clock, reporter, ids: createSeededIds(1), due: createDueTimers(store) },
    connections: {
      tokensFor: async () => tokens('worn'),
      end: async (order: ConnectionEnd) => (ends.push(order), ended),
      refreshNow: async (_channelId: string, worn: string) => (
        renewals.push(worn),
        renewed === 'as before' ? tokens('new') : renewed
      ),
    },
    http: {},
    auths: {
      threads: {
        accounts: async (_http: unknown, { accessToken }: { accessToken: string }) => (
          askedWith.push(accessToken),
          {
            kind: 'ok',
            value: [
              { accountId: '6', avatarUrl: 'https://p.test/other' },
              { accountId: '7', avatarUrl },
            ],
          }
        ),
      },
    },
  } as never);
  await service.start();
});

let askedWith: string[] = [];
let version = 1;
async function channelIs(state: string, connectedAt: number): Promise<void> {
  const channels = { [CHANNEL]: { id: CHANNEL, network: 'threads', state, connectedAt } };
  await store.upsert(WORKSPACE_VIEWS, [
    {
      partition: [WORKSPACE],
      clustering: CHANNELS_VIEW,
      body: encodeBody(channels),
      format: BODY_FORMAT,
      timestamp: version++,
    },
  ]);
}

async function fire(message: Upkeep = upkeep): Promise<void> {
  await log.append(CONNECTION_UPKEEP.name, [
    { key: CHANNEL, value: codec.encode({ ...message, type: 'KeepConnection' }) },
  ]);
  for (let turn = 0; turn < 40; turn++) await clock.advance(1);
  expect(reporter.failures()).toEqual([]);
}

async function picturesAsked(): Promise<readonly Message[]> {
  const records = Array.from({ length: CHANNEL_PICTURES.partitions }, (_, partition) =>
    log.control.records({ topic: CHANNEL_PICTURES.name, partition }),
  ).flat();
  const decoded = await Promise.all(records.map(({ value }) => codec.decode(value)));
  return decoded.flatMap((each) => (each.ok ? [each.message] : []));
}

async function told(): Promise<readonly Message[]> {
  const records = Array.from({ length: WORKSPACE_COMMANDS.partitions }, (_, partition) =>
    log.control.records({ topic: WORKSPACE_COMMANDS.name, partition }),
  ).flat();
  return Promise.all(
    records.map(async ({ value }) => {
      const decoded = await codec.decode(value);
      if (!decoded.ok) throw new Error(decoded.detail);
      return decoded.message;
    }),
  );
}

/** Instants at which a timer is set, within the days that matter. */
async function timersSet(): Promise<readonly number[]> {
  const due = createDueTimers(store);
  const instants = [upkeep.dueAt, nextUpkeepAt(upkeep, upkeep.dueAt), upkeep.dueAt + 3_600_000].flatMap((at) => [
    minuteOf(at),
    minuteOf(at) + 1,
  ]);
  const found = await Promise.all(
    [...new Set(instants)].map((minute) => due.read(shardOf(WORKSPACE), minute, null, 10)),
  );
  return found
    .flat()
    .filter(({ timerId }) => timerId.startsWith('upkeep'))
    .map(({ dueAt }) => dueAt);
}

test('tokens that were not used are renewed, and the next upkeep is set', async () => {
  await fire();
  expect(renewals).toEqual(['worn']);
  expect(await timersSet()).toEqual([nextUpkeepAt(upkeep, upkeep.dueAt)]);
  expect(await told()).toEqual([]);
});

test('tokens that came lately are left alone', async () => {
  issuedAt = upkeep.dueAt - 2 * DAY;
  await fire();
  expect(renewals).toEqual([]);
  expect(await timersSet()).toEqual([nextUpkeepAt(upkeep, upkeep.dueAt)]);
});

test('the picture that the Network names now is copied, under one instant for each upkeep', async () => {
  avatarUrl = 'https://p.test/new';
  await fire();
  await fire();
  const { connectedAt, dueAt } = upkeep;
  const order = { type: 'CopyPicture', channelId: CHANNEL, connectedAt, askedAt: dueAt, url: avatarUrl, tries: 0 };
  expect(await picturesAsked()).toMatchObject([order, order]);
  expect(askedWith).toEqual(['new', 'new']);
});

test('no picture is copied when the Network names none, or refuses the tokens', async () => {
  await fire();
  renewed = { kind: 'needs_reconnect', detail: 'revoked' };
  avatarUrl = 'https://p.test/new';
  await fire();
  expect(await picturesAsked()).toEqual([]);
});

test('one that comes before its instant, as from a scheduler whose clock leads, is followed by the next', async () => {
  upkeep = { ...upkeep, dueAt: nextUpkeepAt(upkeep, upkeep.dueAt) };
  await fire();
  expect(await timersSet()).toEqual([nextUpkeepAt(upkeep, upkeep.dueAt)]);
  expect(nextUpkeepAt(upkeep, upkeep.dueAt)).toBeGreaterThan(upkeep.dueAt);
});

test('a message that comes again sets the same timer', async () => {
  await fire();
  await fire();
  expect(await timersSet()).toEqual([nextUpkeepAt(upkeep, upkeep.dueAt)]);
});

test('a refusal marks the Channel, and its round ends', async () => {
  renewed = { kind: 'needs_reconnect', detail: 'revoked' };
  await fire();
  expect(await told()).toMatchObject([{ type: 'MarkChannel', channelId: CHANNEL, state: 'needs_reconnect' }]);
  expect(await timersSet()).toEqual([]);
});

test('what may pass is tried again an hour later', async () => {
  renewed = { kind: 'unavailable', delayMs: 5_000, detail: 'away' };
  await fire();
  expect(await told()).toEqual([]);
  const [at, ...others] = await timersSet();
  expect([others, at! - upkeep.dueAt >= 3_600_000, at! - upkeep.dueAt < 3_600_100]).toEqual([[], true, true]);
});

test.each([
  ['was disconnected', 'not_connected', 0],
  ['waits for a person', 'needs_reconnect', 0],
  ['was connected anew', 'connected', 1],
])('a Channel that %s ends its round', async (_what, state, later) => {
  await channelIs(state, upkeep.connectedAt + later);
  await fire();
  expect([renewals, await timersSet(), await told()]).toEqual([[], [], []]);
});

describe('tokens of a Channel that was disconnected', () => {
  const order = {
    type: 'EndConnection',
    workspaceId: WORKSPACE,
    channelId: CHANNEL,
    network: 'threads',
    connectionId: 'c1',
  } as const;
  const endAfter = async (tries: number) => {
    await log.append(CONNECTION_UPKEEP.name, [{ key: CHANNEL, value: codec.encode({ ...order, tries }) }]);
    for (let turn = 0; turn < 40; turn++) await clock.advance(1);
    expect(reporter.failures()).toEqual([]);
    const due = createDueTimers(store);
    const waits = [60_000, 3_600_000].map((waitMs) => [
      minuteOf(clock.now() + waitMs) - 1,
      minuteOf(clock.now() + waitMs),
    ]);
    const found = await Promise.all(
      [...new Set(waits.flat())].map((minute) => due.read(shardOf(WORKSPACE), minute, null, 10)),
    );
    return found.flat().filter(({ timerId }) => timerId.startsWith('end'));
  };

  test('are ended once', async () => {
    expect(await endAfter(0)).toEqual([]);
    expect(ends).toEqual([{ channelId: CHANNEL, connectionId: 'c1', isLastTry: false }]);
    expect(reporter.of('connection-end-tried')).toMatchObject([{ facts: { outcome: 'revoked' } }]);
  });

  test('are ended later when the Network can not be asked, for about a day', async () => {
    ended = { kind: 'unavailable', detail: 'no answer' };
    const [timer] = await endAfter(0);
    expect(timer).toMatchObject({ topic: CONNECTION_UPKEEP.name, key: CHANNEL });
    expect(await codec.decode(timer!.payload)).toMatchObject({ message: { ...order, tries: 1 } });
    ended = { kind: 'ended', revocation: 'unavailable', detail: 'no answer' };
    await endAfter(28);
    expect(ends.map(({ isLastTry }) => isLastTry)).toEqual([false, true]);
  });
});
