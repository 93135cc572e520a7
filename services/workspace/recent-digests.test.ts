import { expect, test } from 'vitest';
import type { Command, CreatePost } from '#domain/workspace/commands.ts';
import { DAY, MINUTE, Scenario } from '#testing/scenario.ts';
import { RecentDigests } from './recent-digests.ts';
import { openWorkspaceHarness } from './workspace-harness.fixture.ts';

/** A Workspace, an owner of it that saw it come, and further owners, whose reads of digests are counted. */
async function aWorkspace() {
  const harness = openWorkspaceHarness('partition');
  const scenario = new Scenario();
  const due = scenario.now + DAY;
  let reads = 0;
  const owner = () =>
    harness.actor(scenario.id, async (step) => {
      if (step === 'before read post_digests') reads++;
    });
  const told = (command: Command): Command => (scenario.tell(command), command);
  const first = owner();
  const ada = { memberId: scenario.uuid(), name: 'Ada', email: 'ada@example.test', emailVerified: true };
  const channel = { channelId: scenario.uuid(), network: 'threads', name: 'threads', accountId: 'threads' } as const;
  await harness.handle(first, [
    told(scenario.ask({ type: 'CreateWorkspace', name: 'W', plan: 'pro', owner: ada })),
    told(scenario.ask({ type: 'ConnectChannel', ...channel, avatarUrl: null, kind: '' })),
  ]);
  return {
    owner,
    first,
    later: async (ms: number): Promise<void> => {
      scenario.now += ms;
      await harness.clock.advance(ms);
    },
    /** Which Post an owner answers with, whether it is the one that was asked for, and what it read of digests. */
    posted: async (by: ReturnType<typeof owner>, text: string) => {
      const command = scenario.creating({ text, scheduledAt: due }) as CreatePost;
      reads = 0;
      await harness.handle(by, [command]);
      const answer = harness.answers.find(({ requestId }) => requestId === command.requestId);
      if (!answer?.result.ok || answer.result.kind !== 'post') throw new Error(JSON.stringify(answer));
      return { postId: answer.result.postId, isNew: answer.result.postId === command.postId, reads };
    },
  };
}

test('an owner that saw a Workspace come asks the table for no digest', async () => {
  const { first, posted, later } = await aWorkspace();
  const one = await posted(first, 'one');
  expect(one).toMatchObject({ isNew: true, reads: 0 });
  expect(await posted(first, 'another')).toMatchObject({ isNew: true, reads: 0 });
  await later(9 * MINUTE);
  expect(await posted(first, 'one')).toEqual({ postId: one.postId, isNew: false, reads: 0 });
  await later(2 * MINUTE);
  expect(await posted(first, 'one')).toMatchObject({ isNew: true, reads: 0 });
});

test('the next owner asks the table, until what was made before it no longer counts', async () => {
  const { owner, first, posted, later } = await aWorkspace();
  const one = await posted(first, 'one');
  await later(9 * MINUTE);
  const next = owner();
  expect(await posted(next, 'one')).toEqual({ postId: one.postId, isNew: false, reads: 1 });
  const two = await posted(next, 'two');
  expect(two).toMatchObject({ isNew: true, reads: 1 });
  expect(await posted(next, 'two')).toEqual({ postId: two.postId, isNew: false, reads: 0 });
  // Ten minutes, the life of a command, and clocks that differ.
  await later(12 * MINUTE);
  expect(await posted(next, 'three')).toMatchObject({ isNew: true, reads: 1 });
  await later(1);
  expect(await posted(next, 'four')).toMatchObject({ isNew: true, reads: 0 });
  // Made by the owner after it, which the first one does not know of.
  const four = await posted(next, 'four');
  expect(await posted(first, 'four')).toEqual({ postId: four.postId, isNew: false, reads: expect.any(Number) });
});

test('an owner asks the table as long as something counts that it had no room for', () => {
  const digests = new RecentDigests(2);
  const load = { digestsFrom: 0 };
  const find = (digest: string, since: number) => digests.find('w', digest, { load, since });
  ['a', 'b', 'c'].forEach((digest, index) =>
    digests.add('w', digest, { postId: `post ${digest}`, createdAt: 5, load, at: 10 + index }),
  );
  expect(find('c', 1)).toEqual({ postId: 'post c', createdAt: 5 });
  expect(find('none', 1)).toBeUndefined();
  expect([find('a', 10), find('none', 10)]).toEqual([undefined, undefined]);
  expect([find('a', 11), find('none', 11)]).toEqual([null, null]);
});

test('what was learned under one load, or of one Workspace, says nothing under another', () => {
  const digests = new RecentDigests(10);
  const load = { digestsFrom: 0 };
  digests.add('w', 'a', { postId: 'p', createdAt: 5, load, at: 10 });
  expect(digests.find('w', 'a', { load: { digestsFrom: 20 }, since: 5 })).toBeUndefined();
  expect(digests.find('v', 'a', { load: { digestsFrom: 0 }, since: 5 })).toBeNull();
});
