import { expect, test } from 'vitest';
import { dialogUrl } from './facebook/facebook.fixture.ts';
import { instagramAuthorizeUrl } from './instagram/instagram.fixture.ts';
import { isRegistered } from './redirect-uris.ts';
import { createHarness, REDIRECT, threadsAuthorizeUrl, xAuthorizeUrl } from './sandbox.fixture.ts';
import { tiktokAuthorizeUrl } from './tiktok/tiktok.fixture.ts';
import { youtubeAuthUrl } from './youtube/youtube.fixture.ts';

const AT = 'https://crier.example.com/connect/x/callback';
const HERE = 'http://127.0.0.1:8080/connect/x/callback';

test.each([
  [AT, AT],
  [HERE, HERE],
  ['http://127.0.0.1:49152/connect/x/callback', HERE],
  ['http://127.0.0.1/connect/x/callback', HERE],
])('an app may have people redirected to %s when it registered %s', (asked, registered) => {
  expect(isRegistered(asked, ['https://other.example.com/', registered])).toBe(true);
});

test.each([
  ...[
    `${AT}/`,
    `${AT}?to=https://evil.test`,
    `${AT}#there`,
    'https://crier.example.com:8443/connect/x/callback',
    'http://crier.example.com/connect/x/callback',
  ],
  ...[
    'https://crier.example.com/connect/threads/callback',
    'https://evil.test/connect/x/callback',
    'https://crier.example.com.evil.test/connect/x/callback',
  ],
  ...[
    'https://crier.example.com@evil.test/connect/x/callback',
    'HTTPS://CRIER.EXAMPLE.COM/connect/x/callback',
    'javascript:alert(1)',
    'nonsense',
    '',
  ],
  ...[
    'http://127.0.0.1:49152/steal',
    'https://127.0.0.1:8080/connect/x/callback',
    'http://127.0.0.1@evil.test/connect/x/callback',
    'http://someone@127.0.0.1:1/connect/x/callback',
  ],
])('and not to %s', (asked) => {
  expect(isRegistered(asked, [AT, HERE])).toBe(false);
});

test.each([
  ['x', xAuthorizeUrl()],
  ['threads', threadsAuthorizeUrl()],
  ['facebook', dialogUrl()],
  ['instagram', instagramAuthorizeUrl()],
  ['tiktok', tiktokAuthorizeUrl()],
  ['youtube', youtubeAuthUrl()],
])(
  '%s redirects no person, and no code, to an address that was not registered, whichever button is pressed',
  async (_, url) => {
    const harness = createHarness();
    expect((await harness.ask('GET', url)).headers['location']).toContain(`${REDIRECT}?`);
    const elsewhere = url.replace(encodeURIComponent(REDIRECT), encodeURIComponent('https://evil.test/callback'));
    expect(elsewhere).not.toBe(url);
    const shown = await harness.ask('GET', elsewhere.replace('auto_approve=1', 'auto_approve=0'));
    const pressed = ['approve', 'deny'].map((decision) =>
      harness.ask('POST', elsewhere.split('?')[0]!, {
        form: { ...Object.fromEntries(new URLSearchParams(elsewhere.split('?')[1])), decision },
      }),
    );
    for (const told of [shown, await harness.ask('GET', elsewhere), ...(await Promise.all(pressed))]) {
      expect([told.status, told.headers['location']]).toEqual([400, undefined]);
      expect(told.text).toContain('registered');
    }
  },
);
