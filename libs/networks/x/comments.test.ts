import { expect, test } from 'vitest';
import { jsonAnswer, scriptedNetwork, type Scripted } from '#testing/scripted-network.ts';
import type { FirstComment } from '../contract/adapter.ts';
import { createXComments } from './comments.ts';

const ARMED_AT = Date.UTC(2026, 10, 20, 12);
const comments = createXComments({
  api: 'https://x.test',
  authorize: 'https://x.test/a',
  site: 'https://x.com',
  hosts: {},
  clientId: 'c',
  clientSecret: 's',
});
const commentOn = (http: FirstComment['http'], sinceMs = 0): FirstComment => ({
  http,
  accessToken: 'token-1',
  accountId: '77',
  username: 'ada',
  accountFacts: {},
  now: ARMED_AT + sinceMs,
  itemId: '9',
  text: 'More at example.com',
});
const listed = (...posts: object[]) => jsonAnswer(200, { data: posts, meta: { result_count: posts.length } });
const said = (more: object = {}) => ({
  id: '12',
  conversation_id: '9',
  text: 'More at https://t.co/a',
  entities: { urls: [{ url: 'https://t.co/a', expanded_url: 'http://example.com' }] },
  ...more,
});

test('a first comment is a reply, which is a post by the budget, and has an address of its own', async () => {
  const network = scriptedNetwork(jsonAnswer(201, { data: { id: '12', text: 'More' } }));
  const comment = commentOn(network.http);
  expect(comments.isUse).toBe(true);
  expect(await comments.prepare(comment, null)).toMatchObject({ kind: 'ready', handle: null });
  expect(await comments.publish(comment, null)).toMatchObject({
    kind: 'published',
    remoteId: '12',
    permalink: 'https://x.com/ada/status/12',
  });
  expect(network.asked.map(({ method, url }) => `${method} ${url}`)).toEqual(['POST https://x.test/2/tweets']);
  expect(JSON.parse(String(network.asked[0]?.body))).toEqual({
    text: 'More at example.com',
    reply: { in_reply_to_tweet_id: '9' },
  });
});

test.each<[string, Scripted, object]>([
  ['a lost answer', { cut: 'after' }, { kind: 'unknown' }],
  ['a dead token', jsonAnswer(401, {}), { kind: 'failed', failure: { reason: 'needs_reconnect', retry: 'refresh' } }],
  [
    'a reply that X does not allow',
    jsonAnswer(403, { detail: 'Reply to this conversation is not allowed.' }),
    {
      kind: 'failed',
      failure: { reason: 'rejected_by_platform', detail: 'Reply to this conversation is not allowed.' },
    },
  ],
])('sending meets %s', async (_name, scripted, expected) => {
  expect(await comments.publish(commentOn(scriptedNetwork(scripted).http), null)).toMatchObject(expected);
});

const FOUND = { kind: 'published', remoteId: '12', permalink: 'https://x.com/ada/status/12' };
test.each<[string, readonly object[], number, object]>([
  ['the reply', [said(), { id: '9', conversation_id: '9', text: 'Hello' }], 10_000, FOUND],
  ["the reply behind the account's name", [said({ text: '@ada More at https://t.co/a' })], 10_000, FOUND],
  ['the same words below another post', [said({ conversation_id: '8' })], 10_000, { kind: 'unknown', delayMs: 50_000 }],
  ['the same words as the post itself', [said({ id: '9' })], 10_000, { kind: 'unknown', delayMs: 50_000 }],
  ['other words below the post', [said({ text: 'Thanks', entities: {} })], 10_000, { kind: 'unknown' }],
  ['the reply twice', [said(), said({ id: '13' })], 10_000, { kind: 'unknown', delayMs: null }],
  ['no reply at the last look', [], 180_000, { kind: 'unknown', delayMs: null }],
])('the timeline shows %s', async (_name, posts, sinceMs, expected) => {
  const network = scriptedNetwork(listed(...posts));
  const answer = await comments.reconcile(commentOn(network.http, sinceMs), {
    handle: null,
    armedAt: ARMED_AT,
    asked: 0,
  });
  expect(answer).toMatchObject(expected);
  const query = new URL(network.asked[0]?.url ?? '').searchParams;
  expect(query.get('exclude')).toBe('retweets');
  expect(query.get('post.fields')).toContain('conversation_id');
});
