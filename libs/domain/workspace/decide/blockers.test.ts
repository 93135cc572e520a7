import { expect, test } from 'vitest';
import { aWorkspace, RULES, type Scenario } from '#testing/scenario.ts';
import type { NetworkLimits } from '../../network-limits.ts';
import type { Network } from '../../network.ts';
import type { CreatePost } from '../commands.ts';
import type { Draft } from '../../post/draft.ts';
import { blockersOf } from './blockers.ts';

/** Blockers of a Post, and the drafts that Networks were asked about on the way. */
function judged(workspace: Scenario, fields: Partial<CreatePost>, ofYoutube?: NetworkLimits) {
  const asked: Draft[] = [];
  const limitsOf = (network: Network) => ({
    network,
    judge: (draft: Draft) => (
      asked.push(draft),
      [
        {
          code: 'problem' as const,
          part: 'text' as const,
          message: `${draft.channel.kind} ${draft.options.youtube?.title} ${draft.placement}`,
        },
      ]
    ),
  });
  const rules = {
    ...RULES,
    limits: { x: limitsOf('x'), youtube: ofYoutube ?? limitsOf('youtube'), facebook: limitsOf('facebook') },
  };
  const view = {
    posts: new Map(),
    assets: new Map(),
    digests: new Map(),
    idempotencyKeys: new Map(),
    tokenOwners: new Map(),
    dueWeek: null,
  };
  const command = workspace.creating(fields);
  return {
    asked,
    blockers: blockersOf(
      { state: workspace.workspace, view, now: workspace.now, rules, holds: [], restoration: null },
      command,
      [],
    ),
  };
}

test('a Network is asked once for all Channels that it judges alike, and each of them is named', () => {
  const workspace = aWorkspace({ credits: 500, plan: 'agency' });
  const channels = Array.from({ length: 50 }, (_, index) => workspace.channel('x', `${index}`));
  const options = Object.fromEntries(
    channels.map((id, index) => [id, { youtube: { title: `for somebody else ${index}` } }]),
  );
  const { asked, blockers } = judged(workspace, { channelIds: channels, channelOptions: options });
  expect(asked).toHaveLength(1);
  expect(asked[0]!.options).toEqual({});
  expect(blockers.map(({ channelId }) => channelId)).toEqual(channels);
});

test('Channels that differ in kind, options of their Network or placement are judged each', () => {
  const workspace = aWorkspace({ plan: 'agency' });
  const [first, second, third, page] = [
    workspace.channel('youtube', 'a'),
    workspace.channel('youtube', 'b'),
    workspace.channel('youtube', 'c'),
    workspace.channel('facebook', 'd'),
  ];
  const channelOptions = {
    [first]: { youtube: { title: 'One' } },
    [second]: { youtube: { title: 'Two' } },
    [third]: { youtube: { title: 'One' } },
    [page]: { placement: 'feed_and_story' as const },
  };
  const { asked, blockers } = judged(workspace, { text: '', channelIds: [first, second, third, page], channelOptions });
  expect(asked.map(({ options, placement }) => `${options.youtube?.title} ${placement}`)).toEqual([
    'One feed',
    'Two feed',
    'undefined feed',
    'undefined story',
  ]);
  expect(blockers.filter(({ message }) => message.includes('One')).map(({ channelId }) => channelId)).toEqual([
    first,
    third,
  ]);
});

test('a text that Channels share is measured once for the Post, however much their options differ', () => {
  const workspace = aWorkspace({ plan: 'agency' });
  const channels = Array.from({ length: 20 }, (_, index) => workspace.channel('youtube', `${index}`));
  const channelOptions = Object.fromEntries(channels.map((id, index) => [id, { firstComment: `${index}` }]));
  let measured = 0;
  const limits: NetworkLimits = {
    network: 'youtube',
    judge: ({ text }, once = (_, judge) => judge()) =>
      once(text, () => {
        measured += 1;
        return [{ code: 'problem', part: 'text', message: 'It is too long.' }];
      }),
  };
  const { blockers } = judged(workspace, { channelIds: channels, channelOptions }, limits);
  expect(measured).toBe(1);
  expect(blockers.map(({ channelId }) => channelId)).toEqual(channels);
});
