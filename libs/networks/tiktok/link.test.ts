import { expect, test } from 'vitest';
import type { ScriptedStep } from '#testing/scripted-network.ts';
import type { Publication } from '../contract/adapter.ts';
import { LOOKUP_TIMEOUT_MS } from '../contract/waits.ts';
import { adapter, NOW, ok, pathsOf, refusal, status, videoHandle, work } from './tiktok.fixture.ts';

const AFTER_MS = 180_000;
const live = status('PUBLISH_COMPLETE');
const own = (id: string, more: object = {}) => ({
  id,
  create_time: NOW / 1000 + 2,
  share_url: `https://tt/${id}`,
  video_description: 'Hello 見て',
  ...more,
});
const listed = (...videos: object[]) => ok({ videos, cursor: 0, has_more: false });
const NO_LINK = { kind: 'published', remoteId: 'v_pub_file~1', permalink: null };

const reconcile = async (script: readonly ScriptedStep[], more: object = {}, about: Partial<Publication> = {}) => {
  const { publication, asked } = work([], script, { now: NOW + AFTER_MS, ...about });
  const armed = { handle: videoHandle({ from: 1_000, ...more }), armedAt: NOW, asked: 30 };
  return { answer: await adapter.reconcile(publication, armed), asked };
};

test('what is live and never gets its id from TikTok is linked to by the list of the account', async () => {
  const { answer, asked } = await reconcile([live, listed(own('8', { video_description: 'other' }), own('9'))]);
  expect(answer).toMatchObject({ kind: 'published', remoteId: '9', permalink: 'https://tt/9' });
  expect(pathsOf(asked)).toEqual(['POST /v2/post/publish/status/fetch/', 'POST /v2/video/list/']);
  expect(asked[1]).toMatchObject({ timeoutMs: LOOKUP_TIMEOUT_MS });
});

test.each<[string, readonly ScriptedStep[]]>([
  ['that has two that say this', [live, listed(own('8'), own('9'))]],
  ['that has an older one only', [live, listed(own('1', { create_time: NOW / 1000 - 31 }))]],
  ['that has none', [live, listed()]],
  ['that we may not see', [live, refusal(401, 'scope_not_authorized')]],
  ['behind a dead token', [live, refusal(401, 'access_token_invalid')]],
  ['behind trouble', [live, refusal(500, 'internal_error')]],
  ['whose answer is lost', [live, { cut: 'after' }]],
])('a list %s leaves out the link, and it is published all the same', async (_name, script) => {
  expect((await reconcile(script)).answer).toMatchObject(NO_LINK);
});

test.each<[string, object, Partial<Publication>]>([
  ['few may see', { privacy: 'FOLLOWER_OF_CREATOR' }, {}],
  ['has no text', {}, { text: ' ' }],
])('what %s is not looked for in the list', async (_name, more, about) => {
  const { answer, asked } = await reconcile([live], more, about);
  expect(answer).toMatchObject(NO_LINK);
  expect(asked).toHaveLength(1);
});
