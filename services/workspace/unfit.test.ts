import { describe, expect, test } from 'vitest';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import type { Command } from '#domain/workspace/commands.ts';
import { decide } from '#domain/workspace/decide.ts';
import { needsOf } from '#domain/workspace/loads.ts';
import { PortError } from '#ports/errors.ts';
import { DAY } from '#testing/scenario.ts';
import { createDueTimers } from '#tables/repositories/due.ts';
import { listParkedKeys } from '#tables/repositories/parking.ts';
import { shardOf, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { readResult } from '#tables/repositories/workspaces.ts';
import { NO_LIMITS, Town } from './post-life.fixture.ts';
import { createWorkspaceService } from './service.ts';

const LONG_NAME = '\u0001'.repeat(200);

/** Members with long names, some 1,450 bytes of the state each; what is not taken is answered. */
async function addMembers(town: Town, count: number): Promise<readonly Command[]> {
  const adding = Array.from({ length: count }, (_, index) => town.scenario.ask({ type: 'AddMember', memberId: town.scenario.uuid(), name: LONG_NAME, email: `${index}@example.test` }));
  await town.handle(adding);
  return adding;
}

const letters = async (town: Town) => {
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const decoded = await Promise.all(town.deadLetters().map(async ({ value }) => codec.decode(value)));
  return Promise.all(
    decoded.map(async (letter) => {
      if (!letter.ok || letter.message.type !== 'DeadLetter') throw new Error('no dead letter');
      const { topic, key, error, value } = letter.message;
      return { topic, key, error, copy: await codec.decode(value) };
    }),
  );
};

/** The Workspace does what is asked of it. */
async function expectGoingOn(town: Town): Promise<void> {
  const channelIds = Object.keys(town.scenario.workspace.channels).slice(0, 1);
  const post = town.creating({ text: `still here ${town.scenario.uuid()}`, channelIds, scheduledAt: town.bench.clock.now() + DAY });
  await town.handle([post]);
  expect(town.resultOf(post)).toMatchObject({ ok: true });
}

test.each(['partition', 'store', 'sqlite'] as const)('what is asked and does not fit is refused as too large, each time the same, and changes nothing: %s', async (kind) => {
  const town = await Town.open(kind, ['threads']);
  const adding = await addMembers(town, 465);
  const refused = adding.filter((command) => town.resultOf(command)?.ok === false);
  expect(refused.length).toBeGreaterThan(0);
  for (const command of refused) expect(town.resultOf(command)).toMatchObject({ ok: false, code: 'too_large' });
  const { state } = await town.bench.head(town.scenario.id);
  expect(Object.keys(state.members)).toHaveLength(467 - refused.length);
  await town.bench.rest();
  expect(await readResult(town.bench.store, town.scenario.id, (refused[0] as { requestId: string }).requestId)).toMatchObject({ code: 'too_large' });
  town.restart();
  await town.handle([refused[0]!]);
  expect((await town.bench.head(town.scenario.id)).state).toEqual(state);
  await expectGoingOn(town);
  expect(town.deadLetters()).toEqual([]);
}, 60_000);

/** A Post whose files' row and the Workspace's state together are more than a head, and the report that would need both. */
async function reportTooMany(town: Town): Promise<{ readonly postId: string; readonly fetched: Command }> {
  const media = town.files(Array.from({ length: 70 }, () => 'a'.repeat(9_000)));
  const post = town.creating({ text: 'a', scheduledAt: town.bench.clock.now() + DAY, media });
  await town.handle([post]);
  expect(town.resultOf(post)).toMatchObject({ ok: true });
  await addMembers(town, 300);
  const facts = { kind: 'image', contentType: 'image/jpeg', bytes: 1, sha256: 'a'.repeat(64), width: 1, height: 1, durationMs: null } as const;
  return { postId: post.postId, fetched: { type: 'FileFetched', workspaceId: town.scenario.id, postId: post.postId, assetId: media[0]!.inspected!.assetId, facts, blob: 'b' } };
}

test('a report that does not fit goes to the dead letters, whole, and the Workspace goes on', async () => {
  const town = await Town.open('partition', ['threads']);
  const { postId, fetched } = await reportTooMany(town);
  await town.handle([fetched, { type: 'MediaPrepared', workspaceId: town.scenario.id, postId, variants: [1] }]);
  expect(await letters(town)).toEqual([
    { topic: 'workspace.commands.v1', key: town.scenario.id, error: expect.stringContaining("FileFetched can't be carried out"), copy: { ok: true, message: fetched } },
  ]);
  expect(town.bench.reporter.of('record-dead-lettered')).toHaveLength(1);
  expect((await town.post(postId)).variants.map(({ mediaReady }) => mediaReady)).toEqual([true]);
  await expectGoingOn(town);
}, 60_000);

test('what does not fit parks no key, and what stands behind it in the log is done', async () => {
  const town = await Town.open('partition', ['threads']);
  const { fetched } = await reportTooMany(town);
  town.restart();
  const { log, store, clock, reporter } = town.bench;
  const codec = createCodec({ registry: createBuiltInRegistry() });
  const parts = { log, store, clock, reporter, codec, ids: createSeededIds(99), due: createDueTimers(store), decide, needsOf, rules: NO_LIMITS };
  const service = createWorkspaceService({ ...parts, answer: () => {} });
  const credits = town.scenario.ask({ type: 'AddCredits', credits: 5 });
  const before = (await town.bench.head(town.scenario.id)).state.xCredits.available;
  await log.append(WORKSPACE_COMMANDS.name, [fetched, credits].map((command) => ({ key: town.scenario.id, value: codec.encode(command) })));
  await service.start();
  for (let turn = 0; turn < 300 && service.waiting() + town.deadLetters().length < 1; turn++) await clock.advance(10);
  for (let turn = 0; turn < 300 && service.waiting() > 0; turn++) await clock.advance(10);
  expect(await listParkedKeys(store, WORKSPACE_COMMANDS.name, shardOf(town.scenario.id))).toEqual([]);
  expect(town.deadLetters()).toHaveLength(1);
  expect((await town.bench.head(town.scenario.id)).state.xCredits.available).toBe(before + 5);
  await service.stop();
}, 60_000);

describe.each(['partition', 'store'] as const)('a turn that the store refuses for good, the atom a %s', (atom) => {
  test('happens without what is refused, which is answered or goes to the dead letters', async () => {
    const town = await Town.open(atom, ['threads', 'threads']);
    const channelIds = Object.keys(town.scenario.workspace.channels);
    const marked = (channelId: string): Command => ({ type: 'MarkChannel', workspaceId: town.scenario.id, channelId, state: 'needs_reconnect', seenAt: town.bench.clock.now() + 1 });
    const credits = (amount: number) => town.scenario.ask({ type: 'AddCredits', credits: amount });
    const commands = [credits(1), marked(channelIds[0]!), credits(666), credits(2), marked(channelIds[1]!)];
    const before = (await town.bench.head(town.scenario.id)).state;
    town.bench.refuse((state) => state.channels[channelIds[0]!]!.state === 'needs_reconnect' || state.xCredits.available >= before.xCredits.available + 666);
    await town.handle(commands);
    const { state } = await town.bench.head(town.scenario.id);
    expect(state.xCredits.available).toBe(before.xCredits.available + 3);
    expect(Object.values(state.channels).map((channel) => channel.state)).toEqual(['connected', 'needs_reconnect']);
    expect([commands[0], commands[2], commands[3]].map((command) => town.resultOf(command!))).toMatchObject([{ ok: true }, { ok: false, code: 'too_large' }, { ok: true }]);
    expect((await letters(town)).map(({ copy }) => copy)).toEqual([{ ok: true, message: commands[1] }]);
  });

  test.each(['a request', 'a report'])('is given up when the store takes nothing at all, and nothing is lost: %s', async (what) => {
    const town = await Town.open(atom, ['threads']);
    town.bench.refuse(() => true);
    const [channelId] = Object.keys(town.scenario.workspace.channels);
    const report: Command = { type: 'MarkChannel', workspaceId: town.scenario.id, channelId: channelId!, state: 'needs_reconnect', seenAt: town.bench.clock.now() + 1 };
    const command = what === 'a report' ? report : town.scenario.ask({ type: 'AddCredits', credits: 1 });
    await expect(town.handle([command])).rejects.toThrow(PortError);
    expect([town.resultOf(command), town.deadLetters()]).toEqual([undefined, []]);
  });

  test('is no reason for an owner that was overtaken to bury anything', async () => {
    const town = await Town.open(atom, ['threads']);
    const [channelId] = Object.keys(town.scenario.workspace.channels);
    const marking = (seenAt: number): Command => ({ type: 'MarkChannel', workspaceId: town.scenario.id, channelId: channelId!, state: 'needs_reconnect', seenAt });
    const now = town.bench.clock.now();
    let overtaken = false;
    town.bench.refuse((state) => state.channels[channelId!]!.seenAt === now + 1);
    const owner = town.bench.actor(town.scenario.id, async (step) => {
      if (overtaken || !step.startsWith('before compareAndSet')) return;
      overtaken = true;
      await town.handle([marking(now + 2)]);
    }, NO_LIMITS);
    await owner.handle([marking(now + 1)]);
    expect([overtaken, town.deadLetters()]).toEqual([true, []]);
  });
});
