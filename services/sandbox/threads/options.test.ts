import { describe, expect, test } from 'vitest';
import { setFault, type SandboxHarness, type SignedIn } from '../sandbox.fixture.ts';
import { create, item, media, PROCESSED_MS, processed, publish, read, threads } from './threads.fixture.ts';

const live = async (harness: SandboxHarness) => (await harness.ask('GET', '/sandbox/items')).body.items;
const text = (words: string, more = {}) => ({ media_type: 'TEXT', text: words, ...more });
const statusOf = async (harness: SandboxHarness, who: SignedIn, id: string) =>
  (await read(harness, who, id, 'status')).body.status;

describe('a lost container', () => {
  const lose = async (harness: SandboxHarness, { accountId }: SignedIn, count?: number) => {
    const json = { state: 'lost_container', ...(count === undefined ? {} : { count }) };
    const { status, text: words } = await harness.ask('POST', `/sandbox/accounts/${accountId}/state`, { json });
    if (status !== 200) throw new Error(words);
  };

  test('reads as finished, and is never found at publish; a new one is published', async () => {
    const { harness, who } = await threads();
    await lose(harness, who);
    const lost = await processed(harness, who, text('hello'));
    for (let i = 0; i < 3; i++) {
      const { status, body } = await publish(harness, who, lost);
      expect([status, body.error]).toEqual([400, expect.objectContaining({ code: 24, error_subcode: 4_279_009 })]);
      expect(await statusOf(harness, who, lost)).toBe('FINISHED');
      await harness.clock.advance(3_600_000);
    }
    expect(await live(harness)).toEqual([]);
    expect((await publish(harness, who, await processed(harness, who, text('hello')))).status).toBe(200);
    expect((await publish(harness, who, lost)).status).toBe(400);
    expect(await live(harness)).toMatchObject([{ text: 'hello' }]);
  });

  test('as many are lost as were asked for, and only those that were finished', async () => {
    const { harness, who } = await threads();
    await lose(harness, who, 2);
    const early = await create(harness, who, media('photo'));
    expect((await publish(harness, who, early.body.id)).status).toBe(400);
    for (const expected of [400, 400, 200])
      expect((await publish(harness, who, await processed(harness, who, text('hello')))).status).toBe(expected);
  });
});

test('a published container reads as finished for a while', async () => {
  const { harness, who } = await threads();
  const id = await processed(harness, who, text('hello'));
  await setFault(harness, { network: 'threads', fault: '5xx_after_commit' });
  await publish(harness, who, id);
  expect(await statusOf(harness, who, id)).toBe('FINISHED');
  expect((await publish(harness, who, id)).body.error.error_subcode).toBe(4_279_009);
  await harness.clock.advance(PROCESSED_MS);
  expect(await statusOf(harness, who, id)).toBe('PUBLISHED');
  expect((await live(harness)).length).toBe(1);
});

describe('options', () => {
  test.each([
    [{ topic_tag: 'Bread & butter' }, 'topic_tag'],
    [{ topic_tag: 'v1.0' }, 'topic_tag'],
    [{ topic_tag: '' }, 'topic_tag'],
    [{ topic_tag: 'x'.repeat(51) }, 'topic_tag'],
    [{ reply_control: 'followed' }, 'reply_control'],
  ])('%j is refused', async (wrong, name) => {
    const { harness, who } = await threads();
    const { status, body } = await create(harness, who, text('hello', wrong));
    expect([status, body.error]).toEqual([
      400,
      expect.objectContaining({ code: 100, message: expect.stringContaining(name) }),
    ]);
  });

  test('the item says which it was made with, and the media has its tag', async () => {
    const { harness, who } = await threads();
    const more = { topic_tag: 'Bread', reply_control: 'accounts_you_follow' };
    const children = [await processed(harness, who, item('photo')), await processed(harness, who, item('square'))];
    for (const form of [
      text('a', more),
      media('photo', { text: 'b', ...more }),
      { media_type: 'CAROUSEL', children: children.join(','), ...more },
      text('d', { reply_control: 'followers_only' }),
    ])
      await publish(harness, who, await processed(harness, who, form));
    const [first, ...others] = await live(harness);
    const given = { topicTag: 'Bread', replyControl: 'followed' };
    expect([first, ...others].map(({ options }) => options)).toEqual([given, given, given, {}]);
    expect((await read(harness, who, first.remoteId, 'topic_tag')).body.topic_tag).toBe('Bread');
  });

  test('the first address of a text is its card, unless an attachment names another', async () => {
    const { harness, who } = await threads();
    const [one, other] = ['https://a.test/1?b=c', 'https://b.test/'];
    for (const form of [
      text(`See ${one}, or ${other}`),
      text(`See ${one}`, { link_attachment: other }),
      media('photo', { text: one }),
    ])
      await publish(harness, who, await processed(harness, who, form));
    expect((await live(harness)).map(({ link }: { link: unknown }) => link)).toEqual([
      { url: one },
      { url: other },
      null,
    ]);
  });
});

describe('replies', () => {
  const post = async (harness: SandboxHarness, who: SignedIn): Promise<string> =>
    (await publish(harness, who, await processed(harness, who, text('Bread')))).body.id;

  test('a container that names a post becomes a reply on it, and no post of its own', async () => {
    const { harness, who } = await threads();
    const root = await post(harness, who);
    const container = await processed(harness, who, text('Order here', { reply_to_id: root }));
    const { status, body } = await publish(harness, who, container);
    expect(status).toBe(200);
    const [only, ...more] = await live(harness);
    expect([only.text, more]).toEqual(['Bread', []]);
    expect(only.comments).toEqual([
      {
        remoteId: body.id,
        text: 'Order here',
        publishedAt: '2026-11-20T12:00:02.000Z',
        permalink: expect.stringMatching(/\/@grace\/post\/[a-z0-9]+$/),
      },
    ]);
    const fields = 'id,permalink,text,is_reply,root_post,replied_to';
    expect((await read(harness, who, body.id, fields)).body).toEqual({
      id: body.id,
      permalink: only.comments[0].permalink,
      text: 'Order here',
      is_reply: true,
      root_post: { id: root },
      replied_to: { id: root },
    });
    expect((await harness.ask('GET', new URL(only.comments[0].permalink).pathname)).text).toContain('Order here');
    const calls = (await harness.ask('GET', '/sandbox/calls?network=threads')).body.calls;
    expect(calls.map(({ call }: { call: string }) => call)).toEqual(
      expect.arrayContaining(['replies.create', 'replies.publish']),
    );
  });

  test('they are listed apart from posts, a little later', async () => {
    const { harness, who } = await threads();
    const root = await post(harness, who);
    const reply = await publish(harness, who, await processed(harness, who, text('Yes', { reply_to_id: root })));
    const listed = async (edge: string) =>
      (await harness.ask('GET', `/sim/threads/v1.0/${edge}?fields=id,text`, { token: who.token })).body.data.map(
        ({ id }: { id: string }) => id,
      );
    expect(await listed('me/replies')).toEqual([]);
    await harness.clock.advance(PROCESSED_MS);
    expect([await listed('me/threads'), await listed('me/replies'), await listed(`${root}/replies`)]).toEqual([
      [root],
      [reply.body.id],
      [reply.body.id],
    ]);
  });

  test('a reply to a reply is on the same post', async () => {
    const { harness, who } = await threads();
    const root = await post(harness, who);
    const first = await publish(harness, who, await processed(harness, who, text('one', { reply_to_id: root })));
    const second = await processed(harness, who, text('two', { reply_to_id: first.body.id }));
    const { body } = await publish(harness, who, second);
    expect((await live(harness))[0].comments.map(({ text: words }: { text: string }) => words)).toEqual(['one', 'two']);
    expect((await read(harness, who, body.id, 'root_post,replied_to')).body).toMatchObject({
      root_post: { id: root },
      replied_to: { id: first.body.id },
    });
  });

  test('what is missing can not be replied to, and a reply is published once', async () => {
    const { harness, who } = await threads();
    expect((await create(harness, who, text('Yes', { reply_to_id: '12' }))).body.error.error_subcode).toBe(4_279_009);
    const id = await processed(harness, who, text('Yes', { reply_to_id: await post(harness, who) }));
    expect([(await publish(harness, who, id)).status, (await publish(harness, who, id)).status]).toEqual([200, 400]);
    expect((await live(harness))[0].comments.length).toBe(1);
  });

  test('they have a limit of their own', async () => {
    const { harness, who } = await threads();
    const root = await post(harness, who);
    await harness.ask('POST', '/sandbox/limits', { json: { network: 'threads', limits: { repliesPerDay: 1 } } });
    const reply = async () => publish(harness, who, await processed(harness, who, text('Yes', { reply_to_id: root })));
    expect([(await reply()).status, (await reply()).body.error.code]).toEqual([200, 613]);
    const fields = 'quota_usage,reply_quota_usage,reply_config';
    const limit = await read(harness, who, `${who.accountId}/threads_publishing_limit`, fields);
    expect(limit.body.data).toEqual([
      { quota_usage: 1, reply_quota_usage: 1, reply_config: { quota_total: 1, quota_duration: 86_400 } },
    ]);
  });

  test('a fault of the call that publishes a reply leaves posts alone', async () => {
    const { harness, who } = await threads();
    const root = await post(harness, who);
    const id = await processed(harness, who, text('Yes', { reply_to_id: root }));
    await setFault(harness, { network: 'threads', fault: 'drop_after_commit', call: 'replies.publish' });
    const form = { creation_id: id };
    const url = `/sim/threads/v1.0/${who.accountId}/threads_publish`;
    expect(await harness.outcome('POST', url, { token: who.token, form })).toEqual({ cut: 'after' });
    await harness.clock.advance(PROCESSED_MS);
    expect(await statusOf(harness, who, id)).toBe('PUBLISHED');
    expect((await live(harness))[0].comments.length).toBe(1);
  });
});
