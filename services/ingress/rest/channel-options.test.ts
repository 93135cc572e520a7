import { describe, expect, test } from 'vitest';
import type { AccountChoices } from '#connections/account-choices.ts';
import { openIngressWorld, type HarnessAnswer } from '../ingress-harness.fixture.ts';

const TOMORROW = 24 * 3_600_000;

describe('GET /api/channels/{id}/options', () => {
  test('answers with the defaults of the Channel and what its Network lets the account choose', async () => {
    const choices = { nickname: 'Ada', privacy: ['public', 'only_me'] as const, longestVideoSeconds: 600 };
    await using open = await openIngressWorld({ accountChoices: async () => ({ kind: 'ok', choices }) });
    const { scenario, world } = open;
    const channelId = world.channel(scenario, 'tiktok');
    scenario.must({ type: 'SetChannelDefaults', channelId, defaults: { privacy: 'only_me' } });
    const { status, body } = await open.harness.call('GET', `/api/channels/${channelId}/options`, { key: open.key });
    expect([status, body]).toEqual([200, { data: { network: 'tiktok', defaults: { privacy: 'only_me' }, choices } }]);
  });

  test.each<[string, AccountChoices, number, string]>([
    ['a Network that refuses the token', { kind: 'needs_reconnect', detail: 'no' }, 409, 'channel_disconnected'],
    ['a Network that is away', { kind: 'unavailable', detail: 'no' }, 503, 'unavailable'],
  ])('%s', async (_, answer, status, code) => {
    await using open = await openIngressWorld({ accountChoices: async () => answer });
    const answered = await open.harness.call('GET', `/api/channels/${open.channels[0]}/options`, { key: open.key });
    expect([answered.status, answered.body.error.code]).toEqual([status, code]);
  });

  test('a Channel of another Workspace, and one that was disconnected, are not found', async () => {
    await using open = await openIngressWorld();
    const { scenario, world } = open;
    const foreign = world.channel(world.workspace(), 'x');
    const gone = world.channel(scenario, 'threads');
    scenario.must({ type: 'DisconnectChannel', channelId: gone, memberId: null });
    for (const id of [foreign, gone, 'nonsense']) {
      const { status } = await open.harness.call('GET', `/api/channels/${id}/options`, { key: open.key });
      expect(status, id).toBe(id === 'nonsense' ? 400 : 404);
    }
  });
});

describe('channelOptions of POST /api/posts', () => {
  const bad: readonly (readonly [object, string])[] = [
    [{ unknown: 1 }, 'unknown'],
    [{ firstComment: ' ' }, 'firstComment'],
    [{ privacy: 'everybody' }, 'privacy'],
    [{ collaborators: [] }, 'collaborators'],
    [{ collaborators: ['a', 'b', 'c', 'd'] }, 'collaborators'],
    [{ userTags: [{ username: 'ada', x: 2, y: 0 }] }, 'userTags'],
    [{ cover: {} }, 'cover'],
    [{ cover: { atSeconds: -1 } }, 'cover'],
    [{ cover: { atSeconds: 1, url: 'https://files.test/a.jpg' } }, 'cover'],
    [{ title: 'a', youtube: { title: 'b' } }, 'title'],
    [{ link: 'yes' }, 'link'],
    [{ categoryId: 'music' }, 'categoryId'],
  ];
  test.each(bad)('%j is 400 and names the field', async (options, field) => {
    await using open = await openIngressWorld();
    const id = open.channels[0]!;
    const sent = { text: 'Hi', channelIds: [id], channelOptions: { [id]: options } };
    const { status, body } = await open.harness.call('POST', '/api/posts', { key: open.key, body: sent });
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect(body.error.message).toContain(field);
  });

  test('an option that the Network lacks is a blocker that names it, in validate and in bulk too', async () => {
    await using open = await openIngressWorld();
    const id = open.channels[0]!;
    const sent = { text: 'Hi', channelIds: [id], channelOptions: { [id]: { tags: ['a'] } } };
    const answers: HarnessAnswer[] = [
      await open.harness.call('POST', '/api/posts', { key: open.key, body: sent }),
      await open.harness.call('POST', '/api/posts/validate', { key: open.key, body: sent }),
      await open.harness.call('POST', '/api/posts/bulk', { key: open.key, body: { posts: [sent] } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([422, 200, 200]);
    for (const { body } of answers) expect(JSON.stringify(body)).toContain('has no option tags');
  });

  test('the same Post with other options is another, and with the same ones the first', async () => {
    await using open = await openIngressWorld();
    const [id] = open.channels;
    const scheduledAt = new Date(open.clock.now() + TOMORROW).toISOString();
    const create = async (options: object) => {
      const sent = { text: 'Hi', channelIds: [id], scheduledAt, channelOptions: { [id]: options } };
      return (await open.harness.call('POST', '/api/posts', { key: open.key, body: sent })).body.data;
    };
    const first = await create({ text: 'one' });
    expect(first.variants[0]).toMatchObject({ text: 'one', firstComment: null });
    expect((await create({ text: 'two' })).id).not.toBe(first.id);
    expect((await create({ text: 'one' })).id).toBe(first.id);
  });
});
