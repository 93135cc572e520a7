import { describe, expect, test } from 'vitest';
import { jsonAnswer, scriptedNetwork, type Scripted, type ScriptedStep } from '#testing/scripted-network.ts';
import type { FirstComment } from '../contract/adapter.ts';
import { createYouTubeComments } from './comments.ts';
import { API, endpoints, jsonOf, nothing, NOW, refusal } from './youtube.fixture.ts';

const comments = createYouTubeComments(endpoints);
const commentOn = (http: FirstComment['http'], sinceMs = 0): FirstComment => ({
  http,
  accessToken: 'ya29.secret',
  accountId: 'UC7',
  username: 'ada',
  accountFacts: {},
  now: NOW + sinceMs,
  itemId: 'vid1',
  text: 'Links:  a.test',
});
const thread = (id: string, snippet: object = {}) => ({
  id,
  snippet: {
    videoId: 'vid1',
    topLevelComment: {
      id,
      snippet: {
        textOriginal: 'Links: a.test',
        authorChannelId: { value: 'UC7' },
        publishedAt: new Date(NOW + 2_000).toISOString(),
        ...snippet,
      },
    },
  },
});
const LIVE = {
  kind: 'published',
  remoteId: 'Ugx1',
  permalink: 'https://www.youtube.com/watch?v=vid1&lc=Ugx1',
};

describe('sending a first comment', () => {
  test('it goes below the video as the channel, and has an address of its own', async () => {
    const network = scriptedNetwork(jsonAnswer(200, thread('Ugx1')));
    const comment = commentOn(network.http);
    expect(await comments.prepare(comment, null)).toMatchObject({ kind: 'ready', handle: null });
    expect(await comments.publish(comment, null)).toMatchObject(LIVE);
    expect(network.asked).toMatchObject([{ method: 'POST', url: `${API}/commentThreads?part=snippet` }]);
    expect(jsonOf(network.asked[0])).toEqual({
      snippet: {
        channelId: 'UC7',
        videoId: 'vid1',
        topLevelComment: { snippet: { textOriginal: 'Links:  a.test' } },
      },
    });
    expect(comments.isUse).toBe(false);
  });

  test.each<[string, Scripted, object]>([
    ['a lost answer', { cut: 'after' }, { kind: 'unknown' }],
    ['trouble', nothing(503), { kind: 'unknown' }],
    ['a success that names nothing', jsonAnswer(200, {}), { kind: 'unknown' }],
    ['no connection', { cut: 'before' }, { kind: 'failed', failure: { reason: 'platform_problem', retry: 'later' } }],
    ['a dead token', refusal(401, 'authError'), { kind: 'failed', failure: { retry: 'refresh' } }],
    [
      'comments that are turned off',
      refusal(403, 'commentsDisabled', 'Comments are turned off'),
      {
        kind: 'failed',
        failure: { reason: 'rejected_by_platform', detail: 'Comments are turned off (commentsDisabled)' },
      },
    ],
    [
      'a permission that was never given',
      refusal(403, 'insufficientPermissions'),
      {
        kind: 'failed',
        failure: {
          reason: 'rejected_by_platform',
          retry: 'never',
          detail: expect.stringContaining('Connect the Channel again'),
        },
      },
    ],
    [
      'a spent quota',
      refusal(403, 'quotaExceeded'),
      { kind: 'failed', failure: { reason: 'rate_limited', retry: 'later' } },
    ],
  ])('it meets %s', async (_name, scripted, expected) => {
    const answer = await comments.publish(commentOn(scriptedNetwork(scripted).http), null);
    expect(answer).toMatchObject(expected);
    expect(JSON.stringify(answer)).not.toContain('ya29');
  });
});

describe('looking for a first comment', () => {
  const reconcile = async (script: readonly ScriptedStep[], sinceMs: number) => {
    const network = scriptedNetwork(...script);
    const armed = { handle: null, armedAt: NOW, asked: 0 };
    return { answer: await comments.reconcile(commentOn(network.http, sinceMs), armed), asked: network.asked };
  };
  const list = (threads: readonly object[], more: object = {}) => jsonAnswer(200, { items: threads, ...more });

  test.each<[string, readonly object[], number, object]>([
    ['shows it', [thread('Ugx0', { textOriginal: 'Nice' }), thread('Ugx1')], 10_000, LIVE],
    ['shows it twice', [thread('Ugx1'), thread('Ugx2')], 10_000, { kind: 'unknown', delayMs: null }],
    [
      'shows the same of somebody else',
      [thread('Ugx1', { authorChannelId: { value: 'UC8' } })],
      10_000,
      { kind: 'unknown', delayMs: 50_000 },
    ],
    [
      'shows an older one',
      [thread('Ugx1', { publishedAt: new Date(NOW - 31_000).toISOString() })],
      10_000,
      { kind: 'unknown', delayMs: 50_000 },
    ],
    ['does not show it at the last look', [], 180_000, { kind: 'unknown', delayMs: null }],
  ])('the list %s', async (_name, threads, sinceMs, expected) => {
    const { answer, asked } = await reconcile([list(threads)], sinceMs);
    expect(answer).toMatchObject(expected);
    expect(Object.fromEntries(new URL(asked[0]?.url ?? '').searchParams)).toMatchObject({
      videoId: 'vid1',
      order: 'time',
    });
  });

  test('pages are read until they are older than the call, and ten at most', async () => {
    const more = list([thread('Ugx0', { textOriginal: 'Nice' })], { nextPageToken: 'n' });
    expect((await reconcile([more, list([thread('Ugx1')])], 10_000)).answer).toMatchObject(LIVE);
    const endless = await reconcile(
      Array.from({ length: 10 }, () => more),
      10_000,
    );
    expect(endless.asked).toHaveLength(10);
    const old = thread('Ugx0', { publishedAt: new Date(NOW - 60_000).toISOString() });
    expect((await reconcile([list([old], { nextPageToken: 'n' })], 10_000)).asked).toHaveLength(1);
  });

  test.each<[string, readonly ScriptedStep[], number, object]>([
    ['too early', [], 4_000, { kind: 'unknown', delayMs: 6_000 }],
    ['with a dead token', [refusal(401, 'authError')], 10_000, { kind: 'unknown', tokenRefused: true }],
    ['behind a limit', [nothing(429)], 10_000, { kind: 'unknown', delayMs: 60_000 }],
    ['behind trouble', [nothing(503)], 10_000, { kind: 'unknown', delayMs: 5_000 }],
  ])('%s it is asked again', async (_name, script, sinceMs, expected) => {
    expect((await reconcile(script, sinceMs)).answer).toMatchObject(expected);
  });
});
