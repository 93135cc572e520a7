import { describe, expect, test } from 'vitest';
import { perNetwork } from '#domain/network.ts';
import { ConfigError, readConfig } from '#config/config.ts';
import { networksOf, passingAppsOf } from './networks.ts';

const appOf = (network: string) => ({
  [`CRIER_${network.toUpperCase()}_CLIENT_ID`]: 'app-id',
  [`CRIER_${network.toUpperCase()}_CLIENT_SECRET`]: 'app-secret',
});
const live = (env: Record<string, string>) => networksOf(readConfig({ CRIER_NETWORKS: 'live', ...env }), '');
const ASKED = { redirectUri: 'https://crier.example.com/connect/n/callback', state: 's', verifier: 'v' };
const signIn = (env: Record<string, string>, network: 'x' | 'threads' | 'facebook' | 'instagram' | 'tiktok') =>
  new URL(live(env).auths[network]!.authorizeUrl(ASKED));

test('live has the Networks that there is an app for, and knows the limits of all', () => {
  const networks = live(appOf('threads'));
  expect(Object.keys(networks.auths)).toEqual(['threads']);
  expect(Object.keys(networks.adapters)).toEqual(['threads']);
  expect(Object.keys(networks.limits)).toEqual(expect.arrayContaining(['facebook', 'instagram', 'x', 'threads']));
});

test('people are sent to the real Network with the app’s id, never its secret', () => {
  const url = signIn(appOf('x'), 'x');
  expect(url.origin + url.pathname).toBe('https://x.com/i/oauth2/authorize');
  expect(url.searchParams.get('client_id')).toBe('app-id');
  expect(url.href).not.toContain('app-secret');
});

describe('instagram has two logins, and the setting chooses', () => {
  test.each([
    [
      'instagram',
      'https://www.instagram.com/oauth/authorize',
      'instagram_business_basic,instagram_business_content_publish,instagram_business_manage_comments',
    ],
    [
      'facebook',
      'https://www.facebook.com/v25.0/dialog/oauth',
      'instagram_basic,instagram_content_publish,pages_show_list,pages_read_engagement,instagram_manage_comments,business_management',
    ],
  ])('%s', (login, address, scope) => {
    const url = signIn({ ...appOf('instagram'), CRIER_INSTAGRAM_LOGIN: login }, 'instagram');
    expect([url.origin + url.pathname, url.searchParams.get('scope')]).toEqual([address, scope]);
  });

  test('a setting says which permissions the app has, where it lacks the one for comments', () => {
    const scopes = 'instagram_business_basic, instagram_business_content_publish';
    const url = signIn({ ...appOf('instagram'), CRIER_INSTAGRAM_SCOPES: scopes }, 'instagram');
    expect(url.searchParams.get('scope')).toBe('instagram_business_basic,instagram_business_content_publish');
  });

  test('the permissions of that setting may stand behind spaces as well as commas, as those of tiktok may', () => {
    const scopes = 'instagram_business_content_publish  instagram_business_manage_comments';
    const url = signIn({ ...appOf('instagram'), CRIER_INSTAGRAM_SCOPES: scopes }, 'instagram');
    expect(url.searchParams.get('scope')).toContain('instagram_business_manage_comments');
  });
});

describe('the apps that Meta passes requests of people on for', () => {
  const networksByApp = (env: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(passingAppsOf(readConfig(env), 'http://sandbox.test')).map(([name, app]) => [name, app.networks]),
    );
  const LIVE = { CRIER_NETWORKS: 'live', ...appOf('facebook'), ...appOf('instagram') };

  test('are of both facebook and instagram where these have one', () => {
    const both = ['facebook', 'instagram'];
    expect(networksByApp(LIVE)).toEqual({ facebook: both, instagram: both });
  });

  test('are each for itself where they are different ones, and in a sandbox', () => {
    const each = { facebook: ['facebook'], instagram: ['instagram'] };
    expect(networksByApp({ ...LIVE, CRIER_INSTAGRAM_CLIENT_ID: 'another' })).toEqual(each);
    expect(networksByApp({})).toEqual({ ...each, threads: ['threads'] });
  });
});

describe('the Graph version is called everywhere', () => {
  test.each([
    ['v26.0', {}, 'https://graph.facebook.com/v26.0/me/permissions', '/v26.0/dialog/oauth'],
    ['v25.0', {}, 'https://graph.facebook.com/v25.0/me/permissions', '/v25.0/dialog/oauth'],
    [
      'v26.0',
      { CRIER_NETWORK_ADDRESSES: 'facebook.api=https://graph.example.com' },
      'https://graph.example.com/v26.0/me/permissions',
      '/v26.0/dialog/oauth',
    ],
    [
      'v26.0',
      { CRIER_NETWORK_ADDRESSES: 'facebook.api=https://graph.example.com/v27.0' },
      'https://graph.example.com/v27.0/me/permissions',
      '/v26.0/dialog/oauth',
    ],
  ])('%s %o', async (version, more, called, dialog) => {
    const env = { ...appOf('facebook'), CRIER_GRAPH_VERSION: version, ...more };
    expect(signIn(env, 'facebook').pathname).toBe(dialog);
    const urls: string[] = [];
    const http = { send: async ({ url }: { url: string }) => (urls.push(url), { status: 500, headers: {}, body: '' }) };
    await live(env).auths.facebook!.accounts(http, { accessToken: 'token', refreshToken: null, expiresAt: 0 }, 0);
    expect(urls).toEqual([called]);
  });
});

describe('the scopes that people are asked for at tiktok', () => {
  const asked = (setting: string) =>
    signIn({ ...appOf('tiktok'), CRIER_TIKTOK_SCOPES: setting }, 'tiktok').searchParams.get('scope');

  test.each([
    ['', 'user.info.basic,video.publish,user.info.profile,video.list'],
    ['user.info.basic,video.publish', 'user.info.basic,video.publish'],
    [' video.publish , user.info.basic,, video.list ', 'video.publish,user.info.basic,video.list'],
  ])('are those of CRIER_TIKTOK_SCOPES=%j', (setting, scopes) => {
    expect(asked(setting)).toBe(scopes);
  });

  test.each([
    ['user.info.basic', /^CRIER_TIKTOK_SCOPES lacks video\.publish: /],
    ['video.publish,video.list', /^CRIER_TIKTOK_SCOPES lacks user\.info\.basic: /],
    ['video.list', /^CRIER_TIKTOK_SCOPES lacks user\.info\.basic and video\.publish: /],
  ])('stop the start where they lack what is needed: %j', (setting, words) => {
    for (const networks of ['sandbox', 'live']) {
      const start = () =>
        networksOf(
          readConfig({ CRIER_NETWORKS: networks, ...appOf('x'), CRIER_TIKTOK_SCOPES: setting }),
          'http://127.0.0.1:1',
        );
      expect(start).toThrow(ConfigError);
      expect(start).toThrow(words);
    }
  });
});

test.each([['sandbox'], ['live']])(
  'a wrong address, budget or number at once stops the start, %s or not',
  (networks) => {
    const all = [
      { CRIER_NETWORK_ADDRESSES: 'x.api=ftp://a' },
      { CRIER_NETWORK_BUDGETS: 'x.api=1/1m' },
      { CRIER_NETWORK_AT_ONCE: 'x=1025' },
    ];
    for (const wrong of all) {
      expect(() =>
        networksOf(readConfig({ CRIER_NETWORKS: networks, ...appOf('x'), ...wrong }), 'http://127.0.0.1:1'),
      ).toThrow(ConfigError);
    }
  },
);

test('the attempts that all processes make at once are as an operator says, and otherwise as each Network has them', () => {
  const { budgets } = networksOf(readConfig({ CRIER_NETWORK_AT_ONCE: 'facebook=512' }), 'http://127.0.0.1:1');
  expect(perNetwork((network) => budgets[network].atOnce)).toEqual({
    ...{ facebook: 512, instagram: 256, tiktok: 256, youtube: 64, x: 256, threads: 256 },
  });
});
