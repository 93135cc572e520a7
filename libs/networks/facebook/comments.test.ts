import { describe, expect, test } from 'vitest';
import { jsonAnswer, scriptedNetwork, type Scripted } from '#testing/scripted-network.ts';
import type { FirstComment } from '../contract/adapter.ts';
import { createFacebookComments } from './comments.ts';
import { ARMED_AT, ENDPOINTS, GRAPH, id, jsonOf, refusal } from './facebook.fixture.ts';

const comments = createFacebookComments(ENDPOINTS, {});
const handle = (object = '77_1') => JSON.stringify({ object });

function work(script: readonly Scripted[], more: Partial<FirstComment> = {}) {
  const { http, asked } = scriptedNetwork(...script);
  const account = { accessToken: 'token-1', accountId: '77', username: 'ada', accountFacts: {}, now: ARMED_AT };
  return { comment: { http, ...account, itemId: '77_1', text: 'First & 見て', ...more }, asked };
}

test('a comment is no use of the budget', () => {
  expect(comments).toMatchObject({ network: 'facebook', isUse: false });
});

describe('preparing', () => {
  test.each<[string, string, readonly Scripted[], string, readonly string[]]>([
    ['a post takes comments itself', '77_1', [], '77_1', []],
    ['so does a video or a reel', 'v9', [id('v9')], 'v9', [`${GRAPH}/v9?fields=id`]],
    [
      'a post that is known by the second half of its id is named in full',
      '5',
      [refusal(400, 100, 33), id('77_5')],
      '77_5',
      [`${GRAPH}/5?fields=id`, `${GRAPH}/77_5?fields=id`],
    ],
  ])('%s', async (_name, itemId, script, object, urls) => {
    const { comment, asked } = work(script, { itemId });
    expect(await comments.prepare(comment, null)).toMatchObject({ kind: 'ready', handle: handle(object) });
    expect(asked.map(({ url }) => url)).toEqual(urls);
  });

  test('what is prepared is not looked up again', async () => {
    const { comment, asked } = work([], { itemId: 'v9' });
    expect(await comments.prepare(comment, handle('v9'))).toMatchObject({ kind: 'ready', handle: handle('v9') });
    expect(asked).toHaveLength(0);
  });

  test.each<[string, readonly Scripted[], object]>([
    [
      'what is not to be seen yet, which may come',
      [refusal(400, 100, 33), refusal(400, 100, 33)],
      { reason: 'rejected_by_platform', retry: 'later', delayMs: 30_000 },
    ],
    ['a refused token', [refusal(400, 190)], { reason: 'needs_reconnect', retry: 'refresh' }],
    ['trouble', [refusal(500, 2)], { reason: 'platform_problem', retry: 'later' }],
  ])('fails on %s', async (_name, script, failure) => {
    expect(await comments.prepare(work(script, { itemId: 'v9' }).comment, null)).toMatchObject({
      kind: 'failed',
      failure,
    });
  });
});

describe('publishing', () => {
  const publish = async (...script: Scripted[]) => {
    const { comment, asked } = work(script);
    return { answer: await comments.publish(comment, handle()), asked };
  };
  const permalink = 'https://www.facebook.com/77/posts/1?comment_id=8';

  test('the comment is sent, and its permalink looked up', async () => {
    const { answer, asked } = await publish(id('1_8'), jsonAnswer(200, { permalink_url: permalink }));
    expect(answer).toMatchObject({ kind: 'published', remoteId: '1_8', permalink });
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: `${GRAPH}/77_1/comments`,
      headers: { authorization: 'Bearer token-1' },
    });
    expect(jsonOf(asked[0])).toEqual({ message: 'First & 見て' });
    expect(asked[1]?.url).toBe(`${GRAPH}/1_8?fields=permalink_url`);
  });

  test('a permalink that can not be had changes nothing', async () => {
    expect((await publish(id('1_8'), refusal(400, 10))).answer).toMatchObject({ kind: 'published', permalink: null });
  });

  test.each<[string, Scripted, object]>([
    ['no connection', { cut: 'before' }, { kind: 'failed', failure: { retry: 'later' } }],
    ['a lost answer', { cut: 'after' }, { kind: 'unknown' }],
    ['trouble', refusal(500, 2), { kind: 'unknown' }],
    ['an answer without an id', jsonAnswer(200, {}), { kind: 'unknown' }],
    [
      'a refused token',
      refusal(400, 190),
      { kind: 'failed', failure: { reason: 'needs_reconnect', retry: 'refresh' } },
    ],
    [
      'what is not to be seen yet',
      refusal(400, 100, 33),
      { kind: 'failed', failure: { reason: 'rejected_by_platform', retry: 'later', giveUpAfterMs: 600_000 } },
    ],
    ['a limit', refusal(400, 32), { kind: 'failed', failure: { reason: 'rate_limited' } }],
    ['spam', refusal(400, 368), { kind: 'failed', failure: { reason: 'rejected_by_platform', retry: 'never' } }],
  ])('%s', async (_name, scripted, expected) => {
    expect((await publish(scripted)).answer).toMatchObject(expected);
  });

  test('a permission that is missing for comments only does not count against the Channel', async () => {
    for (const code of [10, 200]) {
      expect((await publish(refusal(403, code))).answer).toMatchObject({
        kind: 'failed',
        failure: {
          reason: 'rejected_by_platform',
          retry: 'never',
          detail: expect.stringMatching(/pages_manage_engagement/),
        },
      });
    }
  });

  test('publishing what was never prepared is a programming error', async () => {
    await expect(comments.publish(work([]).comment, null)).rejects.toThrow();
  });
});

describe('reconciling', () => {
  const entry = (more: object = {}) => ({
    id: '1_8',
    message: 'First & 見て',
    created_time: '2026-11-20T12:00:03+0000',
    from: { id: '77', name: 'Ada' },
    permalink_url: '/77/posts/1?comment_id=8',
    ...more,
  });
  const listed = (...entries: object[]) => jsonAnswer(200, { data: entries });
  const reconcile = async (asked: number, script: readonly Scripted[], afterMs = 10_000) => {
    const made = work(script, { now: ARMED_AT + afterMs });
    const answer = await comments.reconcile(made.comment, { handle: handle(), armedAt: ARMED_AT, asked });
    return { answer, asked: made.asked };
  };

  test('finds the comment among the newest', async () => {
    const { answer, asked } = await reconcile(0, [listed(entry({ id: '1_9', message: 'Nice' }), entry())]);
    expect(answer).toMatchObject({
      kind: 'published',
      remoteId: '1_8',
      permalink: 'https://www.facebook.com/77/posts/1?comment_id=8',
    });
    const url = new URL(asked[0]?.url ?? '');
    expect(`${url.origin}${url.pathname}`).toBe(`${GRAPH}/77_1/comments`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      fields: 'id,message,created_time,from,permalink_url',
      filter: 'toplevel',
      order: 'reverse_chronological',
      limit: '100',
    });
  });

  test('finds it with the line ends and spaces that Facebook keeps', async () => {
    const made = work([listed(entry({ message: 'a\nb' }))], { text: ' a\r\nb\n' });
    expect(await comments.reconcile(made.comment, { handle: handle(), armedAt: ARMED_AT, asked: 0 })).toMatchObject({
      kind: 'published',
    });
  });

  test.each<[string, readonly Scripted[]]>([
    ['of another', [listed(entry({ from: { id: '78' } }))]],
    ['of somebody who is not named', [listed(entry({ from: undefined }))]],
    ['of before', [listed(entry({ created_time: '2026-11-20T11:58:59+0000' }))]],
    ['of a time that can not be read', [listed(entry({ created_time: 'soon' }))]],
    ['that says something else', [listed(entry({ message: 'First' }))]],
    ['of an empty list', [listed()]],
  ])('does not take a comment %s for ours, and never sends another', async (_name, script) => {
    expect((await reconcile(0, script)).answer).toMatchObject({ kind: 'unknown', delayMs: 5_000 });
    expect((await reconcile(8, script, 900_000)).answer).toMatchObject({ kind: 'unknown', delayMs: null });
  });

  test.each<[string, Scripted, object]>([
    ['a refused token', refusal(400, 190), { kind: 'unknown', tokenRefused: true }],
    ['a lost answer', { cut: 'after' }, { kind: 'unknown', delayMs: 5_000 }],
  ])('asks again after %s', async (_name, scripted, expected) => {
    expect((await reconcile(0, [scripted])).answer).toMatchObject(expected);
  });

  test('can not be done without a handle', async () => {
    const { comment } = work([]);
    expect(await comments.reconcile(comment, { handle: null, armedAt: ARMED_AT, asked: 0 })).toMatchObject({
      kind: 'unknown',
      delayMs: null,
    });
  });
});
