import { describe, expect, test } from 'vitest';
import { changeAddresses, namedAddresses } from './addresses.ts';
import { liveAddresses } from '../registry.ts';

test('nothing changes nothing', () => {
  expect(changeAddresses(liveAddresses, ' ')).toBe(liveAddresses);
});

test('every address of every Network can be another one, and only that one changes', () => {
  for (const [network, own] of Object.entries(liveAddresses)) {
    for (const [name] of namedAddresses(own)) {
      const before = namedAddresses(own).filter(([each]) => each !== name);
      const changed = namedAddresses(
        changeAddresses(liveAddresses, `${network}.${name}=https://stand-in.example.com/a`)[network as 'x']!,
      );
      expect(changed, `${network}.${name}`).toEqual(
        expect.arrayContaining([...before, [name, 'https://stand-in.example.com/a']]),
      );
      expect(changed).toHaveLength(before.length + 1);
    }
  }
});

test('several change at once; a slash at the end goes, but where people are sent to stays as it is written', () => {
  const { x, facebook, threads } = changeAddresses(
    liveAddresses,
    'x.api=http://127.0.0.1:8090/sim/x/, facebook.video=https://v.example.com ,x.authorize=http://[::1]:1/a/',
  );
  expect(x).toMatchObject({
    api: 'http://127.0.0.1:8090/sim/x',
    authorize: 'http://[::1]:1/a/',
    site: 'https://x.com',
  });
  expect(facebook!.hosts['video']).toBe('https://v.example.com');
  expect(threads).toBe(liveAddresses.threads);
});

describe('what is no address to send secrets to is refused, in words that have none', () => {
  test.each([
    ['x.api=http://api.x.com', 'x.api must be an https address, or http on this machine'],
    ['x.api=http://127.0.0.1.example.com', 'x.api must be an https address, or http on this machine'],
    ['x.api=', 'x.api must be an https address, or http on this machine'],
    ['x.api=file:///etc', 'x.api must be an https address, or http on this machine'],
    ['x.api=https://ada:planted@x.com', 'x.api must be an address without a user, a question mark or a #'],
    ['x.api=https://x.com?key=planted', 'x.api must be an address without a user, a question mark or a #'],
    ['x.upload=https://x.com', 'x.upload is no address; there are x.api, x.authorize, x.site'],
    ['x.constructor=https://x.com', 'x.constructor is no address; there are x.api, x.authorize, x.site'],
    [
      'myspace.api=https://x.com',
      '"myspace" is no Network here; write entries such as x.api=https://x-proxy.example.com, separated by commas',
    ],
    [
      'https://ada:planted@x.com',
      'an entry is no Network here; write entries such as x.api=https://x-proxy.example.com, separated by commas',
    ],
  ])('%s', (changes, summary) => {
    expect(() => changeAddresses(liveAddresses, changes)).toThrow(new Error(summary));
  });
});
