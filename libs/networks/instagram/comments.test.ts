import { describe, expect, test } from 'vitest';
import { jsonAnswer, scriptedNetwork, type Scripted } from '#testing/scripted-network.ts';
import type { FirstComment } from '../contract/adapter.ts';
import { createInstagramComments } from './comments.ts';

const ARMED_AT = Date.UTC(2026, 10, 20, 12);
const comments = createInstagramComments(
  {
    ...{ api: 'https://ig.test', authorize: 'a', site: 's', clientId: 'c', clientSecret: 's' },
    hosts: { facebook: 'https://fb.test/v26.0' },
  },
  {},
);
const refusal = (status: number, code: number, subcode?: number) =>
  jsonAnswer(status, { error: { message: 'No.', code, ...(subcode !== undefined && { error_subcode: subcode }) } });
const listed = (...data: object[]) => jsonAnswer(200, { data });
const own = (id: string, more: object = {}) => ({
  ...{ id, text: 'First! 見て', username: 'ada', timestamp: '2026-11-20T12:00:01+0000' },
  ...more,
});

function work(script: readonly Scripted[], more: Partial<FirstComment> = {}) {
  const network = scriptedNetwork(...script);
  const comment: FirstComment = {
    ...{ http: network.http, accessToken: 'token-1', accountId: '178', username: 'ada', accountFacts: {} },
    ...{ now: ARMED_AT, itemId: 'm1', text: 'First! 見て' },
    ...more,
  };
  return { comment, asked: network.asked };
}

describe('publishing a first comment', () => {
  const publish = async (script: readonly Scripted[], more: Partial<FirstComment> = {}) => {
    const { comment, asked } = work(script, more);
    const prepared = await comments.prepare(comment, null);
    expect(prepared).toMatchObject({ kind: 'ready', handle: null });
    return { answer: await comments.publish(comment, null), asked };
  };

  test('one call makes it, under what was published', async () => {
    const { answer, asked } = await publish([jsonAnswer(200, { id: '17870913679156914' })]);
    expect(answer).toMatchObject({ kind: 'published', remoteId: '17870913679156914', permalink: null });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: 'https://ig.test/v25.0/m1/comments',
      headers: { authorization: 'Bearer token-1' },
      timeoutMs: 40_000,
    });
    expect(Object.fromEntries(new URLSearchParams(String(asked[0]?.body)))).toEqual({ message: 'First! 見て' });
  });

  test('an account that came by Facebook Login is served by Facebook', async () => {
    const { asked } = await publish([jsonAnswer(200, { id: '1' })], { accountFacts: { login: 'facebook' } });
    expect(asked[0]?.url).toBe('https://fb.test/v26.0/m1/comments');
  });

  test.each<[string, string, Record<string, string>]>([
    ['instagram', 'instagram_business_manage_comments', {}],
    ['facebook', 'instagram_manage_comments', { login: 'facebook' }],
  ])('a missing permission names itself and leaves the Channel connected: %s', async (_login, scope, accountFacts) => {
    for (const refused of [refusal(403, 10), refusal(400, 200), refusal(400, 3)]) {
      const { answer } = await publish([refused], { accountFacts });
      expect(answer).toMatchObject({
        kind: 'failed',
        failure: {
          reason: 'rejected_by_platform',
          retry: 'never',
          detail: expect.stringMatching(`\\(No\\.\\)\\. If the app has the permission ${scope},`),
        },
      });
    }
  });

  test.each<[string, Scripted, object]>([
    ['no connection', { cut: 'before' }, { kind: 'failed', failure: { retry: 'later' } }],
    ['a lost answer', { cut: 'after' }, { kind: 'unknown' }],
    ['a server error', refusal(500, 10), { kind: 'unknown', ifAbsent: { retry: 'never' } }],
    ['an answer without an id', jsonAnswer(200, {}), { kind: 'unknown' }],
    ['a dead token', refusal(400, 190), { kind: 'failed', failure: { reason: 'needs_reconnect', retry: 'refresh' } }],
    ['a limit', refusal(400, 4), { kind: 'failed', failure: { reason: 'rate_limited', retry: 'later' } }],
    // Not the Network's own trouble, which would count against it for every account.
    [
      'a post that is not there yet, or was deleted',
      refusal(400, 100, 33),
      {
        kind: 'failed',
        failure: { reason: 'rejected_by_platform', retry: 'later', delayMs: 30_000, giveUpAfterMs: 600_000 },
      },
    ],
    ['spam', refusal(400, 4, 2207051), { kind: 'failed', failure: { retry: 'never' } }],
  ])('%s', async (_name, scripted, expected) => {
    expect((await publish([scripted])).answer).toMatchObject(expected);
  });
});

describe('reconciling a first comment', () => {
  const reconcile = async (asked: number, afterMs: number, ...script: Scripted[]) => {
    const worked = work(script, { now: ARMED_AT + afterMs });
    const answer = await comments.reconcile(worked.comment, { handle: null, armedAt: ARMED_AT, asked });
    return { answer, asked: worked.asked };
  };

  test('it is found among the comments', async () => {
    const { answer, asked } = await reconcile(
      0,
      1,
      listed(own('c8', { text: 'Else' }), own('c9', { text: 'First! 見て ' })),
    );
    expect(answer).toMatchObject({ kind: 'published', remoteId: 'c9', permalink: null });
    expect(asked[0]?.url).toBe('https://ig.test/v25.0/m1/comments?fields=id%2Ctext%2Ctimestamp%2Cusername&limit=50');
  });

  test.each<[string, object]>([
    ['of another', { username: 'bob' }],
    ['without an author', { username: undefined }],
    ['from before the call', { timestamp: '2026-11-20T11:58:59+0000' }],
    ['without a time', { timestamp: undefined }],
  ])('the same words %s are not taken for it', async (_name, more) => {
    expect((await reconcile(0, 1, listed(own('c9', more)))).answer).toMatchObject({ kind: 'unknown', delayMs: 5_000 });
  });

  test.each<[string, number, number, Scripted, object]>([
    ['not listed yet', 2, 1, listed(), { kind: 'unknown', delayMs: 20_000 }],
    ['never listed', 8, 900_000, listed(), { kind: 'unknown', delayMs: null }],
    ['a list that can not be read', 0, 1, { cut: 'after' }, { kind: 'unknown', delayMs: 5_000 }],
    ['a list that can never be read', 8, 900_000, refusal(400, 10), { kind: 'unknown', delayMs: null }],
    ['a dead token', 0, 1, refusal(400, 190), { kind: 'unknown', tokenRefused: true }],
  ])('%s', async (_name, asked, afterMs, scripted, expected) => {
    expect((await reconcile(asked, afterMs, scripted)).answer).toMatchObject(expected);
  });

  test('a missing permission is no reason to ask for a new token', async () => {
    expect((await reconcile(0, 1, refusal(400, 10))).answer).not.toHaveProperty('tokenRefused');
  });
});
