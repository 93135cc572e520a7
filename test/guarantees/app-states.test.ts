import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Network } from '#domain/network.ts';
import type { VariantJson } from '#testing/crier-clients.ts';
import { followConnectLink } from '#testing/connect-link.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace } from '#testing/crier-workspace.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { fileOf, readPost, upload } from './media-files.ts';

const env = { CRIER_REQUESTS_PER_MINUTE: '0', CRIER_NETWORK_BUDGETS: 'off' };
const REEL = fileOf('video/mp4', Buffer.from(MEDIA_FIXTURES.reel.bytes));
/** What every sign-in at tiktok needs; the other scopes are extras that an app may lack. */
const TIKTOK_SCOPES = 'user.info.basic,video.publish';

/** A sandbox whose app is not what `crier` was set up for, as an operator's app may be. */
let crier: CrierUnderTest;
beforeAll(async () => {
  crier = await CrierUnderTest.start({ name: 'app-states', env });
});
afterAll(() => crier?.[Symbol.asyncDispose]());

/** What connecting an account of a person who agrees comes to: the Channel, or the words. */
async function connected(installation: CrierUnderTest, network: Network, more: object = {}): Promise<string> {
  const workspaceId = installation.ready.demo?.workspaceId;
  const input = { workspaceId, network, name: 'Grace', ...more };
  const { status, body } = await installation.admin().send('channels.connectSandbox', input);
  return status === 200 ? 'connected' : `${status}: ${body.error.message}`;
}

/** A video on one Channel, once nothing of it is to come. */
async function videoOn(network: 'tiktok' | 'youtube', options: object): Promise<VariantJson> {
  const channelId = crier.ready.demo!.channels[network]!;
  const assetId = await upload(crier.api(), REEL);
  const body = { text: 'A reel', channelIds: [channelId], media: [{ assetId }] };
  const { id } = await crier.api().createPost({ ...body, channelOptions: { [channelId]: options } });
  for (let looks = 0; looks < 600; looks++) {
    const [variant] = (await readPost(crier, id)).variants;
    if (variant!.status === 'published' || variant!.status === 'failed') return variant!;
    await sleep(100);
    if (looks % 4 === 3) await crier.admin().advance(5_000);
  }
  throw new Error(`post ${id} never ended`);
}

describe('an app that the Network has not audited', () => {
  test('tiktok: what is to be public fails with words about the app; what only its owner sees is published', async () => {
    await crier.sandbox().app({ network: 'tiktok', state: 'unaudited' });
    const refused = await videoOn('tiktok', { privacy: 'public' });
    expect(refused).toMatchObject({ status: 'failed', failureReason: 'rejected_by_platform' });
    expect(refused.failureDetail).toMatch(/audit/);
    expect(await crier.sandbox().items({ network: 'tiktok' })).toEqual([]);
    expect(await videoOn('tiktok', { privacy: 'only_me' })).toMatchObject({ status: 'published' });
    expect(await crier.sandbox().items({ network: 'tiktok' })).toMatchObject([{ options: { privacy: 'only_me' } }]);
    const channelId = crier.ready.demo!.channels['tiktok']!;
    const { body } = await crier.api().send('GET', `/api/channels/${channelId}/options`);
    expect(body.data.choices.privacy).toEqual(['only_me']);
  });

  test('youtube: a video that YouTube locked is never called published, unless it was to be private', async () => {
    await crier.sandbox().app({ network: 'youtube', state: 'unaudited' });
    for (const privacy of ['public', 'unlisted'] as const) {
      const locked = await videoOn('youtube', { title: privacy, privacy });
      expect(locked).toMatchObject({ status: 'failed', failureReason: 'rejected_by_platform' });
      expect(locked.failureDetail).toMatch(/has not audited the app/);
      const [item] = (await crier.sandbox().items({ network: 'youtube' })).filter(({ title }) => title === privacy);
      expect(item!.options).toMatchObject({ privacy: 'private' });
      expect(locked.failureDetail).toContain(item!.permalink);
    }
    const hidden = await videoOn('youtube', { title: 'private', privacy: 'private' });
    expect(hidden).toMatchObject({ status: 'published' });
  });
});

describe('an app that may not ask for a scope', () => {
  test.each([
    ['facebook', 'pages_manage_posts', 'pages_manage_posts'],
    ['instagram', 'instagram_business_content_publish', 'instagram_business_content_publish'],
    ['youtube', 'https://www.googleapis.com/auth/youtube.upload', 'youtube.upload'],
    ['x', 'tweet.write', 'tweet.write'],
    ['threads', 'threads_content_publish', 'threads_content_publish'],
    // TikTok does not say which one.
    ['tiktok', 'video.list', 'scope (invalid_scope)'],
  ] as const)('%s: the sign-in ends with the words of the Network about %s', async (network, scope, words) => {
    await crier.sandbox().app({ network, state: 'missing_scopes', scopes: [scope] });
    const before = (await crier.api().channels()).length;
    expect(await connected(crier, network)).toMatch(/^422: /);
    expect(await connected(crier, network)).toContain(words);
    expect(await crier.api().channels()).toHaveLength(before);
    await crier.sandbox().app({ network, state: 'audited' });
    expect(await connected(crier, network)).toBe('connected');
  });
});

/** The ids of the Pages that a person is offered who signs in with a browser; `more` is said to Facebook. */
async function offeredPages(more: string): Promise<readonly string[]> {
  const { workspaceId } = crier.ready.demo!;
  const { connectUrl } = await crier.admin().call('channels.connect', { workspaceId, network: 'facebook' });
  const { consentUrl, cookie } = await followConnectLink(connectUrl);
  const approved = await fetch(`${consentUrl}&auto_approve=1&${more}`, { redirect: 'manual' });
  const page = await fetch(approved.headers.get('location')!, { headers: { cookie } });
  const text = await page.text();
  expect(page.status, text).toBe(200);
  return [...text.matchAll(/type="checkbox"[^>]*value="(\d+)"/g)].map(([, id]) => id!);
}

test('facebook: a Page that a business portfolio owns is offered beside others, whatever else was granted', async () => {
  const pages = await offeredPages('account_kind=several&account_name=Grace');
  expect(pages).toHaveLength(2);
  const [first, second] = pages;
  await crier.sandbox().send('POST', `/sandbox/accounts/${second}/state`, { state: 'portfolio' });
  expect(await offeredPages(`account=${first}`)).toEqual(pages);
  expect(await offeredPages(`account=${first}&decline=business_management`)).toEqual(pages);
});

test('facebook: an app for business login needs its configuration, and tiktok one without extras its scopes', async () => {
  await crier.sandbox().app({ network: 'facebook', state: 'business_login' });
  expect(await connected(crier, 'facebook')).toMatch(/^422: facebook was not connected: .*this app isn.*t available/);
  const settings = { CRIER_FACEBOOK_CONFIG_ID: '1234567890', CRIER_TIKTOK_SCOPES: TIKTOK_SCOPES };
  await using set = await CrierUnderTest.start({
    name: 'app-settings',
    env: { ...env, ...settings, CRIER_DEMO: 'false' },
  });
  const { workspaceId } = await foundWorkspace(set, 'set up');
  await set.sandbox().app({ network: 'facebook', state: 'business_login' });
  await set.sandbox().app({
    network: 'tiktok',
    state: 'missing_scopes',
    scopes: ['user.info.profile', 'video.list'],
  });
  expect(await connected(set, 'facebook', { workspaceId })).toBe('connected');
  expect(await connected(set, 'tiktok', { workspaceId })).toBe('connected');
});
