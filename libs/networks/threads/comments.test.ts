import { describe, expect, test } from 'vitest';
import { jsonAnswer, scriptedNetwork, type Scripted } from '#testing/scripted-network.ts';
import type { FirstComment } from '../contract/adapter.ts';
import { createThreadsComments } from './comments.ts';

const ARMED_AT = Date.UTC(2026, 10, 20, 12);
const comments = createThreadsComments(
  {
    ...{ api: 'https://threads.test', authorize: 'a', site: 's' },
    ...{ hosts: {}, clientId: 'c', clientSecret: 's' },
  },
  {},
);
const id = (value: string) => jsonAnswer(200, { id: value });
const container = (status: string) => jsonAnswer(200, { id: 'c1', status });
const refused = (status: number, code: number, subcode?: number) =>
  jsonAnswer(status, { error: { message: 'No.', code, ...(subcode !== undefined && { error_subcode: subcode }) } });
const listed = (...data: object[]) => jsonAnswer(200, { data });
const own = (replyId: string, more: object = {}) => ({
  ...{ id: replyId, text: 'First! 見て', username: 'ada', media_type: 'TEXT_POST' },
  ...{ timestamp: '2026-11-20T12:00:01+0000', permalink: `https://t/${replyId}` },
  ...more,
});
const handle = JSON.stringify({
  ...{ version: 1, kind: 'TEXT', children: [], finished: 0, container: 'c1' },
  ...{ since: ARMED_AT, readyAt: ARMED_AT },
});

function work(script: readonly Scripted[], afterMs = 0) {
  const network = scriptedNetwork(...script);
  const comment: FirstComment = {
    ...{ http: network.http, accessToken: 'token-1', accountId: '178', username: 'ada', accountFacts: {} },
    ...{ now: ARMED_AT + afterMs, itemId: 'm1', text: 'First! 見て' },
  };
  return { comment, asked: network.asked };
}

describe('sending a first comment', () => {
  test('a container of a reply is made without being published', async () => {
    const { comment, asked } = work([id('c1'), container('FINISHED')]);
    expect(await comments.prepare(comment, null)).toMatchObject({ kind: 'ready', handle });
    expect(asked[0]).toMatchObject({ method: 'POST', url: 'https://threads.test/v1.0/178/threads' });
    expect(Object.fromEntries(new URLSearchParams(String(asked[0]?.body)))).toEqual({
      ...{ media_type: 'TEXT', text: 'First! 見て', reply_to_id: 'm1' },
    });
  });

  test('one that is not ready is waited for, and looked at again by its handle', async () => {
    const { comment } = work([container('IN_PROGRESS')]);
    expect(await comments.prepare(comment, handle)).toMatchObject({ kind: 'wait', handle, delayMs: 2_000 });
  });

  test('it is published as a post is, and has an address', async () => {
    const { comment, asked } = work([id('r1'), jsonAnswer(200, { id: 'r1', permalink: 'https://t/r1' })]);
    expect(await comments.publish(comment, handle)).toMatchObject({
      ...{ kind: 'published', remoteId: 'r1', permalink: 'https://t/r1' },
    });
    expect(asked[0]).toMatchObject({
      ...{ url: 'https://threads.test/v1.0/178/threads_publish', body: 'creation_id=c1', timeoutMs: 40_000 },
    });
  });

  test.each<[string, Scripted]>([
    ['10', refused(500, 10)],
    ['200', refused(403, 200)],
  ])('a missing permission fails the comment and leaves the Channel connected: %s', async (_name, answer) => {
    const { comment } = work([answer, answer]);
    const failure = {
      ...{ reason: 'rejected_by_platform', retry: 'never' },
      detail: expect.stringMatching(/\(No\.\)\. Ask the operator .* threads_manage_replies/),
    };
    expect(await comments.prepare(comment, null)).toMatchObject({ kind: 'failed', failure });
    expect(await comments.publish(comment, handle)).toMatchObject({ kind: 'unknown', ifAbsent: failure });
  });

  test('under a post that is not there, it is tried again for ten minutes, and is no trouble of Threads', async () => {
    const { comment } = work([refused(400, 24, 4279009)]);
    expect(await comments.prepare(comment, null)).toMatchObject({
      kind: 'failed',
      failure: { reason: 'rejected_by_platform', retry: 'later', delayMs: 30_000, giveUpAfterMs: 600_000 },
    });
  });

  test('a dead token asks for a new one', async () => {
    const { comment } = work([refused(400, 190)]);
    expect(await comments.publish(comment, handle)).toMatchObject({ kind: 'failed', failure: { retry: 'refresh' } });
  });

  test.each([null, '{'])('publishing without a container is a programming error (%s)', async (none) => {
    await expect(comments.publish(work([]).comment, none)).rejects.toThrow();
  });
});

describe('reconciling a first comment', () => {
  const reconcile = async (asked: number, afterMs: number, ...script: Scripted[]) => {
    const worked = work(script, afterMs);
    return {
      answer: await comments.reconcile(worked.comment, { handle, armedAt: ARMED_AT, asked }),
      asked: worked.asked,
    };
  };

  test('what its container became is found among the replies', async () => {
    const replies = listed(own('r7', { username: 'bob' }), own('r8', { text: 'Else' }), own('r9'));
    const { answer, asked } = await reconcile(0, 1, container('PUBLISHED'), replies);
    expect(answer).toMatchObject({ kind: 'published', remoteId: 'r9', permalink: 'https://t/r9' });
    expect(asked[1]?.url).toMatch(/^https:\/\/threads\.test\/v1\.0\/m1\/replies\?/);
  });

  test.each<[string, number, number, readonly Scripted[], object]>([
    ['ready at the first look', 0, 70_000, [container('FINISHED')], { kind: 'unknown', delayMs: 30_000 }],
    ['still ready at the second', 1, 30_000, [container('FINISHED')], { kind: 'absent' }],
    [
      'published, replies not to be read',
      4,
      1,
      [container('PUBLISHED'), refused(403, 200)],
      { kind: 'published', remoteId: 'c1', permalink: null },
    ],
    [
      'not to be seen, but a reply says so',
      3,
      1,
      [refused(400, 100, 33), listed(own('r9'))],
      { kind: 'published', remoteId: 'r9' },
    ],
    [
      'not to be seen, and another said so',
      3,
      1,
      [refused(400, 100, 33), listed(own('r9', { username: 'bob' }))],
      { kind: 'unknown' },
    ],
  ])('%s', async (_name, asked, afterMs, script, expected) => {
    expect((await reconcile(asked, afterMs, ...script)).answer).toMatchObject(expected);
  });

  test('a lost container is left for a new one, unless a reply says the same', async () => {
    const notFound = refused(400, 24, 4279009);
    const lost = work([notFound, container('FINISHED'), listed()], 30_000);
    expect(await comments.publish(lost.comment, handle)).toMatchObject({ kind: 'failed', handle: null });
    const live = work([notFound, container('FINISHED'), listed(own('r9'))], 30_000);
    expect((await comments.publish(live.comment, handle)).kind).toBe('unknown');
  });

  test('a handle that can not be read ends as unknown', async () => {
    const armed = { handle: '{', armedAt: ARMED_AT, asked: 0 };
    expect(await comments.reconcile(work([]).comment, armed)).toMatchObject({ kind: 'unknown', delayMs: null });
  });
});
