import { describe, expect, test } from 'vitest';
import { readConfig } from '#config/config.ts';
import { NETWORKS } from '#domain/network.ts';
import { networkFindings } from './networks.ts';

const appOf = (network: string) => ({
  [`CRIER_${network.toUpperCase()}_CLIENT_ID`]: `planted-id-${network}`,
  [`CRIER_${network.toUpperCase()}_CLIENT_SECRET`]: `planted-secret-${network}`,
});
const LIVE = {
  CRIER_NETWORKS: 'live',
  CRIER_PUBLIC_URL: 'https://crier.example.com',
  ...appOf('x'),
  ...appOf('threads'),
};
const find = (env: Record<string, string>) => networkFindings(readConfig(env));
const named = (env: Record<string, string>, check: string) => find(env).find((each) => each.check === check);

test('with the sandbox there is nothing to set up', () => {
  expect(find({})).toEqual([{ check: 'networks', ok: true, detail: 'the sandbox; nothing reaches a real Network' }]);
});

test('live: each Network is set up, or its line names the settings that are missing', () => {
  expect(named(LIVE, 'networks')).toEqual({ check: 'networks', ok: true, detail: 'live: x, threads' });
  expect(named(LIVE, 'x')).toEqual({
    check: 'x',
    ok: true,
    detail: 'id and secret are set; calls go to https://api.x.com, people to https://x.com/i/oauth2/authorize',
  });
  expect(named(LIVE, 'facebook')?.detail).toMatch(
    /^not set up, .* CRIER_FACEBOOK_CLIENT_ID and CRIER_FACEBOOK_CLIENT_SECRET$/,
  );
  expect(find(LIVE).map(({ ok }) => ok)).not.toContain(false);
});

test('every Network there is can be set up by its id and secret', () => {
  for (const network of NETWORKS) {
    const env = { CRIER_NETWORKS: 'live', CRIER_PUBLIC_URL: 'https://crier.example.com', ...appOf(network) };
    expect(named(env, 'networks')?.detail).toBe(`live: ${network}`);
    expect(named(env, network)?.detail).toMatch(/^id and secret are set; calls go to https:/);
  }
});

describe('a setting that keeps a live installation from working is found', () => {
  test.each([
    [
      { CRIER_PUBLIC_URL: '' },
      'redirect address',
      'CRIER_PUBLIC_URL is not set, which makes it http://127.0.0.1:8080: Networks send people back to https only',
    ],
    [
      { CRIER_PUBLIC_URL: 'http://crier.example.com' },
      'redirect address',
      'CRIER_PUBLIC_URL is http://crier.example.com: Networks send people back to https only',
    ],
    [
      { CRIER_PUBLIC_URL: 'https://192.168.1.7' },
      'redirect address',
      "CRIER_PUBLIC_URL is https://192.168.1.7: Networks can't reach it from outside; use a public name",
    ],
    [
      { CRIER_PUBLIC_URL: 'https://localhost:8443' },
      'files of threads',
      "threads fetches pictures and videos from https://localhost:8443, which it can't reach",
    ],
    [
      { CRIER_NETWORK_BUDGETS: 'x.account=lots' },
      'networks',
      'CRIER_NETWORK_BUDGETS: "lots" in "x.account=lots" is no allowance; write uses and a window, such as 100/15m or 10000/1d',
    ],
    [
      { CRIER_NETWORK_AT_ONCE: 'facebook=4096' },
      'networks',
      'CRIER_NETWORK_AT_ONCE: "facebook=4096" is no number of attempts; write entries such as facebook=512, from 1 to 1024',
    ],
    [
      { CRIER_NETWORK_ADDRESSES: 'x.api=http://api.x.com' },
      'networks',
      'CRIER_NETWORK_ADDRESSES: x.api must be an https address, or http on this machine',
    ],
  ])('%o', (more, check, detail) => {
    expect(named({ ...LIVE, ...more }, check)).toEqual({ check, ok: false, detail });
  });
});

describe('Networks fetch files from CRIER_MEDIA_URL where that is set, whatever CRIER_PUBLIC_URL is', () => {
  const CAN_NOT = "which it can't: CRIER_MEDIA_URL has to be an https address with a public name";

  test('its line names that address, which the app at tiktok has to have as a verified prefix', () => {
    const env = { ...LIVE, ...appOf('tiktok'), CRIER_MEDIA_URL: 'https://media.example.com' };
    expect(named(env, 'files of tiktok')?.detail).toMatch(/ from https:\/\/media\.example\.com: it must answer there /);
    expect(named(env, 'files of threads')).toEqual({
      check: 'files of threads',
      ok: true,
      detail:
        'threads fetches pictures and videos from https://media.example.com: it must answer there without sign-in or redirects',
    });
    expect(named(env, 'redirect address')?.detail).toContain('https://crier.example.com/');
  });

  test.each(['https://10.0.0.5', 'http://media.example.com'])('%s serves no Network', (mediaUrl) => {
    expect(named({ ...LIVE, CRIER_MEDIA_URL: mediaUrl }, 'files of threads')).toEqual({
      check: 'files of threads',
      ok: false,
      detail: `threads fetches pictures and videos from ${mediaUrl}, ${CAN_NOT}`,
    });
  });

  test('a private CRIER_PUBLIC_URL beside it keeps no file from a Network', () => {
    const env = { ...LIVE, CRIER_PUBLIC_URL: 'https://10.0.0.5', CRIER_MEDIA_URL: 'https://media.example.com' };
    expect(named(env, 'files of threads')?.ok).toBe(true);
    expect(named(env, 'redirect address')?.ok).toBe(false);
  });
});

test('the Graph version and the login are shown as they are set', () => {
  const env = {
    ...LIVE,
    ...appOf('facebook'),
    ...appOf('instagram'),
    CRIER_GRAPH_VERSION: 'v26.0',
    CRIER_INSTAGRAM_LOGIN: 'facebook',
  };
  expect(named(env, 'facebook')?.detail).toBe(
    'id and secret are set; calls go to https://graph.facebook.com/v26.0, people to https://www.facebook.com/v26.0/dialog/oauth',
  );
  expect(named(env, 'instagram')?.detail).toBe(
    'id and secret are set; calls go to https://graph.instagram.com/v26.0, people to https://www.facebook.com/v26.0/dialog/oauth, by Facebook Login',
  );
});

test('no id and no secret is ever shown', () => {
  const all = Object.assign({}, ...NETWORKS.map(appOf)) as Record<string, string>;
  expect(JSON.stringify(find({ ...LIVE, ...all }))).not.toContain('planted');
});
