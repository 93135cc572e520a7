import { expect, test } from 'vitest';
import type { Command, CreatePost } from '#domain/workspace/commands.ts';
import { RULES, Scenario } from '#testing/scenario.ts';
import { createDueTimers, minuteOf } from '#tables/repositories/due.ts';
import { shardOf } from '#tables/declarations/topics.ts';
import { openWorkspaceHarness } from './workspace-harness.fixture.ts';

const MINUTE = 60_000;
const MAX_LEAD_MS = 5 * MINUTE;

interface Early {
  readonly commands: readonly Command[];
  /** What the timer says, and when it is due. */
  readonly fires: Command;
  readonly dueAt: number;
}

function begin(scenario: Scenario): readonly Command[] {
  const owner = { memberId: scenario.uuid(), name: 'Ada', email: 'ada@example.test', emailVerified: true };
  const told = (command: Command): Command => (scenario.tell(command), command);
  const channel = scenario.ask({
    type: 'ConnectChannel',
    channelId: scenario.uuid(),
    network: 'threads',
    name: 'a',
    avatarUrl: null,
    accountId: 'a',
    kind: '',
  });
  return [scenario.ask({ type: 'CreateWorkspace', name: 'W', plan: 'pro', owner }), channel].map(told);
}

function anUpload(scenario: Scenario): Early {
  const [first, assetId] = [begin(scenario), scenario.uuid()];
  const expiresAt = scenario.now + RULES.uploadWindowMs;
  const reserving = scenario.ask({ type: 'ReserveUpload', assetId, filename: 'a', contentType: 'image/png', bytes: 5 });
  return {
    commands: [...first, reserving],
    fires: { type: 'UploadExpired', workspaceId: scenario.id, assetId, expiresAt },
    dueAt: expiresAt,
  };
}

function filesOfAPost(scenario: Scenario): Early {
  const first = begin(scenario);
  const inspected = { assetId: scenario.uuid(), contentType: 'image/jpeg', bytes: 2_000, problem: null } as const;
  const creating = scenario.creating({
    text: 'a',
    scheduledAt: scenario.now + 60 * MINUTE,
    media: [{ url: 'https://pictures.test/a.jpg', inspected }],
  }) as CreatePost;
  const cancelling = scenario.ask({ type: 'CancelPost', postId: creating.postId });
  const dueAt = scenario.now + RULES.filesKeptMs;
  const fires: Command = {
    type: 'FilesDue',
    workspaceId: scenario.id,
    postId: creating.postId,
    assetIds: [inspected.assetId],
    attempts: 1,
    dueAt,
  };
  return { commands: [...first, creating, cancelling], fires, dueAt };
}

const cases = { 'an upload nobody took': anUpload, 'files of a Post that ended': filesOfAPost };

test.each(Object.entries(cases))(
  'the timer of %s, fired early twice by a clock far ahead, is another one each time: the same one would have fired',
  async (_what, given) => {
    const harness = openWorkspaceHarness();
    const scenario = new Scenario();
    const { commands, fires, dueAt } = given(scenario);
    const actor = harness.actor(scenario.id);
    await harness.handle(actor, commands);
    for (const earlyMs of [MAX_LEAD_MS + 2 * MINUTE, MAX_LEAD_MS + MINUTE]) {
      await harness.clock.advance(dueAt - earlyMs - harness.clock.now());
      await harness.handle(actor, [fires]);
    }
    const again = dueAt + MAX_LEAD_MS;
    const timers = await createDueTimers(harness.store).read(shardOf(scenario.id), minuteOf(again), null, 10);
    expect(timers.map((timer) => timer.dueAt)).toEqual([again, again]);
  },
);
