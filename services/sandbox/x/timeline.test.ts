import { describe, expect, test } from 'vitest';
import { createHarness, signInX, type SandboxHarness, type SignedIn } from '../sandbox.fixture.ts';

/** Longer than a post takes to appear in lists. */
const LISTED_MS = 100;

async function signedIn() {
  const harness = createHarness();
  await harness.ask('POST', '/sandbox/limits', { json: { network: 'x', limits: { tweetsCreatePerUser: 10_000 } } });
  return { harness, who: await signInX(harness) };
}

const post = (harness: SandboxHarness, who: SignedIn, body: object) =>
  harness.ask('POST', '/sim/x/2/tweets', { token: who.token, json: body });
const timeline = (harness: SandboxHarness, who: SignedIn, query = '') =>
  harness.ask('GET', `/sim/x/2/users/${who.accountId}/tweets?${query}`, { token: who.token });
const items = async (harness: SandboxHarness): Promise<readonly any[]> =>
  (await harness.ask('GET', '/sandbox/items')).body.items;

async function postMany(harness: SandboxHarness, who: SignedIn, count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let each = 0; each < count; each++) ids.push((await post(harness, who, { text: `post ${each}` })).body.data.id);
  await harness.clock.advance(LISTED_MS);
  return ids.reverse();
}

/** Every id that the pages have, in order. */
async function readAll(harness: SandboxHarness, who: SignedIn, query = ''): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let token: string | null = ''; token !== null;) {
    const page: string = token === '' ? '' : `&pagination_token=${token}`;
    const { body } = await timeline(harness, who, `max_results=100${query}${page}`);
    ids.push(...body.data.map(({ id }: { readonly id: string }) => id));
    token = body.meta.next_token ?? null;
  }
  return ids;
}

describe('the timeline of x', () => {
  test('its pages follow each other by a token that is no id', async () => {
    const { harness, who } = await signedIn();
    const ids = await postMany(harness, who, 250);
    const first = await timeline(harness, who, 'max_results=100');
    expect(first.body.meta.next_token).toMatch(/^[0-9a-v]+$/);
    expect(ids).not.toContain(first.body.meta.next_token);
    expect(await readAll(harness, who)).toEqual(ids);
  });

  test('it ends with the newest posts that X lists, 3,200 unless a test says less', async () => {
    const { harness, who } = await signedIn();
    const ids = await postMany(harness, who, 130);
    const set = await harness.ask('POST', '/sandbox/limits', { json: { network: 'x', limits: {} } });
    expect(set.body.limits.timelinePosts).toBe(3_200);
    await harness.ask('POST', '/sandbox/limits', { json: { network: 'x', limits: { timelinePosts: 120 } } });
    expect(await readAll(harness, who)).toEqual(ids.slice(0, 120));
    const before = await timeline(harness, who, `until_id=${ids[119]}`);
    expect(before.body).toEqual({ meta: { result_count: 0 } });
  });

  test('without replies it ends with the 800 newest posts', async () => {
    const { harness, who } = await signedIn();
    const ids = await postMany(harness, who, 830);
    expect(await readAll(harness, who)).toEqual(ids);
    expect(await readAll(harness, who, '&exclude=replies,retweets')).toEqual(ids.slice(0, 800));
  });

  test('a field without a name at X is dropped without a word', async () => {
    const { harness, who } = await signedIn();
    await postMany(harness, who, 1);
    const { status, body } = await timeline(harness, who, 'tweet.fields=lang,secrets');
    expect([status, Object.keys(body.data[0])]).toEqual([200, ['id', 'text', 'edit_history_tweet_ids', 'lang']]);
  });

  test('each dialect has its own names of fields, and a name of the other is dropped', async () => {
    const harness = createHarness();
    const who = await signInX(harness, { account_kind: 'premium' });
    const text = 'a long story '.repeat(40).trim();
    await post(harness, who, { text });
    await harness.clock.advance(LISTED_MS);
    const read = async (query: string) => (await timeline(harness, who, query)).body.data[0];
    const notes = 'note_tweet,note_post';
    const older = await read(`tweet.fields=${notes}`);
    expect([older.note_tweet.text, 'note_post' in older, 'edit_history_tweet_ids' in older]).toEqual([
      text,
      false,
      true,
    ]);
    const current = await read(`post.fields=${notes}`);
    expect([current.note_post.text, 'note_tweet' in current, 'edit_history_post_ids' in current]).toEqual([
      text,
      false,
      true,
    ]);
    const mixed = await read('post.fields=lang&tweet.fields=created_at');
    expect(['lang' in mixed, 'created_at' in mixed]).toEqual([true, false]);
  });

  test('a text over 280 characters is cut, and whole in its note with its addresses', async () => {
    const harness = createHarness();
    const who = await signInX(harness, { account_kind: 'premium' });
    const text = `https://example.com/first ${'words and more words '.repeat(20)}https://example.com/last`;
    await post(harness, who, { text });
    await harness.clock.advance(LISTED_MS);
    const [listed] = (await timeline(harness, who, 'tweet.fields=note_tweet,entities')).body.data;
    expect([...listed.text].length).toBeLessThanOrEqual(280);
    expect(listed.text).toMatch(/… https:\/\/t\.co\/\w{10}$/);
    const expanded = (entities: any) => entities.urls.map((url: { readonly expanded_url: string }) => url.expanded_url);
    expect(expanded(listed.entities)).toEqual(['https://example.com/first']);
    expect(expanded(listed.note_tweet.entities)).toEqual(['https://example.com/first', 'https://example.com/last']);
  });
});

describe('replies at x', () => {
  test('a reply to an own post is its comment, not another item; the list has it unless replies are excluded', async () => {
    const { harness, who } = await signedIn();
    const made = await post(harness, who, { text: 'The post' });
    const { id } = made.body.data;
    const reply = { in_reply_to_tweet_id: id };
    const answered = await post(harness, who, { text: 'The first reply', reply });
    expect(answered.status).toBe(201);
    const replyId = answered.body.data.id;
    expect(await items(harness)).toEqual([
      expect.objectContaining({
        text: 'The post',
        comments: [
          {
            remoteId: replyId,
            text: 'The first reply',
            publishedAt: expect.stringMatching(/Z$/),
            permalink: `http://sandbox.test/sim/x/ada/status/${replyId}`,
          },
        ],
      }),
    ]);
    await harness.clock.advance(LISTED_MS);
    const { data } = (await timeline(harness, who, 'tweet.fields=referenced_tweets,conversation_id')).body;
    expect(data.map((each: { readonly id: string }) => each.id)).toEqual([replyId, id]);
    expect(data[0]).toMatchObject({ conversation_id: id, referenced_tweets: [{ type: 'replied_to', id }] });
    const without = (await timeline(harness, who, 'exclude=replies,retweets')).body.data;
    expect(without.map((each: { readonly id: string }) => each.id)).toEqual([id]);
    expect((await harness.ask('GET', `/sim/x/ada/status/${replyId}`)).status).toBe(200);
  });

  test('a reply to a reply appears below the same post', async () => {
    const { harness, who } = await signedIn();
    const { id } = (await post(harness, who, { text: 'The post' })).body.data;
    const first = await post(harness, who, { text: 'One', reply: { in_reply_to_tweet_id: id } });
    await post(harness, who, { text: 'Two', reply: { in_reply_to_tweet_id: first.body.data.id } });
    expect((await items(harness))[0].comments.map(({ text }: { readonly text: string }) => text)).toEqual([
      'One',
      'Two',
    ]);
    await harness.clock.advance(LISTED_MS);
    const { data } = (await timeline(harness, who, 'post.fields=conversation_id')).body;
    expect(data.map((each: { readonly conversation_id: string }) => each.conversation_id)).toEqual([id, id, id]);
  });

  test('a reply to nothing, or to a post of an account that never engaged this one, is forbidden', async () => {
    const { harness, who } = await signedIn();
    const { id } = (await post(harness, who, { text: 'The post' })).body.data;
    const other = await signInX(harness);
    const answer = (account: SignedIn, to: string) =>
      post(harness, account, { text: 'Hello', reply: { in_reply_to_tweet_id: to } });
    expect((await answer(other, '1')).body).toMatchObject({
      status: 403,
      detail: 'You attempted to reply to a Tweet that is deleted or not visible to you.',
    });
    expect((await answer(other, id)).body).toMatchObject({
      status: 403,
      detail: expect.stringContaining('you have not been mentioned or otherwise engaged'),
    });
    expect((await items(harness))[0].comments).toEqual([]);
  });

  test('the same reply to the same post is a duplicate, below another post it is not', async () => {
    const { harness, who } = await signedIn();
    const ids = [];
    for (const text of ['One', 'Two']) ids.push((await post(harness, who, { text })).body.data.id);
    const answer = (to: string) => post(harness, who, { text: 'Same', reply: { in_reply_to_tweet_id: to } });
    expect((await answer(ids[0])).status).toBe(201);
    expect((await answer(ids[0])).body.detail).toContain('duplicate content');
    expect((await answer(ids[1])).status).toBe(201);
  });

  test('a reply is a call of its own for faults and the list of calls, and counts as a post', async () => {
    const { harness, who } = await signedIn();
    await harness.ask('POST', '/sandbox/limits', { json: { network: 'x', limits: { tweetsCreatePerUser: 2 } } });
    const { id } = (await post(harness, who, { text: 'The post' })).body.data;
    const answer = (text: string) => post(harness, who, { text, reply: { in_reply_to_tweet_id: id } });
    const fault = { network: 'x', fault: '5xx_after_commit', call: 'tweets.reply' };
    await harness.ask('POST', '/sandbox/faults', { json: fault });
    expect((await answer('One')).status).toBe(500);
    expect((await items(harness))[0].comments).toHaveLength(1);
    expect((await answer('Two')).status).toBe(429);
    const { calls } = (await harness.ask('GET', '/sandbox/calls?network=x')).body;
    expect(calls.slice(-2).map(({ call }: { readonly call: string }) => call)).toEqual([
      'tweets.reply',
      'tweets.reply',
    ]);
  });
});

test('an item tells who may reply and that it was made with AI, in our names', async () => {
  const { harness, who } = await signedIn();
  await post(harness, who, { text: 'a', reply_settings: 'following', made_with_ai: true });
  await post(harness, who, { text: 'b', reply_settings: 'mentionedUsers' });
  await post(harness, who, { text: 'c' });
  expect((await items(harness)).map(({ options }) => options)).toEqual([
    { replySettings: 'following', madeWithAi: true },
    { replySettings: 'mentioned' },
    {},
  ]);
  await harness.clock.advance(LISTED_MS);
  const { data } = (await timeline(harness, who, 'post.fields=reply_settings')).body;
  expect(data.map((each: { readonly reply_settings: string }) => each.reply_settings)).toEqual([
    'everyone',
    'mentionedUsers',
    'following',
  ]);
});
