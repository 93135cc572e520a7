import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryLog, type MemoryLog } from '#adapters/memory/log.ts';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore, type TableHooks } from '#adapters/memory/table-store.ts';
import { createCodec } from '#codec/avro-codec.ts';
import type { Codec, Message } from '#messages/messages.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { setTimers } from '#outbox/timers.ts';
import { createDueTimers, minuteOf, type DueTimers } from '#tables/repositories/due.ts';
import { createShards } from '#tables/repositories/shards.ts';
import { SHARD_WATERMARKS } from '#tables/declarations/tables.ts';
import { SHARDS, TIMERS, TOPICS, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { decodeBody } from '#tables/rows/body.ts';
import { SchedulerService, type BacklogLimits } from './service.ts';

export const SHARD = 3;
export const SOURCE = { topic: TIMERS.name, partition: SHARD };

/** Turns of the event loop that a firing, its append and its acknowledgement take at most. */
const TURNS_TO_REST = 12;

export interface FiredTimer {
  readonly name: string;
  readonly at: number;
}

/** Schedulers over one log and one store; a timer is a name, fired as a MarkChannel. */
export interface SchedulerHarness {
  readonly clock: MemoryClock;
  readonly log: MemoryLog;
  readonly reporter: MemoryReporter;
  readonly codec: Codec;
  readonly due: DueTimers;
  readonly start: number;
  /** Sets a timer as the services do: its row and, when it is near, the topic. */
  set(name: string, dueAt: number, message?: Message): Promise<void>;
  /** Its row alone, as when its writer died, or long ago. */
  setRow(name: string, dueAt: number): Promise<void>;
  scheduler(client: string, hooks?: TableHooks, backlog?: BacklogLimits): Promise<SchedulerService>;
  /** Without a word: it leaves its group when its session runs out, and writes nothing more. */
  dies(client: string, scheduler: SchedulerService): Promise<void>;
  /** Lets time pass step by step, and all that each step caused come to rest. */
  pass(ms: number): Promise<void>;
  /** In the order of the log, each with when it came there. */
  fired(): Promise<readonly FiredTimer[]>;
  messages(): Promise<readonly Message[]>;
  watermark(): Promise<number>;
}

export interface SchedulerHarnessOptions {
  /** How far ahead of the others the clock was of who made the installation. */
  readonly foundedAheadMs?: number;
}

export async function openSchedulerHarness({
  foundedAheadMs = 0,
}: SchedulerHarnessOptions = {}): Promise<SchedulerHarness> {
  const clock = createMemoryClock();
  const start = clock.now();
  const log = createMemoryLog({ topics: TOPICS, clock });
  const tables = new MemoryTables();
  const store = createMemoryTableStore({ clock, tables });
  const reporter = createMemoryReporter();
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const due = createDueTimers(store);
  const shards = createShards(store);
  for (let shard = 0; shard < SHARDS; shard++)
    await shards.found(shard, minuteOf(start + foundedAheadMs), `made ${shard}`);
  let seed = 1;
  const key = 'w';
  const partition = (await log.append(WORKSPACE_COMMANDS.name, [{ key, value: new Uint8Array(1) }]))[0]!.partition;
  const messageOf = (name: string): Message => ({
    type: 'MarkChannel',
    workspaceId: key,
    channelId: name,
    state: 'connected',
    seenAt: 1,
  });
  const records = () => log.control.records({ topic: WORKSPACE_COMMANDS.name, partition }).slice(1);
  const decoded = async (value: Uint8Array): Promise<Message> => {
    const outcome = await codec.decode(value);
    if (!outcome.ok) throw new Error(outcome.detail);
    return outcome.message;
  };
  const pass = async (ms: number): Promise<void> => {
    const step = Math.max(1_000, Math.ceil(ms / 200));
    for (let left = ms; ; left -= step) {
      await clock.advance(Math.max(0, Math.min(left, step)));
      for (let turn = 0; turn < TURNS_TO_REST; turn++) await clock.advance(0);
      if (left <= step) return;
    }
  };
  return {
    clock,
    pass,
    log,
    reporter,
    codec,
    due,
    start,
    set: (name, dueAt, message = messageOf(name)) =>
      setTimers({ due, log, codec, clock }, [
        { shard: SHARD, timerId: name, dueAt, topic: WORKSPACE_COMMANDS.name, key, message },
      ]),
    setRow: (name, dueAt) =>
      due.write([
        {
          shard: SHARD,
          timerId: name,
          dueAt,
          topic: WORKSPACE_COMMANDS.name,
          key,
          payload: codec.encode(messageOf(name)),
        },
      ]),
    scheduler: async (client, hooks, backlog) => {
      const own = createMemoryTableStore({ clock, tables, ...(hooks === undefined ? {} : { hooks }) });
      const scheduler = new SchedulerService({
        log: log.client(client),
        codec,
        clock,
        ids: createSeededIds(seed++),
        reporter,
        due: createDueTimers(own),
        shards: createShards(own),
        ...(backlog !== undefined && { backlog }),
      });
      await scheduler.start();
      await pass(0);
      return scheduler;
    },
    dies: (client, scheduler) => {
      log.control.crash(client);
      return scheduler.stop();
    },
    fired: () =>
      Promise.all(
        records().map(async ({ value, timestamp }) => ({
          name: ((await decoded(value)) as { channelId: string }).channelId,
          at: timestamp,
        })),
      ),
    messages: () => Promise.all(records().map(({ value }) => decoded(value))),
    watermark: async () =>
      decodeBody<{ minute: number }>((await store.read(SHARD_WATERMARKS, [SHARD], [], { serial: true }))!)!.minute,
  };
}
