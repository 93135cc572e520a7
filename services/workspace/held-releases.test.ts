import { describe, expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryLog } from '#adapters/memory/log.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import type { HeldPeriod } from '#domain/publishing-holds.ts';
import type { Command } from '#domain/workspace/commands.ts';
import { encodeRow, writeRows } from '#outbox/relay.ts';
import { createDueTimers } from '#tables/repositories/due.ts';
import { PortError } from '#ports/errors.ts';
import type { Log } from '#ports/log.ts';
import { heldVariantRows, heldWorkspaceRow } from '#tables/repositories/held-variants.ts';
import { shardOf, TOPICS, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { aWorkspace, DAY, MINUTE, START, type Scenario } from '#testing/scenario.ts';
import { HeldReleases } from './held-releases.ts';

const HELD: HeldPeriod = { network: null, workspaceId: null, from: START, until: null };

const STEP_MS = 100;

/** Workspaces whose turns write their rows at once, and releases over them. */
function open(...workspaces: readonly Scenario[]) {
  const clock = createMemoryClock(START);
  const log = createMemoryLog({ topics: TOPICS, clock });
  /** What lists of Workspaces wait for. */
  const reading: { until: Promise<void> | null; rows: Promise<void> | null } = { until: null, rows: null };
  const before = async ({ name }: { readonly name: string }) => {
    if (name === 'slice') await reading.until;
    if (name === 'read') await reading.rows;
  };
  const store = createMemoryTableStore({ clock, hooks: { before, after: async () => undefined } });
  const codec = createCodec({ registry: createBuiltInRegistry() });
  let periods: readonly HeldPeriod[] = [HELD];
  let version = 0;
  const shards = new Set(workspaces.map(({ id }) => shardOf(id)));
  const brake = { known: async () => ({ holds: [], periods, restoration: null }) };
  /** Workspaces whose partition takes nothing. */
  const away = new Set<string>();
  const append: Log['append'] = async (topic, records) => {
    if (records.some(({ key }) => away.has(key))) throw new PortError('unknown', 'not enough replicas');
    return log.append(topic, records);
  };
  const reporter = createMemoryReporter();
  const options = { log: { append }, store, codec, clock, brake, reporter };
  const releases = new HeldReleases(options, () => [...shards]);
  /** In steps, between which what was begun goes on: appends take turns of the event loop. */
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= STEP_MS) {
      await clock.advance(Math.min(left, STEP_MS));
      for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const read = new Map<Scenario, number>();
  const write = async (workspace: Scenario): Promise<void> => {
    const rows = [...workspace.posts.values()].flatMap((post) => heldVariantRows(post, post.variants));
    await writeRows(
      { store, due: createDueTimers(store) },
      {
        rows: [...rows, heldWorkspaceRow(workspace.workspace)].map((row) => encodeRow(row, 1)),
        timers: [],
        version: ++version,
      },
    );
  };
  /** Its queues are empty, which its counts do not say yet. */
  const forgetRows = async (workspace: Scenario): Promise<void> => {
    const rows = [...workspace.posts.values()].flatMap((post) => heldVariantRows(post, post.variants));
    await writeRows(
      { store, due: createDueTimers(store) },
      { rows: rows.map((row) => encodeRow({ ...row, value: null }, 1)), timers: [], version: ++version },
    );
  };
  const sent = (workspace: Scenario): readonly Command[] =>
    log.control
      .records({ topic: WORKSPACE_COMMANDS.name, partition: shardOf(workspace.id) })
      .filter(({ key }) => key === workspace.id)
      .map(({ value }) => codec.decodeNow(value)!)
      .flatMap((decoded) => (decoded.ok ? [decoded.message as Command] : []));
  /** Carries out the commands that were sent since, as the owner does. */
  const turn = async (workspace: Scenario): Promise<void> => {
    const commands = sent(workspace).slice(read.get(workspace) ?? 0);
    read.set(workspace, sent(workspace).length);
    workspace.holds = periods;
    for (const command of commands) workspace.tell(command);
    await write(workspace);
    releases.note(workspace.workspace);
  };
  return {
    ...{ releases, sent, turn, write, shards, pass, away, reporter, reading, forgetRows },
    release: () => void (periods = [{ ...HELD, until: START + 2 * DAY }]),
    /** Timers of the process's clock. */
    pending: () => clock.armed(),
    begin: async () => {
      for (const workspace of workspaces) await write(workspace);
      releases.ownersChanged(shards);
      await pass(1);
    },
  };
}

/** A Workspace with so many Posts that came due, in another order than they were written, while all was held. */
function withHeld(posts: number, idsFrom = 0, channels = 1): Scenario {
  const workspace = aWorkspace({ plan: 'agency', idsFrom });
  for (let number = 1; number <= channels; number++) workspace.channel('threads', `threads ${number}`);
  const ids = Array.from({ length: posts }, (_, index) =>
    workspace.post({ scheduledAt: START + DAY + ((index * 7) % posts) * MINUTE, text: `${index}` }),
  );
  workspace.holds = [HELD];
  workspace.now = START + 2 * DAY;
  for (const id of ids) workspace.due(id);
  workspace.effects.length = 0;
  return workspace;
}

const published = (workspace: Scenario): readonly number[] =>
  workspace.effects.flatMap((effect) => (effect.kind === 'publish' ? [effect.job.dueAt] : []));

describe('releases', () => {
  test('send nothing while all is held, and then go on in the order of due times, a bounded number under way', async () => {
    const workspace = withHeld(230);
    const world = open(workspace);
    await world.begin();
    await world.pass(60_000);
    expect(world.sent(workspace)).toEqual([]);
    expect(world.releases.waiting()).toBe(230);
    world.release();
    let most = 0;
    for (let round = 0; round < 400 && published(workspace).length < 230; round++) {
      await world.pass(600);
      await world.turn(workspace);
      const counts = Object.values(workspace.workspace.held ?? {})[0];
      most = Math.max(most, counts?.underWay ?? 0);
      // The publisher ends some of them.
      const busy = [...workspace.posts.values()].filter(({ variants }) => variants[0]!.status === 'publishing');
      for (const post of busy.slice(0, 20)) workspace.succeed(post.id);
      await world.turn(workspace);
    }
    const order = published(workspace);
    expect(order).toHaveLength(230);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(most).toBeGreaterThan(50);
    expect(most).toBeLessThanOrEqual(100);
    expect(world.releases.waiting()).toBe(0);
  });

  test('of one Workspace do not wait for another with thousands', async () => {
    const [many, few] = [withHeld(600), withHeld(3, 5_000_000)];
    const world = open(many, few);
    await world.begin();
    world.release();
    await world.pass(600);
    await world.turn(many);
    await world.turn(few);
    expect(published(few)).toHaveLength(3);
    expect(published(many).length).toBeLessThanOrEqual(100);
  });

  test('of one Workspace do not wait for another whose partition takes nothing', async () => {
    const [stuck, free] = [withHeld(1, 0, 20), withHeld(3, 5_000_000)];
    const world = open(stuck, free);
    await world.begin();
    world.away.add(stuck.id);
    world.release();
    await world.pass(3_000);
    await world.turn(free);
    expect(published(free)).toHaveLength(3);
    expect(world.reporter.failures().length).toBeGreaterThan(0);
    world.away.clear();
    await world.pass(1_000);
    await world.turn(stuck);
    expect(published(stuck)).toHaveLength(20);
    await world.releases.stop();
  });

  test('what is read of a shard that is lost meanwhile is not counted as waiting here', async () => {
    const workspace = withHeld(2);
    const world = open(workspace);
    const { promise, resolve } = Promise.withResolvers<void>();
    world.reading.until = promise;
    await world.begin();
    world.shards.clear();
    world.releases.ownersChanged(new Set([shardOf(workspace.id)]));
    world.reading.until = null;
    resolve();
    await world.pass(2_000);
    expect([world.releases.waiting(), world.pending()]).toEqual([0, 0]);
    await world.releases.stop();
  });

  test('nor is what is read again of a Workspace whose shard is lost meanwhile', async () => {
    const workspace = withHeld(2);
    const world = open(workspace);
    await world.begin();
    await world.forgetRows(workspace);
    const { promise, resolve } = Promise.withResolvers<void>();
    world.reading.rows = promise;
    world.release();
    await world.pass(1_000);
    world.shards.clear();
    world.releases.ownersChanged(new Set([shardOf(workspace.id)]));
    world.reading.rows = null;
    resolve();
    await world.pass(2_000);
    expect([world.releases.waiting(), world.pending()]).toEqual([0, 0]);
    await world.releases.stop();
  });

  test('a turn that commits after its shard was lost leaves nothing that is counted as waiting here', async () => {
    const workspace = withHeld(2);
    const world = open(workspace);
    await world.begin();
    expect(world.releases.waiting()).toBe(2);
    world.shards.clear();
    world.releases.ownersChanged(new Set([shardOf(workspace.id)]));
    world.releases.note(workspace.workspace);
    await world.pass(2_000);
    expect(world.releases.waiting()).toBe(0);
    expect(world.pending()).toBe(0);
    await world.releases.stop();
  });

  test('a process that begins, or gets a shard, finds what waits by the rows; one that has none does nothing', async () => {
    const workspace = withHeld(2);
    const world = open(workspace);
    await world.write(workspace);
    expect(world.releases.waiting()).toBe(0);
    world.release();
    world.releases.ownersChanged(world.shards);
    await world.pass(1_000);
    await world.turn(workspace);
    expect(published(workspace)).toHaveLength(2);
    world.shards.clear();
    world.releases.ownersChanged(new Set([shardOf(workspace.id)]));
    await world.pass(1_000);
    expect(world.releases.waiting()).toBe(0);
    world.releases.stop();
  });

  test('a command that was lost is sent again after a while, and not before', async () => {
    const workspace = withHeld(2);
    const world = open(workspace);
    await world.begin();
    world.release();
    await world.pass(5_000);
    expect(world.sent(workspace)).toHaveLength(1);
    await world.pass(10_000);
    expect(world.sent(workspace)).toHaveLength(2);
  });
});
