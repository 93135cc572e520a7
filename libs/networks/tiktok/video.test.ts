import { describe, expect, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import type { Scripted, ScriptedStep } from '#testing/scripted-network.ts';
import type { Publication } from '../contract/adapter.ts';
import {
  adapter,
  API,
  begun,
  CHUNK,
  creator,
  jsonOf,
  NOW,
  ok,
  pathsOf,
  prepareAll,
  refusal,
  status,
  taken,
  UPLOAD_URL,
  video,
  videoHandle,
  work,
} from './tiktok.fixture.ts';

const THREE = 3 * CHUNK + 5;
const handleOf3 = (more: object = {}) => videoHandle({ bytes: THREE, chunkBytes: CHUNK, ...more });
const ranges = (asked: readonly { readonly headers?: Readonly<Record<string, string>> }[]) =>
  asked.flatMap(({ headers }) => headers?.['content-range'] ?? []);

describe('beginning', () => {
  test('leave is asked for, then the upload is begun, with nothing allowed or declared that was not chosen', async () => {
    const { answer, asked } = await prepareAll([video(1_000)], [creator(), begun()]);
    expect(pathsOf(asked)).toEqual(['POST /v2/post/publish/creator_info/query/', 'POST /v2/post/publish/video/init/']);
    expect(asked[0]?.headers).toMatchObject({
      authorization: 'Bearer act.secret',
      'content-type': 'application/json; charset=UTF-8',
    });
    expect(jsonOf(asked[1])).toEqual({
      post_info: {
        title: 'Hello 見て',
        privacy_level: 'PUBLIC_TO_EVERYONE',
        disable_comment: true,
        disable_duet: true,
        disable_stitch: true,
        brand_content_toggle: false,
        brand_organic_toggle: false,
        is_aigc: false,
      },
      source_info: { source: 'FILE_UPLOAD', video_size: 1_000, chunk_size: 1_000, total_chunk_count: 1 },
    });
    expect(answer).toMatchObject({ kind: 'ready', handle: videoHandle() });
  });

  test('a large video is begun in chunks, and all but the last are sent, each a checkpoint', async () => {
    const { answer, asked, steps } = await prepareAll(
      [video(THREE)],
      [creator(), begun(), taken(206, CHUNK), taken(206, 2 * CHUNK)],
    );
    expect(jsonOf(asked[1]).source_info).toEqual({
      source: 'FILE_UPLOAD',
      video_size: THREE,
      chunk_size: CHUNK,
      total_chunk_count: 3,
    });
    expect(ranges(asked)).toEqual([`bytes 0-${CHUNK - 1}/${THREE}`, `bytes ${CHUNK}-${2 * CHUNK - 1}/${THREE}`]);
    expect(asked[2]).toMatchObject({
      method: 'PUT',
      url: UPLOAD_URL,
      headers: { 'content-type': 'video/mp4', 'content-length': String(CHUNK) },
    });
    expect(answer).toMatchObject({ kind: 'ready', handle: handleOf3({ from: 2 * CHUNK }) });
    expect(steps).toBe(4);
  });

  test('no token goes to the upload address, and the address is in no summary', async () => {
    const { publication, asked } = work([video(THREE)], [taken(500)]);
    const answer = await adapter.prepare(publication, handleOf3());
    expect(JSON.stringify(asked[0]?.headers)).not.toContain('act.secret');
    expect(JSON.stringify(answer.summary)).not.toContain('hushhush');
  });

  test.each<[string, readonly Scripted[], object]>([
    [
      'an app that may only show it to the account itself',
      [creator({ privacy_level_options: ['SELF_ONLY'] })],
      { reason: 'rejected_by_platform', retry: 'never' },
    ],
    [
      'a video longer than this account may post',
      [creator({ max_video_post_duration_sec: 19 })],
      { reason: 'media_problem', retry: 'never' },
    ],
    [
      'too many posts of the day, told before',
      [refusal(403, 'spam_risk_too_many_posts')],
      { reason: 'rate_limited', delayMs: 86_400_000 },
    ],
    ['a dead token', [refusal(401, 'access_token_invalid')], { retry: 'refresh' }],
    ['a limit', [creator(), refusal(429, 'rate_limit_exceeded')], { reason: 'rate_limited', delayMs: 60_000 }],
    ['trouble', [creator(), refusal(500, 'internal_error')], { reason: 'platform_problem', retry: 'later' }],
    [
      'a lost answer, which began nothing that anybody sees',
      [creator(), { cut: 'after' }],
      { reason: 'platform_problem', retry: 'later' },
    ],
    [
      'a privacy level no longer offered',
      [creator(), refusal(403, 'privacy_level_option_mismatch')],
      { reason: 'rejected_by_platform', retry: 'once' },
    ],
    [
      'an upload address elsewhere',
      [creator(), begun({ upload_url: 'https://evil.test/upload' })],
      { reason: 'platform_problem', retry: 'never' },
    ],
    ['no upload address', [creator(), ok({ publish_id: 'v' })], { reason: 'platform_problem', retry: 'later' }],
  ])('%s', async (_name, script, failure) => {
    expect((await prepareAll([video(1_000)], script)).answer).toMatchObject({ kind: 'failed', failure });
  });

  test('what TikTok would not take is refused without asking', async () => {
    const { answer, asked } = await prepareAll([video(1_000, { durationMs: 2_000 })], []);
    expect(answer).toMatchObject({ kind: 'failed', failure: { reason: 'media_problem', retry: 'never' } });
    expect(asked).toHaveLength(0);
  });
});

describe('uploading', () => {
  const prepare = async (handle: string, script: readonly ScriptedStep[], more: Partial<Publication> = {}) => {
    const { publication, asked } = work([video(THREE)], script, more);
    return { answer: await adapter.prepare(publication, handle), asked };
  };

  test.each<[string, readonly ScriptedStep[], object]>([
    [
      'a chunk whose answer was lost is sent again',
      [{ cut: 'after' }],
      { kind: 'failed', handle: handleOf3(), failure: { reason: 'platform_problem', retry: 'later' } },
    ],
    [
      'a chunk that met trouble is sent again',
      [taken(503)],
      { kind: 'failed', handle: handleOf3(), failure: { reason: 'platform_problem', retry: 'later' } },
    ],
    [
      'a limit waits',
      [taken(429)],
      { kind: 'failed', handle: handleOf3(), failure: { reason: 'rate_limited', retry: 'later', delayMs: 60_000 } },
    ],
    [
      'a place that is not ours is put right by the answer',
      [taken(416, CHUNK)],
      { kind: 'wait', delayMs: 0, handle: handleOf3({ from: CHUNK }) },
    ],
    [
      'a place that is not ours is put right by the status',
      [taken(416), status('PROCESSING_UPLOAD', { uploaded_bytes: CHUNK })],
      { kind: 'wait', handle: handleOf3({ from: CHUNK }) },
    ],
    [
      'a place that nobody knows ends the upload',
      [taken(416), { cut: 'after' }],
      { kind: 'failed', handle: handleOf3({ gone: true }), failure: { retry: 'later' } },
    ],
    ['part of a chunk counts', [taken(206, 1_500)], { kind: 'wait', handle: handleOf3({ from: 1_500 }) }],
    [
      'an answer without a place counts as all of the chunk',
      [taken(206)],
      { kind: 'wait', handle: handleOf3({ from: CHUNK }) },
    ],
    [
      'an upload that is over',
      [taken(403)],
      { kind: 'failed', handle: handleOf3({ gone: true }), failure: { reason: 'platform_problem', retry: 'later' } },
    ],
    [
      'an upload that never was',
      [taken(404)],
      { kind: 'failed', handle: handleOf3({ gone: true }), failure: { reason: 'platform_problem', retry: 'later' } },
    ],
    [
      'headers that are refused are tried once more, in a new upload',
      [taken(400)],
      { kind: 'failed', handle: handleOf3({ gone: true }), failure: { reason: 'platform_problem', retry: 'once' } },
    ],
  ])('%s', async (_name, script, expected) => {
    expect((await prepare(handleOf3(), script)).answer).toMatchObject(expected);
  });

  test('it goes on where a chunk was cut off, to the end of that chunk', async () => {
    const { asked } = await prepare(handleOf3({ from: 1_500 }), [taken(206, CHUNK)]);
    expect(ranges(asked)).toEqual([`bytes 1500-${CHUNK - 1}/${THREE}`]);
  });

  test('a place that is never right ends the upload', async () => {
    const { answer } = await prepareAll(
      [video(THREE)],
      Array.from({ length: 4 }, () => taken(416, CHUNK)),
      {},
      handleOf3({ from: CHUNK }),
    );
    expect(answer).toMatchObject({
      kind: 'failed',
      handle: handleOf3({ from: CHUNK, corrections: 4, gone: true }),
      failure: { reason: 'platform_problem', retry: 'later' },
    });
  });

  const anew = [creator(), begun({ publish_id: 'v2' })];
  test.each<[string, readonly ScriptedStep[], object]>([
    [
      'nothing came of it',
      [status('PROCESSING_UPLOAD', { uploaded_bytes: CHUNK }), ...anew],
      { kind: 'wait', handle: expect.stringContaining('"v2"') },
    ],
    [
      'it failed',
      [status('FAILED', { fail_reason: 'internal' }), ...anew],
      { kind: 'wait', handle: expect.stringContaining('"v2"') },
    ],
    [
      'TikTok forgot it',
      [refusal(400, 'invalid_publish_id'), ...anew],
      { kind: 'wait', handle: expect.stringContaining('"v2"') },
    ],
    [
      'it is live after all',
      [status('PUBLISH_COMPLETE')],
      { kind: 'ready', handle: handleOf3({ gone: true, from: THREE }) },
    ],
    ['all of it is there after all', [status('PROCESSING_UPLOAD', { uploaded_bytes: THREE })], { kind: 'ready' }],
    [
      'TikTok can not be asked',
      [refusal(500, 'internal_error')],
      { kind: 'failed', failure: { reason: 'platform_problem', retry: 'later' } },
    ],
  ])('an upload that is over is begun anew only after its status is known: %s', async (_name, script, expected) => {
    expect((await prepare(handleOf3({ gone: true }), script)).answer).toMatchObject(expected);
  });

  test('an upload of an hour ago counts as over', async () => {
    const { asked } = await prepare(handleOf3(), [status('PROCESSING_UPLOAD', { uploaded_bytes: 0 }), ...anew], {
      now: NOW + 3_600_000,
    });
    expect(pathsOf(asked)).toContain('POST /v2/post/publish/video/init/');
  });

  test.each(['', 'v_pub_file~1', '{"kind":"video"}', videoHandle({ file: 'another' }), '{broken'])(
    'a handle that is not of this file is left: %s',
    async (handle) => {
      const { publication } = work([video(1_000)], anew);
      expect(await adapter.prepare(publication, handle)).toMatchObject({
        kind: 'ready',
        handle: videoHandle({ publishId: 'v2' }),
      });
    },
  );
});

describe('publishing', () => {
  const publish = async (script: readonly ScriptedStep[], more: object = {}, about: Partial<Publication> = {}) => {
    const { publication, asked } = work([video(THREE)], script, about);
    return { answer: await adapter.publish(publication, handleOf3({ from: 2 * CHUNK, ...more })), asked };
  };

  test('the last chunk goes, with all that is left', async () => {
    const { answer, asked } = await publish([taken(201, THREE, THREE)]);
    expect(answer).toMatchObject({ kind: 'accepted', delayMs: 5_000 });
    expect(asked[0]).toMatchObject({
      method: 'PUT',
      url: UPLOAD_URL,
      timeoutMs: 40_000,
      headers: { 'content-range': `bytes ${2 * CHUNK}-${THREE - 1}/${THREE}`, 'content-length': String(CHUNK + 5) },
    });
  });

  const missing = status('PROCESSING_UPLOAD', { uploaded_bytes: 2 * CHUNK });
  const whole = status('PROCESSING_UPLOAD', { uploaded_bytes: THREE });
  test.each<[string, readonly ScriptedStep[], object]>([
    ['no connection', [{ cut: 'before' }], { kind: 'failed', failure: { reason: 'platform_problem', retry: 'later' } }],
    ['a lost answer', [{ cut: 'after' }], { kind: 'unknown' }],
    ['trouble', [taken(500)], { kind: 'unknown' }],
    ['a limit', [taken(429)], { kind: 'unknown', ifAbsent: { reason: 'rate_limited' } }],
    ['206, and all of it there', [taken(206, THREE, THREE)], { kind: 'accepted' }],
    [
      '206, and something missing',
      [taken(206, 2 * CHUNK), missing],
      { kind: 'failed', handle: handleOf3({ from: 2 * CHUNK, corrections: 1 }), failure: { retry: 'later' } },
    ],
    [
      'another place',
      [taken(416), status('PROCESSING_UPLOAD', { uploaded_bytes: 2 * CHUNK + 7 })],
      { kind: 'failed', handle: handleOf3({ from: 2 * CHUNK + 7 }), failure: { retry: 'later' } },
    ],
    ['another place, with all of it there', [taken(416), whole], { kind: 'accepted' }],
    [
      'an upload that is over',
      [taken(403), missing],
      {
        kind: 'failed',
        handle: handleOf3({ from: 2 * CHUNK, gone: true }),
        failure: { reason: 'platform_problem', retry: 'later', delayMs: 15_000 },
      },
    ],
    ['an upload that is over because it is published', [taken(403), status('PUBLISH_COMPLETE')], { kind: 'accepted' }],
    [
      'an upload that is over because it failed',
      [taken(404), status('FAILED', { fail_reason: 'spam_risk' })],
      { kind: 'failed', handle: null, failure: { reason: 'rejected_by_platform' } },
    ],
    ['an upload that is over, and a status not to be read', [taken(403), { cut: 'after' }], { kind: 'unknown' }],
    [
      'an upload that is over, and a token that is dead',
      [taken(403), refusal(401, 'access_token_invalid')],
      {
        kind: 'failed',
        handle: handleOf3({ from: 2 * CHUNK, gone: true }),
        failure: { reason: 'needs_reconnect', retry: 'refresh' },
      },
    ],
    [
      'an upload that is over, and a scope that is gone',
      [taken(404), refusal(401, 'scope_not_authorized')],
      { kind: 'failed', failure: { reason: 'needs_reconnect', retry: 'afterReconnect' } },
    ],
    [
      'an upload that is over, and unknown to this token',
      [taken(403), refusal(403, 'token_not_authorized_for_specified_publish_id')],
      { kind: 'unknown' },
    ],
    [
      'another place, and a token that is dead',
      [taken(416), refusal(401, 'access_token_invalid')],
      { kind: 'unknown' },
    ],
    ['401, as for an upload that is over', [taken(401), missing], { kind: 'failed', failure: { retry: 'later' } }],
    [
      'headers that are refused',
      [taken(400), missing],
      { kind: 'failed', handle: handleOf3({ from: 2 * CHUNK, gone: true }), failure: { retry: 'once' } },
    ],
  ])('%s', async (_name, script, expected) => {
    const { answer } = await publish(script);
    expect(answer).toMatchObject(expected);
    expect(JSON.stringify(answer.summary)).not.toMatch(/hushhush|act\.secret/);
  });

  test.each<[string, object, ScriptedStep, object]>([
    ['is looked at, not sent', {}, whole, { kind: 'accepted' }],
    [
      'that is not there after all is sent again',
      {},
      missing,
      { kind: 'failed', handle: handleOf3({ from: 2 * CHUNK, corrections: 1 }) },
    ],
    [
      'that is not there after all, in an upload that is over, is begun anew',
      { gone: true },
      missing,
      { kind: 'failed', handle: expect.stringContaining('"gone":true') },
    ],
  ])('what is all there %s', async (_name, more, step, expected) => {
    const { answer, asked } = await publish([step], { from: THREE, ...more });
    expect(answer).toMatchObject(expected);
    expect(pathsOf(asked)).toEqual(['POST /v2/post/publish/status/fetch/']);
  });

  test.each<[string, Partial<Publication>]>([
    ['is gone', { media: [] }],
    ['is another', { media: [video(THREE, { sha256: 'v2' })] }],
    [
      'can not be read',
      { media: [video(THREE, { read: () => Promise.reject(new PortError('unavailable', 'away')) })] },
    ],
  ])('a file that %s sends nothing', async (_name, about) => {
    const { answer, asked } = await publish([], {}, about);
    expect(answer).toMatchObject({ kind: 'failed', failure: { reason: 'platform_problem', retry: 'later' } });
    expect(asked).toHaveLength(0);
  });

  test('publishing what was not prepared is a programming error', async () => {
    await expect(adapter.publish(work([video(THREE)], []).publication, null)).rejects.toThrow();
    await expect(adapter.publish(work([video(THREE)], []).publication, handleOf3())).rejects.toThrow();
  });
});

describe('reconciling by the publication', () => {
  const reconcile = async (asked: number, afterMs: number, script: readonly ScriptedStep[], more: object = {}) => {
    const worked = work([], script, { now: NOW + afterMs });
    return {
      answer: await adapter.reconcile(worked.publication, {
        handle: handleOf3({ from: 2 * CHUNK, ...more }),
        armedAt: NOW,
        asked,
      }),
      asked: worked.asked,
    };
  };
  const missing = (bytes = 2 * CHUNK) => status('PROCESSING_UPLOAD', { uploaded_bytes: bytes });
  const whole = status('PROCESSING_UPLOAD', { uploaded_bytes: THREE });
  const live = (...ids: unknown[]): Scripted => ({
    status: 200,
    headers: {},
    body: `{"data":{"status":"PUBLISH_COMPLETE","publicaly_available_post_id":[${ids.join()}]},"error":{"code":"ok"}}`,
  });
  const HOUR = 3_600_000;

  test.each<[string, number, number, readonly ScriptedStep[], object]>([
    [
      'live, with an id beyond 2^53',
      3,
      40_000,
      [live('7311111111111111111')],
      {
        kind: 'published',
        remoteId: '7311111111111111111',
        permalink: 'https://www.tiktok.com/@ada.l/video/7311111111111111111',
      },
    ],
    ['live, its id to come', 3, 40_000, [live()], { kind: 'processing', delayMs: 20_000 }],
    [
      'live, its id not come, nor found in the list',
      30,
      180_000,
      [live(), ok({ videos: [] })],
      { kind: 'published', remoteId: 'v_pub_file~1', permalink: null },
    ],
    ['at work, all of it there', 0, 1_000, [whole], { kind: 'processing', delayMs: 5_000 }],
    ['at work for a while', 20, 60_000, [whole], { kind: 'processing', delayMs: 30_000 }],
    ['at work for hours', 200, HOUR, [whole], { kind: 'processing', delayMs: 600_000 }],
    ['at work for a day', 400, 24 * HOUR, [whole], { kind: 'unknown', delayMs: null }],
    ['in a state that is new to us', 0, 1_000, [status('UNDER_REVIEW')], { kind: 'processing' }],
    [
      'failed',
      0,
      1_000,
      [status('FAILED', { fail_reason: 'file_format_check_failed' })],
      { kind: 'failed', handle: null, failure: { reason: 'media_problem', retry: 'once' } },
    ],
    [
      'failed, for the person',
      0,
      1_000,
      [status('FAILED', { fail_reason: 'auth_removed' })],
      { kind: 'failed', failure: { reason: 'needs_reconnect', retry: 'afterReconnect' } },
    ],
    ['not all there, at the first look', 0, 70_000, [missing()], { kind: 'unknown', delayMs: 15_000 }],
    ['not all there, too soon', 1, 14_999, [missing()], { kind: 'unknown' }],
    ['not all there, still', 1, 15_000, [missing()], { kind: 'absent' }],
    [
      'part of the last chunk there',
      1,
      15_000,
      [missing(2 * CHUNK + 7)],
      {
        kind: 'failed',
        handle: handleOf3({ from: 2 * CHUNK + 7 }),
        failure: { reason: 'platform_problem', retry: 'later' },
      },
    ],
    [
      'not all there, and the upload over',
      1,
      HOUR,
      [missing()],
      {
        kind: 'failed',
        handle: handleOf3({ from: 2 * CHUNK }),
        failure: { reason: 'platform_problem', retry: 'later' },
      },
    ],
    ['unknown to TikTok', 0, 1_000, [refusal(400, 'invalid_publish_id')], { kind: 'unknown', delayMs: 5_000 }],
    [
      'unknown to TikTok for good',
      8,
      900_000,
      [refusal(400, 'invalid_publish_id')],
      { kind: 'unknown', delayMs: null },
    ],
    ['behind a dead token', 0, 1_000, [refusal(401, 'access_token_invalid')], { kind: 'unknown', tokenRefused: true }],
    ['behind a limit', 0, 1_000, [refusal(429, 'rate_limit_exceeded')], { kind: 'unknown', delayMs: 60_000 }],
    ['behind trouble', 1, 1_000, [refusal(500, 'internal_error')], { kind: 'unknown', delayMs: 10_000 }],
    ['behind trouble of hours', 100, 2 * HOUR, [refusal(500, 'internal_error')], { kind: 'unknown', delayMs: 600_000 }],
    ['behind trouble of a day', 200, 24 * HOUR, [{ cut: 'after' }], { kind: 'unknown', delayMs: null }],
  ])('%s', async (_name, asked, afterMs, script, expected) => {
    expect((await reconcile(asked, afterMs, script)).answer).toMatchObject(expected);
  });

  test('what few may see never gets an id, and is not waited for', async () => {
    expect((await reconcile(3, 40_000, [live()], { privacy: 'FOLLOWER_OF_CREATOR' })).answer).toMatchObject({
      kind: 'published',
      remoteId: 'v_pub_file~1',
      permalink: null,
    });
  });

  test('a publication unknown for this token is no reason to refresh it', async () => {
    expect(
      (await reconcile(0, 1_000, [refusal(403, 'token_not_authorized_for_specified_publish_id')])).answer,
    ).not.toHaveProperty('tokenRefused');
  });

  test('it is asked by what it is called', async () => {
    const { asked } = await reconcile(0, 1_000, [whole]);
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: `${API}/v2/post/publish/status/fetch/`,
      body: '{"publish_id":"v_pub_file~1"}',
    });
  });

  test('a handle that can not be read ends as unknown', async () => {
    expect(await adapter.reconcile(work([], []).publication, { handle: 'p1', armedAt: NOW, asked: 0 })).toMatchObject({
      kind: 'unknown',
      delayMs: null,
    });
  });
});
