import { expect, test } from 'vitest';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { createCodec } from '#codec/avro-codec.ts';
import type { Command } from '#domain/workspace/commands.ts';
import { shardOf, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { aWorkspace, DAY, MINUTE } from '#testing/scenario.ts';
import { openWorkspaceHarness } from './workspace-harness.fixture.ts';

const codec = createCodec({ registry: createBuiltInRegistry() });

/** A Workspace whose Channel was disconnected, and whose Downgrade is due in a day; the log lost the sweep's step. */
async function open() {
  const harness = openWorkspaceHarness();
  const told: Command[] = [];
  const scenario = aWorkspace({ plan: 'agency', onCommand: (command) => void told.push(command) });
  const channelId = scenario.channel('threads');
  const postId = scenario.post({ scheduledAt: scenario.now + 30 * DAY });
  scenario.must({ type: 'SetPlan', plan: 'pro', effectiveAt: scenario.now + DAY });
  scenario.must({ type: 'DisconnectChannel', channelId, memberId: null });
  const actor = harness.actor(scenario.id);
  await harness.handle(actor, told);
  const partition = shardOf(scenario.id);
  let read = 0;
  /** What was appended since, by type. */
  const sent = async (): Promise<readonly Command[]> => {
    const records = harness.log.control.records({ topic: WORKSPACE_COMMANDS.name, partition }).slice(read);
    read += records.length;
    const decoded = await Promise.all(records.map(({ value }) => codec.decode(value)));
    return decoded.flatMap((each) => (each.ok ? [each.message as Command] : []));
  };
  const types = async () => (await sent()).map(({ type }) => type);
  const pass = async (ms: number): Promise<void> => {
    await harness.clock.advance(ms);
    await harness.rest();
  };
  const credit = (): Command => ({
    ...scenario.ask({ type: 'AddCredits', credits: 1 }),
    ...{ issuedAt: harness.clock.now(), notAfter: harness.clock.now() + MINUTE },
  });
  return { harness, scenario, actor, postId, sent, types, pass, credit };
}

test('a sweep whose step was lost goes on with the next owner, by whatever brings it to load the Workspace', async () => {
  const { harness, scenario, sent, types, pass, credit } = await open();
  await pass(10_000);
  expect(await types()).toEqual(['ContinueSweep']);
  const next = harness.actor(scenario.id);
  await harness.handle(next, [credit()]);
  const again = await sent();
  expect(again.map(({ type }) => type)).toEqual(['ContinueSweep']);
  for (let commands = again; commands.length > 0; commands = await sent()) await harness.handle(next, commands);
  expect((await harness.head(scenario.id)).state.sweeps).toEqual([]);
  next.forget();
  await harness.handle(next, [credit()]);
  expect(await types()).toEqual([]);
});

test('its owner sends a step again that it waits for in vain, and no more once the sweep has ended', async () => {
  const { harness, scenario, actor, sent, types, pass } = await open();
  expect(await types()).toEqual(['ContinueSweep']);
  await pass(MINUTE - 5_000);
  expect(await types()).toEqual([]);
  await pass(10_000);
  const again = await sent();
  expect(again.map(({ type }) => type)).toEqual(['ContinueSweep']);
  for (let commands = again; commands.length > 0; commands = await sent()) await harness.handle(actor, commands);
  expect((await harness.head(scenario.id)).state.sweeps).toEqual([]);
  await pass(20 * MINUTE);
  expect(await types()).toEqual([]);
});

test('a Downgrade that is due and did not come is asked for when the Workspace is loaded', async () => {
  const { harness, scenario, actor, sent, pass, credit } = await open();
  await sent();
  actor.forget();
  await pass(DAY);
  const next = harness.actor(scenario.id);
  await harness.handle(next, [credit()]);
  for (let commands = await sent(); commands.length > 0; commands = await sent()) await harness.handle(next, commands);
  expect((await harness.head(scenario.id)).state).toMatchObject({ plan: 'pro', comingPlan: null });
});
