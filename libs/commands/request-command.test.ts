import { describe, expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryLog } from '#adapters/memory/log.ts';
import type { AppendFault } from '#adapters/memory/append-fault.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import type { RequestedCommand } from '#domain/workspace/commands.ts';
import type { CommandAnswer, Result } from '#domain/workspace/results.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import { PortError } from '#ports/errors.ts';
import { aWorkspace } from '#testing/scenario.ts';
import { BODY_FORMAT, encodeBody } from '#tables/rows/body.ts';
import { NO_EFFECTS } from '#tables/rows/pending-effects.ts';
import { WORKSPACES } from '#tables/declarations/tables.ts';
import { TOPICS, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { HEAD, resultKey } from '#tables/repositories/workspaces.ts';
import { createCommandRequests } from './request-command.ts';

const DONE: Result = { ok: true, kind: 'done' };

function open() {
  const clock = createMemoryClock();
  const log = createMemoryLog({ topics: TOPICS, clock });
  let storeAway = false;
  const hooks = {
    before: async () => {
      if (storeAway) throw new PortError('unavailable', 'away');
    },
    after: async () => {},
  };
  const store = createMemoryTableStore({ clock, hooks });
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const reporter = createMemoryReporter();
  const asker = createCommandRequests({ log, store, codec, clock, reporter });
  const scenario = aWorkspace();
  const command = scenario.ask({ type: 'AddCredits', credits: 1 }) as RequestedCommand;
  let version = 0;
  /** A turn as an owner writes it; `owes`: its rows are not written yet. */
  const turn = async (owes: boolean, withResult: boolean): Promise<void> => {
    const body = encodeBody({ state: scenario.state as WorkspaceState, pending: owes ? NO_EFFECTS : null });
    const rows = withResult
      ? [
          {
            partition: [scenario.id],
            clustering: resultKey(command.requestId),
            body: encodeBody(DONE),
            format: BODY_FORMAT,
            ttlSeconds: 600,
          },
        ]
      : [];
    const next = { version: version + 1, token: `turn ${version + 1}`, body, format: BODY_FORMAT };
    await store.compareAndSet(WORKSPACES, {
      partition: [scenario.id],
      clustering: HEAD,
      expected: version === 0 ? null : version,
      next,
      rows,
    });
    version++;
  };
  const sent = () => {
    const { name, partitions } = WORKSPACE_COMMANDS;
    const records = Array.from({ length: partitions }, (_, partition) =>
      log.control.records({ topic: name, partition }),
    ).flat();
    return records.map(({ value }) => (codec.decodeNow(value) as { message: RequestedCommand }).message.requestId);
  };
  return {
    clock,
    log,
    reporter,
    asker,
    command,
    turn,
    sent,
    away: (away: boolean) => {
      storeAway = away;
    },
  };
}

/** What `asked` came to after `seconds`, null when it has not ended. */
async function after(
  world: ReturnType<typeof open>,
  asked: Promise<CommandAnswer>,
  seconds: number,
): Promise<Result | null> {
  let result: Result | null = null;
  void asked.then(
    (answer) => {
      result = answer.result;
    },
    () => {},
  );
  for (let passed = 0; passed <= seconds * 10; passed++) await world.clock.advance(passed === 0 ? 0 : 100);
  return result;
}

describe('a requester', () => {
  test('takes the hint at once, the first one only', async () => {
    const world = open();
    const asked = world.asker.request(world.command);
    await world.clock.advance(0);
    world.asker.receiveAnswer({ requestId: world.command.requestId, result: DONE });
    world.asker.receiveAnswer({
      requestId: world.command.requestId,
      result: { ok: false, code: 'not_found', message: '' },
    });
    expect((await asked).result).toEqual(DONE);
    expect(world.reporter.events).toEqual([]);
  });

  test('takes a hint that comes before the log has acknowledged the command', async () => {
    const world = open();
    const asked = world.asker.request(world.command);
    world.asker.receiveAnswer({ requestId: world.command.requestId, result: DONE });
    expect((await asked).result).toEqual(DONE);
  });

  test('drops hints that no request waits for', async () => {
    const world = open();
    const asked = world.asker.request(world.command);
    world.asker.receiveAnswer({ requestId: 'another', result: DONE });
    expect(await after(world, asked, 5)).toBe(null);
  });

  test('finds the result row when the hint is lost, and only once the outbox of its turn is carried out', async () => {
    const world = open();
    const asked = world.asker.request(world.command);
    await world.turn(true, true);
    expect(await after(world, asked, 4)).toBe(null);
    await world.turn(false, false);
    expect(await after(world, asked, 2)).toEqual(DONE);
    const { workspaceId, requestId } = world.command;
    expect(world.reporter.of('answer-found-by-looking').map(({ facts }) => facts)).toEqual([
      { workspaceId, requestId },
    ]);
  });

  test('appends its command again when the result stays owed: the new owner may not have loaded the Workspace', async () => {
    const world = open();
    const asked = world.asker.request(world.command);
    await world.turn(true, true);
    expect(await after(world, asked, 1)).toBe(null);
    expect(world.sent()).toEqual([world.command.requestId]);
    expect(await after(world, asked, 5)).toBe(null);
    expect(world.sent()).toEqual([world.command.requestId, world.command.requestId]);
  });

  test('appends nothing again while there is no result row: the command is still in the log', async () => {
    const world = open();
    expect(await after(world, world.asker.request(world.command), 8)).toBe(null);
    expect(world.sent()).toHaveLength(1);
  });

  test('finds the result row although a later turn owes something', async () => {
    const world = open();
    const asked = world.asker.request(world.command);
    await world.turn(false, true);
    await world.turn(true, false);
    expect(await after(world, asked, 2)).toEqual(DONE);
  });

  test('goes on reading after the store was away', async () => {
    const world = open();
    const asked = world.asker.request(world.command);
    world.away(true);
    expect(await after(world, asked, 4)).toBe(null);
    world.away(false);
    await world.turn(false, true);
    expect(await after(world, asked, 2)).toEqual(DONE);
  });

  test.each<AppendFault>(['ack-lost', 'lost'])(
    'whose append ended in doubt (%s) waits for the answer all the same',
    async (fault) => {
      const world = open();
      world.log.control.failNextAppend(fault);
      const asked = world.asker.request(world.command);
      expect(await after(world, asked, 2)).toBe(null);
      world.asker.receiveAnswer({ requestId: world.command.requestId, result: DONE });
      expect((await asked).result).toEqual(DONE);
    },
  );

  test('fails at once when nothing was appended', async () => {
    const world = open();
    await world.log.close();
    await expect(world.asker.request(world.command)).rejects.toMatchObject({ kind: 'unavailable' });
  });

  test('ends with an unknown outcome at its deadline, also while the log never answers', async () => {
    const world = open();
    expect(await after(world, world.asker.request(world.command), 10)).toMatchObject({
      ok: false,
      code: 'outcome_unknown',
    });
    const silent = open();
    silent.log.control.crash('main');
    expect(await after(silent, silent.asker.request(silent.command), 10)).toMatchObject({
      ok: false,
      code: 'outcome_unknown',
    });
  });

  test('leaves no waiter and no timer behind, however it ends', async () => {
    const world = open();
    const hinted = world.asker.request(world.command);
    expect(world.asker.pending()).toBe(1);
    world.asker.receiveAnswer({ requestId: world.command.requestId, result: DONE });
    await hinted;
    await after(world, world.asker.request({ ...world.command, requestId: 'overdue' }), 10);
    const refused = world.asker.request({ ...world.command, requestId: 'refused', replyTo: 'x'.repeat(1_000_001) });
    await expect(refused).rejects.toMatchObject({ kind: 'refused' });
    await world.clock.advance(20_000);
    expect([world.asker.pending(), world.clock.armed()]).toEqual([0, 0]);
  });
});
