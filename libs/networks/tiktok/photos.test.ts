import { describe, expect, test } from 'vitest';
import type { Scripted, ScriptedStep } from '#testing/scripted-network.ts';
import type { Publication } from '../contract/adapter.ts';
import {
  adapter,
  API,
  creator,
  jsonOf,
  NOW,
  ok,
  pathsOf,
  photo,
  photosHandle,
  prepareAll,
  refusal,
  status,
  work,
} from './tiktok.fixture.ts';

describe('preparing', () => {
  test('leave is asked for, every time, and nothing else', async () => {
    const { answer, asked } = await prepareAll(
      [photo('a')],
      [creator({ comment_disabled: true })],
      {},
      photosHandle({ creator: 'old' }),
    );
    expect(answer).toMatchObject({ kind: 'ready', handle: photosHandle({ isCommentOff: true }) });
    expect(pathsOf(asked)).toEqual(['POST /v2/post/publish/creator_info/query/']);
    expect(asked[0]).not.toHaveProperty('body');
  });

  test.each<[string, Scripted, object]>([
    ['the users of a day', refusal(403, 'reached_active_user_cap'), { reason: 'rate_limited', retry: 'later' }],
    ['trouble', refusal(500, 'internal_error'), { reason: 'platform_problem', retry: 'later' }],
    ['no connection', { cut: 'before' }, { reason: 'platform_problem', retry: 'later' }],
  ])('%s', async (_name, scripted, failure) => {
    expect((await prepareAll([photo('a')], [scripted])).answer).toMatchObject({ kind: 'failed', failure });
  });
});

describe('publishing', () => {
  const publish = async (scripted: Scripted, more: object = {}, about: Partial<Publication> = {}) => {
    const { publication, asked } = work([photo('a'), photo('b')], [scripted], about);
    return { answer: await adapter.publish(publication, photosHandle(more)), asked };
  };

  test('TikTok gets the addresses of the photos, and the name it gives them is kept', async () => {
    const { answer, asked } = await publish(
      ok({ publish_id: 'p_pub_url~1' }),
      { isCommentOff: true },
      { text: 'One. Two 見て' },
    );
    expect(answer).toMatchObject({
      kind: 'accepted',
      delayMs: 5_000,
      handle: photosHandle({ publishId: 'p_pub_url~1', isCommentOff: true }),
    });
    expect(asked[0]).toMatchObject({ method: 'POST', url: `${API}/v2/post/publish/content/init/`, timeoutMs: 20_000 });
    expect(jsonOf(asked[0])).toEqual({
      media_type: 'PHOTO',
      post_mode: 'DIRECT_POST',
      post_info: {
        description: 'One. Two 見て',
        privacy_level: 'PUBLIC_TO_EVERYONE',
        disable_comment: true,
        auto_add_music: false,
        brand_content_toggle: false,
        brand_organic_toggle: false,
      },
      source_info: {
        source: 'PULL_FROM_URL',
        photo_images: ['https://media.test/a', 'https://media.test/b'],
        photo_cover_index: 0,
      },
    });
  });

  test('photos without a text have no description', async () => {
    const { asked } = await publish(ok({ publish_id: 'p1' }), {}, { text: '' });
    expect(jsonOf(asked[0]).post_info).not.toHaveProperty('description');
  });

  test.each<[string, Scripted, object]>([
    ['no connection', { cut: 'before' }, { kind: 'failed', failure: { reason: 'platform_problem', retry: 'later' } }],
    ['a lost answer', { cut: 'after' }, { kind: 'unknown' }],
    ['trouble', refusal(500, 'internal_error'), { kind: 'unknown' }],
    ['trouble told as a refusal', refusal(400, 'internal_error'), { kind: 'unknown' }],
    ["a proxy's page", { status: 404, headers: {}, body: '<html>' }, { kind: 'unknown' }],
    ['an answer without an id', ok({}), { kind: 'unknown' }],
    ['a body that breaks off', { status: 200, headers: {}, body: '{"data":{"publish_id":"p' }, { kind: 'unknown' }],
    [
      'a dead token',
      refusal(401, 'access_token_invalid'),
      { kind: 'failed', failure: { reason: 'needs_reconnect', retry: 'refresh' } },
    ],
    [
      'a missing scope',
      refusal(401, 'scope_not_authorized'),
      { kind: 'failed', failure: { reason: 'needs_reconnect', retry: 'afterReconnect' } },
    ],
    [
      'a token that is refused in no words',
      { status: 401, headers: {}, body: '' },
      { kind: 'failed', failure: { reason: 'needs_reconnect', retry: 'refresh' } },
    ],
    ['a refused token told by a server in trouble', refusal(500, 'access_token_invalid'), { kind: 'unknown' }],
    [
      'a domain that is not verified',
      refusal(403, 'url_ownership_unverified'),
      { kind: 'failed', failure: { reason: 'media_problem', retry: 'never' } },
    ],
    [
      'a limit',
      refusal(429, 'rate_limit_exceeded'),
      { kind: 'failed', failure: { reason: 'rate_limited', retry: 'later', delayMs: 60_000 } },
    ],
    [
      'the posts of a day',
      refusal(403, 'spam_risk_too_many_posts'),
      { kind: 'failed', failure: { reason: 'rate_limited', retry: 'later', delayMs: 86_400_000 } },
    ],
    [
      'a refusal with 200',
      refusal(200, 'spam_risk_user_banned_from_posting'),
      { kind: 'failed', failure: { reason: 'rejected_by_platform', retry: 'never' } },
    ],
    [
      'a privacy level no longer offered',
      refusal(403, 'privacy_level_option_mismatch'),
      { kind: 'failed', failure: { reason: 'rejected_by_platform', retry: 'once' } },
    ],
  ])('%s', async (_name, scripted, expected) => {
    const { answer } = await publish(scripted);
    expect(answer).toMatchObject(expected);
    expect(answer).not.toHaveProperty('ifAbsent');
  });
});

describe('reconciling', () => {
  const reconcile = async (
    afterMs: number,
    script: readonly ScriptedStep[],
    more: object = {},
    about: Partial<Publication> = {},
    asked = 1,
  ) => {
    const worked = work([], script, { now: NOW + afterMs, ...about });
    return {
      answer: await adapter.reconcile(worked.publication, { handle: photosHandle(more), armedAt: NOW, asked }),
      asked: worked.asked,
    };
  };
  const named = { publishId: 'p_pub_url~1' };

  test.each<[string, number, readonly ScriptedStep[], object]>([
    [
      'live',
      40_000,
      [status('PUBLISH_COMPLETE', { publicaly_available_post_id: [73] })],
      { kind: 'published', remoteId: '73', permalink: 'https://www.tiktok.com/@ada.l/photo/73' },
    ],
    [
      'live, its id not come',
      180_000,
      [status('PUBLISH_COMPLETE'), ok({ videos: [] })],
      { kind: 'published', remoteId: 'p_pub_url~1', permalink: null },
    ],
    ['being fetched', 1_000, [status('PROCESSING_DOWNLOAD')], { kind: 'processing', delayMs: 5_000 }],
    [
      'not fetched',
      1_000,
      [status('FAILED', { fail_reason: 'photo_pull_failed' })],
      { kind: 'failed', handle: null, failure: { reason: 'media_problem', retry: 'once' } },
    ],
    ['behind a dead token', 1_000, [refusal(401, 'access_token_invalid')], { kind: 'unknown', tokenRefused: true }],
  ])('by what they are called: %s', async (_name, afterMs, script, expected) => {
    expect((await reconcile(afterMs, script, named)).answer).toMatchObject(expected);
  });

  const listed = (...videos: object[]) => ok({ videos, cursor: 0, has_more: false });
  const seconds = NOW / 1000;
  const own = (id: string, more: object = {}) => ({
    id,
    create_time: seconds + 2,
    share_url: `https://tt/${id}`,
    title: 'Hello',
    video_description: 'Hello 見て ',
    ...more,
  });
  const LATER = 300_000;
  test.each<[string, number, readonly ScriptedStep[], object]>([
    ['not before five minutes are over', LATER - 1, [], { kind: 'unknown', delayMs: 1 }],
    [
      'the one that says this',
      LATER,
      [listed(own('8', { video_description: 'other' }), own('9'))],
      { kind: 'published', remoteId: '9', permalink: 'https://tt/9' },
    ],
    [
      'the one that says this, an older twin beside it',
      LATER,
      [listed(own('9'), own('1', { create_time: seconds - 31 }))],
      { kind: 'published', remoteId: '9' },
    ],
    ['two that say this', LATER, [listed(own('8'), own('9'))], { kind: 'unknown', delayMs: null }],
    ['none, which proves nothing', LATER, [listed()], { kind: 'unknown', delayMs: null }],
    ['a list that we may not see', LATER, [refusal(401, 'scope_not_authorized')], { kind: 'unknown', delayMs: null }],
    [
      'a list behind a dead token',
      LATER,
      [refusal(401, 'access_token_invalid')],
      { kind: 'unknown', delayMs: 10_000, tokenRefused: true },
    ],
    ['a list that can not be read', LATER, [refusal(500, 'internal_error')], { kind: 'unknown', delayMs: 10_000 }],
  ])('by the list of the account, where the answer was lost: %s', async (_name, afterMs, script, expected) => {
    expect((await reconcile(afterMs, script)).answer).toMatchObject(expected);
  });

  test('a list that we may not see is not asked for again', async () => {
    expect((await reconcile(LATER, [refusal(401, 'scope_permission_missed')])).answer).not.toHaveProperty(
      'tokenRefused',
    );
  });

  test('photos without a text are not looked for: nothing tells them from others', async () => {
    const { answer, asked } = await reconcile(LATER, [], {}, { text: ' ' });
    expect(answer).toMatchObject({ kind: 'unknown', delayMs: null });
    expect(asked).toHaveLength(0);
  });

  test('the list is asked for with its fields', async () => {
    const { asked } = await reconcile(LATER, [listed()]);
    expect(asked[0]).toMatchObject({
      method: 'POST',
      url: `${API}/v2/video/list/?fields=id,create_time,share_url,title,video_description,duration`,
      body: '{"max_count":20}',
    });
  });
});
