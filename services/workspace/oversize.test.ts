import { describe, expect, test } from 'vitest';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import type { Command } from '#domain/workspace/commands.ts';
import { decide } from '#domain/workspace/decide.ts';
import type { Decide } from '#domain/workspace/decision.ts';
import { loadsOf } from '#domain/workspace/loads.ts';
import { PortError } from '#ports/errors.ts';
import { DAY } from '#testing/scenario.ts';
import { createDueTimers } from '#tables/repositories/due.ts';
import { listParkedKeys } from '#tables/repositories/parking.ts';
import { shardOf, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { readResult } from '#tables/repositories/workspaces.ts';
import { NO_LIMITS, WorkspaceWorld } from './post-life.fixture.ts';
import { createWorkspaceService } from './service.ts';
import { WrittenFormat } from '#tables/release.ts';
import { NO_BRAKE } from '#tables/repositories/publishing-brake.ts';

const LONG_NAME = '\u0001'.repeat(200);

/** Members with long names, some 1,450 bytes of the state each; what is not taken is answered. */
async function addMembers(world: WorkspaceWorld, count: number): Promise<readonly Command[]> {
  const adding = Array.from({ length: count }, (_, index) =>
    world.scenario.ask({
      type: 'AddMember',
      memberId: world.scenario.uuid(),
      name: LONG_NAME,
      email: `${index}@example.test`,
    }),
  );
  await world.handle(adding);
  return adding;
}

/** A state of some 430,000 bytes, as the first release let them grow. */
async function growAsBefore(world: WorkspaceWorld): Promise<void> {
  const decideWithMembers: Decide = (command, situation) => {
    const decision = decide(command, situation);
    if (command.type !== 'AddCredits' || decision.state === null) return decision;
    const [member] = Object.values(decision.state.members);
    const added = Array.from({ length: 300 }, (_, index) => ({
      ...{ ...member!, id: world.scenario.uuid(), name: LONG_NAME, email: `${index}@example.test` },
    }));
    const members = { ...decision.state.members, ...Object.fromEntries(added.map((each) => [each.id, each])) };
    return { ...decision, state: { ...decision.state, members } };
  };
  const release = { writtenFormat: new WrittenFormat(), decide: decideWithMembers };
  const owner = world.harness.actor(world.scenario.id, undefined, NO_LIMITS, release);
  await owner.handle([world.scenario.ask({ type: 'AddCredits', credits: 1 })]);
  world.restart();
}

const letters = async (world: WorkspaceWorld) => {
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const decoded = await Promise.all(world.deadLetters().map(async ({ value }) => codec.decode(value)));
  return Promise.all(
    decoded.map(async (letter) => {
      if (!letter.ok || letter.message.type !== 'DeadLetter') throw new Error('no dead letter');
      const { topic, key, error, value } = letter.message;
      return { topic, key, error, copy: await codec.decode(value) };
    }),
  );
};

/** The Workspace does what is asked of it. */
async function expectGoingOn(world: WorkspaceWorld): Promise<void> {
  const channelIds = Object.keys(world.scenario.workspace.channels).slice(0, 1);
  const post = world.creating({
    text: `still here ${world.scenario.uuid()}`,
    channelIds,
    scheduledAt: world.harness.clock.now() + DAY,
  });
  await world.handle([post]);
  expect(world.resultOf(post)).toMatchObject({ ok: true });
}

test.each(['partition', 'store', 'sqlite'] as const)(
  'what is asked and does not fit is refused as too large, each time the same, and changes nothing: %s',
  async (kind) => {
    const world = await WorkspaceWorld.open(kind, ['threads']);
    const adding = await addMembers(world, 465);
    const refused = adding.filter((command) => world.resultOf(command)?.ok === false);
    expect(refused.length).toBeGreaterThan(0);
    for (const command of refused) expect(world.resultOf(command)).toMatchObject({ ok: false, code: 'too_large' });
    const { state } = await world.harness.head(world.scenario.id);
    expect(Object.keys(state.members)).toHaveLength(467 - refused.length);
    await world.harness.rest();
    expect(
      await readResult(world.harness.store, world.scenario.id, (refused[0] as { requestId: string }).requestId),
    ).toMatchObject({ code: 'too_large' });
    world.restart();
    await world.handle([refused[0]!]);
    expect((await world.harness.head(world.scenario.id)).state).toEqual(state);
    await expectGoingOn(world);
    expect(world.deadLetters()).toEqual([]);
  },
  60_000,
);

/**
 * A Post whose files' row is nearly a head, in a Workspace whose state the first release let grow beyond what this one
 * does, and the report that needs both at once.
 */
async function reportTooMany(world: WorkspaceWorld): Promise<{ readonly postId: string; readonly fetched: Command }> {
  const media = world.files(Array.from({ length: 60 }, () => 'a'.repeat(9_000)));
  const post = world.creating({ text: 'a', scheduledAt: world.harness.clock.now() + DAY, media });
  await world.handle([post]);
  expect(world.resultOf(post)).toMatchObject({ ok: true });
  await growAsBefore(world);
  const facts = {
    kind: 'image',
    contentType: 'image/jpeg',
    bytes: 1,
    sha256: 'a'.repeat(64),
    width: 1,
    height: 1,
    durationMs: null,
  } as const;
  return {
    postId: post.postId,
    fetched: {
      type: 'FileFetched',
      workspaceId: world.scenario.id,
      postId: post.postId,
      assetId: media[0]!.inspected!.assetId,
      facts,
      blob: 'b',
    },
  };
}

test('a report that does not fit goes to the dead letters, whole, and the Workspace goes on', async () => {
  const world = await WorkspaceWorld.open('partition', ['threads']);
  const { postId, fetched } = await reportTooMany(world);
  await world.handle([fetched, { type: 'MediaPrepared', workspaceId: world.scenario.id, postId, variants: [1] }]);
  expect(await letters(world)).toEqual([
    {
      topic: 'workspace.commands.v1',
      key: world.scenario.id,
      error: expect.stringContaining("FileFetched can't be carried out"),
      copy: { ok: true, message: fetched },
    },
  ]);
  expect(world.harness.reporter.of('record-dead-lettered')).toHaveLength(1);
  expect((await world.post(postId)).variants.map(({ mediaReady }) => mediaReady)).toEqual([true]);
  await expectGoingOn(world);
});

test('a command that does not fit parks no key, and the commands after it are carried out', async () => {
  const world = await WorkspaceWorld.open('partition', ['threads']);
  const { fetched } = await reportTooMany(world);
  world.restart();
  const { log, store, clock, reporter } = world.harness;
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const options = {
    log,
    store,
    clock,
    reporter,
    codec,
    ids: createSeededIds(99),
    due: createDueTimers(store),
    decide,
    loadsOf,
    rules: NO_LIMITS,
    brake: NO_BRAKE,
    writtenFormat: new WrittenFormat(),
  };
  const service = createWorkspaceService({ ...options, answer: () => {} });
  const credits = world.scenario.ask({ type: 'AddCredits', credits: 5 });
  const before = (await world.harness.head(world.scenario.id)).state.xCredits.available;
  await log.append(
    WORKSPACE_COMMANDS.name,
    [fetched, credits].map((command) => ({ key: world.scenario.id, value: codec.encode(command) })),
  );
  await service.start();
  for (let turn = 0; turn < 300 && service.waiting() + world.deadLetters().length < 1; turn++) await clock.advance(10);
  for (let turn = 0; turn < 300 && service.waiting() > 0; turn++) await clock.advance(10);
  expect(await listParkedKeys(store, WORKSPACE_COMMANDS.name, shardOf(world.scenario.id))).toEqual([]);
  expect(world.deadLetters()).toHaveLength(1);
  expect((await world.harness.head(world.scenario.id)).state.xCredits.available).toBe(before + 5);
  await service.stop();
});

describe.each(['partition', 'store', 'store_and_log'] as const)(
  'a turn that the store refuses for good, the atom a %s',
  (atom) => {
    test('happens without the refused step, which is answered or becomes a dead letter', async () => {
      const world = await WorkspaceWorld.open(atom, ['threads', 'threads']);
      const channelIds = Object.keys(world.scenario.workspace.channels);
      const marked = (channelId: string): Command => ({
        type: 'MarkChannel',
        workspaceId: world.scenario.id,
        channelId,
        state: 'needs_reconnect',
        seenAt: world.harness.clock.now() + 1,
      });
      const credits = (amount: number) => world.scenario.ask({ type: 'AddCredits', credits: amount });
      const commands = [credits(1), marked(channelIds[0]!), credits(666), credits(2), marked(channelIds[1]!)];
      const before = (await world.harness.head(world.scenario.id)).state;
      world.harness.refuse(
        (state) =>
          state.channels[channelIds[0]!]!.state === 'needs_reconnect' ||
          state.xCredits.available >= before.xCredits.available + 666,
      );
      await world.handle(commands);
      const { state } = await world.harness.head(world.scenario.id);
      expect(state.xCredits.available).toBe(before.xCredits.available + 3);
      expect(Object.values(state.channels).map((channel) => channel.state)).toEqual(['connected', 'needs_reconnect']);
      expect([commands[0], commands[2], commands[3]].map((command) => world.resultOf(command!))).toMatchObject([
        { ok: true },
        { ok: false, code: 'too_large' },
        { ok: true },
      ]);
      expect((await letters(world)).map(({ copy }) => copy)).toEqual([{ ok: true, message: commands[1] }]);
    });

    test.each(['a request', 'a report'])(
      'is given up when the store takes nothing at all, and nothing is lost: %s',
      async (what) => {
        const world = await WorkspaceWorld.open(atom, ['threads']);
        world.harness.refuse(() => true);
        const [channelId] = Object.keys(world.scenario.workspace.channels);
        const report: Command = {
          type: 'MarkChannel',
          workspaceId: world.scenario.id,
          channelId: channelId!,
          state: 'needs_reconnect',
          seenAt: world.harness.clock.now() + 1,
        };
        const command = what === 'a report' ? report : world.scenario.ask({ type: 'AddCredits', credits: 1 });
        await expect(world.handle([command])).rejects.toThrow(PortError);
        expect([world.resultOf(command), world.deadLetters()]).toEqual([undefined, []]);
      },
    );

    test('is no reason for an owner that was overtaken to bury anything', async () => {
      const world = await WorkspaceWorld.open(atom, ['threads']);
      const [channelId] = Object.keys(world.scenario.workspace.channels);
      const marking = (seenAt: number): Command => ({
        type: 'MarkChannel',
        workspaceId: world.scenario.id,
        channelId: channelId!,
        state: 'needs_reconnect',
        seenAt,
      });
      const now = world.harness.clock.now();
      let overtaken = false;
      world.harness.refuse((state) => state.channels[channelId!]!.seenAt === now + 1);
      const owner = world.harness.actor(
        world.scenario.id,
        async (step) => {
          if (overtaken || !step.startsWith('before compareAndSet')) return;
          overtaken = true;
          await world.handle([marking(now + 2)]);
        },
        NO_LIMITS,
      );
      await owner.handle([marking(now + 1)]);
      expect([overtaken, world.deadLetters()]).toEqual([true, []]);
    });
  },
);
