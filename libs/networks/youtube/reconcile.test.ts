import { describe, expect, test } from 'vitest';
import { jsonAnswer, type ScriptedStep } from '#testing/scripted-network.ts';
import type { NetworkOptions } from '#domain/network-options.ts';
import type { Publication } from '../contract/adapter.ts';
import { createYouTubeAdapter } from './adapter.ts';
import {
  adapter,
  API,
  endpoints,
  handleOf,
  has,
  nothing,
  NOW,
  PART,
  pathsOf,
  refusal,
  seen,
  SESSION,
  unseen,
  whole,
  work,
} from './youtube.fixture.ts';

const THREE = 2 * PART + 5;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const LIVE = { kind: 'published', remoteId: 'vid1', permalink: 'https://www.youtube.com/watch?v=vid1' };

async function reconcile(
  asked: number,
  afterMs: number,
  script: readonly ScriptedStep[],
  more: object = {},
  about: Partial<Publication> = {},
) {
  const worked = work([], script, { now: NOW + afterMs, ...about });
  const handle = handleOf({ bytes: THREE, from: 2 * PART, ...more });
  return { answer: await adapter.reconcile(worked.publication, { handle, armedAt: NOW, asked }), asked: worked.asked };
}

describe('reconciling by the session', () => {
  test('it is asked without a byte, and its final answer leads to the video', async () => {
    const { answer, asked } = await reconcile(0, 1_000, [whole(200), seen('processed')]);
    expect(asked[0]).toMatchObject({
      method: 'PUT',
      url: SESSION,
      headers: { 'content-length': '0', 'content-range': `bytes */${THREE}` },
    });
    expect(asked[0]?.body).toBeUndefined();
    expect(asked[1]).toMatchObject({ method: 'GET', url: `${API}/videos?part=status%2CprocessingDetails&id=vid1` });
    expect(answer).toMatchObject(LIVE);
  });

  const part = handleOf({ bytes: THREE, from: 2 * PART + 2 });
  test.each<[string, number, number, readonly ScriptedStep[], object]>([
    ['not all there, at the first look', 0, 70_000, [has(2 * PART)], { kind: 'unknown', delayMs: 15_000 }],
    ['not all there, too soon', 1, 14_999, [has(2 * PART)], { kind: 'unknown' }],
    ['not all there, still', 1, 15_000, [has(2 * PART)], { kind: 'absent' }],
    [
      'part of the last part there',
      1,
      15_000,
      [has(2 * PART + 2)],
      {
        kind: 'failed',
        handle: expect.stringContaining(`"from":${2 * PART + 2}`),
        failure: { reason: 'platform_problem', retry: 'later' },
      },
    ],
    [
      'less there than before',
      1,
      15_000,
      [has(PART)],
      { kind: 'failed', handle: expect.stringContaining(`"from":${PART},`) },
    ],
    ['all there, and no word of a video', 0, 1_000, [has(THREE)], { kind: 'unknown', delayMs: 5_000 }],
    ['behind a dead token', 0, 1_000, [refusal(401, 'authError')], { kind: 'unknown', tokenRefused: true }],
    ['behind a limit', 0, 1_000, [nothing(429)], { kind: 'unknown', delayMs: 60_000 }],
    ['behind trouble', 1, 1_000, [nothing(503)], { kind: 'unknown', delayMs: 10_000 }],
    ['behind a lost answer', 0, 1_000, [{ cut: 'after' }], { kind: 'unknown', delayMs: 5_000 }],
    ['behind trouble of hours', 100, 2 * 60 * MINUTE, [nothing(503)], { kind: 'unknown', delayMs: 10 * MINUTE }],
    ['behind trouble of a day', 200, DAY, [nothing(503)], { kind: 'unknown', delayMs: null }],
    [
      'behind trouble of a day, at a late first look',
      0,
      DAY,
      [nothing(503)],
      { kind: 'unknown', delayMs: 10 * MINUTE },
    ],
  ])('%s', async (_name, asked, afterMs, script, expected) => {
    const { answer } = await reconcile(asked, afterMs, script);
    expect(answer).toMatchObject(expected);
    expect(JSON.stringify(answer.summary)).not.toMatch(/hushhush|ya29/);
  });

  test('a part that came to less than it was is no new part', async () => {
    expect((await reconcile(1, 15_000, [has(2 * PART + 2)], JSON.parse(part))).answer).toMatchObject({
      kind: 'absent',
    });
  });

  test('a handle that can not be read ends as unknown', async () => {
    expect(await adapter.reconcile(work([], []).publication, { handle: 'v1', armedAt: NOW, asked: 0 })).toMatchObject({
      kind: 'unknown',
      delayMs: null,
    });
  });
});

describe('a video that YouTube has all of', () => {
  test.each<[string, number, readonly ScriptedStep[], object]>([
    ['processed', 1_000, [seen('processed')], LIVE],
    ['at work', 1_000, [seen('uploaded')], { kind: 'processing', delayMs: 5_000 }],
    ['at work for minutes', 5 * MINUTE, [seen('uploaded')], { kind: 'processing', delayMs: MINUTE }],
    ['at work for longer than failing takes', 30 * MINUTE, [seen('uploaded')], LIVE],
    ['done, whatever else is to come', 1_000, [seen('uploaded', {}, 'succeeded')], LIVE],
    ['done long ago', 1_000, [seen('uploaded', {}, 'terminated')], LIVE],
    [
      'failed',
      1_000,
      [seen('failed', { failureReason: 'codec' })],
      { kind: 'failed', handle: null, failure: { reason: 'media_problem', retry: 'once' } },
    ],
    [
      'aborted',
      1_000,
      [seen('failed', { failureReason: 'uploadAborted' })],
      { kind: 'failed', handle: null, failure: { reason: 'platform_problem', retry: 'once' } },
    ],
    [
      'failed in processing',
      1_000,
      [seen('uploaded', {}, 'failed')],
      { kind: 'failed', failure: { reason: 'media_problem' } },
    ],
    [
      'rejected',
      1_000,
      [seen('rejected', { rejectionReason: 'copyright' })],
      { kind: 'failed', handle: null, failure: { reason: 'rejected_by_platform', retry: 'never' } },
    ],
    [
      'rejected with its account',
      1_000,
      [seen('rejected', { rejectionReason: 'uploaderAccountSuspended' })],
      { kind: 'failed', failure: { reason: 'needs_reconnect', retry: 'afterReconnect' } },
    ],
    [
      'deleted',
      1_000,
      [seen('deleted')],
      { kind: 'failed', failure: { reason: 'rejected_by_platform', retry: 'never' } },
    ],
    ['in a state that is new to us', 1_000, [seen('reviewed')], { kind: 'processing' }],
    ['not listed yet', 1_000, [unseen], { kind: 'processing' }],
    ['not listed yet, as 404', 1_000, [refusal(404, 'videoNotFound')], { kind: 'processing' }],
    ['not listed any more', 30 * MINUTE, [unseen], { kind: 'failed', failure: { reason: 'rejected_by_platform' } }],
    ['behind trouble', 1_000, [nothing(503)], { kind: 'processing' }],
    ['behind trouble for longer than failing takes', 30 * MINUTE, [nothing(503)], LIVE],
    ['behind a spent quota', 1_000, [refusal(403, 'quotaExceeded')], { kind: 'processing', delayMs: 5_000 }],
    ['behind a lost answer', 1_000, [{ cut: 'after' }], { kind: 'processing' }],
    ['behind a dead token', 1_000, [refusal(401, 'authError')], LIVE],
    ['behind a permission that was taken away', 1_000, [refusal(403, 'insufficientPermissions')], LIVE],
  ])('%s', async (_name, afterMs, script, expected) => {
    const { answer, asked } = await reconcile(0, afterMs, script, { video: 'vid1' });
    expect(answer).toMatchObject(expected);
    expect(pathsOf(asked)).toEqual(['GET /youtube/v3/videos']);
  });

  test('an operator reads who may see it', async () => {
    const { answer } = await reconcile(0, 1_000, [seen('processed', { privacyStatus: 'unlisted' })], { video: 'vid1' });
    expect(answer.summary.detail).toBe('video vid1 is processed, unlisted');
  });

  const LOCKED = {
    kind: 'failed',
    handle: null,
    failure: {
      reason: 'rejected_by_platform',
      retry: 'never',
      detail: expect.stringMatching(/not audited .* https:\/\/www\.youtube\.com\/watch\?v=vid1$/),
    },
  };
  const hidden = { privacyStatus: 'private' };
  const DONE = 30 * MINUTE;
  test.each<[string, NetworkOptions, object, number, readonly ScriptedStep[], object]>([
    ['public', {}, {}, 1_000, [seen('processed', hidden)], LOCKED],
    ['public, and it is at work', {}, {}, 1_000, [seen('uploaded', hidden)], LOCKED],
    ['unlisted', { privacy: 'unlisted' }, {}, 1_000, [seen('processed', hidden)], LOCKED],
    ['private', { privacy: 'private' }, {}, 1_000, [seen('processed', hidden)], LIVE],
    ['public, as only the upload said', {}, { privacy: 'private' }, DONE, [nothing(503)], LOCKED],
    ['public, as only the upload said, with a dead token', {}, { privacy: 'private' }, 1_000, [nothing(401)], LOCKED],
    ['public, and it is public by now', {}, { privacy: 'private' }, 1_000, [seen('processed')], LIVE],
  ])('that is private and was to be %s', async (_name, options, handle, afterMs, script, expected) => {
    const { answer } = await reconcile(0, afterMs, script, { video: 'vid1', ...handle }, { options });
    expect(answer).toMatchObject(expected);
  });

  test('is waited for as much shorter as a sandbox is faster', async () => {
    const quick = createYouTubeAdapter(endpoints, { waitFactor: 0.01 });
    const looked = (afterMs: number) =>
      quick.reconcile(work([], [seen('uploaded')], { now: NOW + afterMs }).publication, {
        handle: handleOf({ video: 'vid1' }),
        armedAt: NOW,
        asked: 0,
      });
    expect(await looked(100)).toMatchObject({ kind: 'processing', delayMs: 50 });
    expect(await looked(18_000)).toMatchObject({ kind: 'published' });
  });
});

describe('a session that is gone', () => {
  const item = (videoId: string, snippet: object = {}) => ({
    snippet: {
      title: 'Hello 見て.',
      description: 'Hello 見て. More.',
      publishedAt: new Date(NOW + 2_000).toISOString(),
      ...snippet,
    },
    contentDetails: { videoId },
  });
  const list = (...items: readonly object[]) => jsonAnswer(200, { items });
  const gone = (afterMs: number, script: readonly ScriptedStep[], about: Partial<Publication> = {}) =>
    reconcile(0, afterMs, [nothing(404), ...script], {}, about);

  test('leads to the list of uploads, and what is found there to the video', async () => {
    const { answer, asked } = await gone(1_000, [
      list(item('other', { title: 'Other' }), item('vid1')),
      seen('processed'),
    ]);
    expect(asked[1]).toMatchObject({
      method: 'GET',
      url: `${API}/playlistItems?part=snippet%2CcontentDetails&playlistId=UU7&maxResults=25`,
    });
    expect(answer).toMatchObject(LIVE);
  });

  test.each<[string, number, readonly ScriptedStep[], object]>([
    ['the list does not show it yet', 1_000, [list()], { kind: 'unknown', delayMs: 20_000 }],
    ['the list does not show it', 5 * MINUTE, [list()], { kind: 'unknown', delayMs: null }],
    ['there is no list yet', 1_000, [refusal(404, 'playlistNotFound')], { kind: 'unknown', delayMs: 20_000 }],
    [
      'an older video has the title',
      5 * MINUTE,
      [list(item('old', { publishedAt: new Date(NOW - 31_000).toISOString() }))],
      { kind: 'unknown', delayMs: null },
    ],
    [
      'another text has the title',
      5 * MINUTE,
      [list(item('other', { description: 'Else.' }))],
      { kind: 'unknown', delayMs: null },
    ],
    ['two have title and text', 1_000, [list(item('a'), item('b'))], { kind: 'unknown', delayMs: null }],
    [
      'the one found failed',
      1_000,
      [list(item('vid1')), seen('failed', { failureReason: 'codec' })],
      { kind: 'failed', handle: null },
    ],
    ['a dead token', 1_000, [refusal(401, 'authError')], { kind: 'unknown', tokenRefused: true }],
    ['trouble', 1_000, [nothing(503)], { kind: 'unknown', delayMs: 5_000 }],
  ])('%s', async (_name, afterMs, script, expected) => {
    expect((await gone(afterMs, script)).answer).toMatchObject(expected);
  });

  test('of a channel whose list is not known stays unknown', async () => {
    expect((await gone(1_000, [], { accountFacts: {} })).answer).toMatchObject({ kind: 'unknown', delayMs: null });
  });
});
