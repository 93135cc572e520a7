import { expect, test } from 'vitest';
import type { KeyLimits } from '#domain/workspace/state.ts';
import { CREDENTIALS } from '#tables/declarations/tables.ts';
import { decodeBody } from '#tables/rows/body.ts';
import { tokenHashOf } from '../authenticate.ts';
import { openIngressWorld, START } from '../ingress-harness.fixture.ts';

const NONE: KeyLimits = { expiresAt: null, readOnly: false, allowedIps: [] };
const HOUR_MS = 3_600_000;

async function openLimited(limits: Partial<KeyLimits>) {
  const open = await openIngressWorld({ trustedProxies: ['loopback'] });
  const { apiKey, keyId } = await open.world.key(open.scenario, [], undefined, { ...NONE, ...limits });
  return { ...open, apiKey, keyId, [Symbol.asyncDispose]: () => open[Symbol.asyncDispose]() };
}

test('a key opens nothing from the instant at which it expires', async () => {
  await using open = await openLimited({ expiresAt: START + HOUR_MS });
  const { harness, clock, apiKey, key } = open;
  const list = () => harness.call('GET', '/api/channels', { key: apiKey });
  await clock.advance(HOUR_MS - 1);
  expect((await list()).status).toBe(200);
  // Whom the key stands for is remembered for seconds; that it expires is not.
  await clock.advance(1);
  expect(await list()).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
  expect((await list()).body.error.message).toBe('This API key has expired. Make another one in the app.');
  expect((await harness.call('GET', '/api/channels', { key })).status).toBe(200);
});

test('a key that only reads is refused by every operation that changes something', async () => {
  await using open = await openLimited({ readOnly: true });
  const { harness, apiKey, channels, world } = open;
  const content = { text: 'Hello', channelIds: channels };
  for (const path of ['/api/channels', '/api/posts', '/api/usage'])
    expect([path, (await harness.call('GET', path, { key: apiKey })).status]).toEqual([path, 200]);
  const scheduledAt = new Date(START + HOUR_MS).toISOString();
  for (const [path, body] of [
    ['/api/posts', { ...content, scheduledAt }],
    ['/api/posts/validate', content],
    ['/api/posts/bulk', { posts: [{ ...content, scheduledAt }] }],
    ['/api/media', { filename: 'a.png', contentType: 'image/png', bytes: 100 }],
    ['/api/posts/01890000-0000-7000-8000-000000000000/cancel', undefined],
  ] as const)
    expect(await harness.call('POST', path, { key: apiKey, ...(body !== undefined && { body }) })).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden', message: expect.stringContaining('only reads') } },
    });
  expect(world.commands).toBe(0);
});

test('a key with a list of addresses is good from those alone, as a trusted proxy names them', async () => {
  await using open = await openLimited({ allowedIps: ['203.0.113.0/24', '2001:db8::/32'] });
  const { harness, apiKey, key } = open;
  const from = async (address: string, used: string) =>
    (await harness.call('GET', '/api/channels', { key: used, headers: { 'X-Forwarded-For': address } })).status;
  expect(await from('203.0.113.9', apiKey)).toBe(200);
  expect(await from('2001:db8::7', apiKey)).toBe(200);
  expect(await from('203.0.114.9', apiKey)).toBe(403);
  // The nearest address that no trusted proxy wrote counts, whatever the client claims before it.
  expect(await from('203.0.113.9, 198.51.100.1', apiKey)).toBe(403);
  expect(await from('198.51.100.1', key)).toBe(200);
});

test('a release that knows no limits finds a limited key revoked, and so refuses it', async () => {
  await using open = await openLimited({ readOnly: true });
  const { world, apiKey, key } = open;
  const rowOf = async (one: string) =>
    decodeBody<object>((await world.store.read(CREDENTIALS, [tokenHashOf(one)], []))!);
  expect(await rowOf(apiKey)).toMatchObject({ revoked: true, limited: { revoked: false } });
  expect(await rowOf(key)).toMatchObject({ revoked: false });
});

test('a limited key that is revoked opens nothing', async () => {
  await using open = await openLimited({ expiresAt: START + HOUR_MS });
  const { harness, world, scenario, apiKey, keyId } = open;
  await world.revoke(scenario, keyId);
  expect((await harness.call('GET', '/api/channels', { key: apiKey })).status).toBe(401);
});
