import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { until } from '#testing/until.ts';
import { openIngressWorld } from './ingress-harness.fixture.ts';

const PER_MINUTE = 10;
const FLOODER = { 'X-Forwarded-For': '203.0.113.7' };
const UNKNOWN = { ...FLOODER, Authorization: `Bearer crier_${'a'.repeat(43)}` };

const open = () => openIngressWorld({ trustedProxies: ['loopback'], strangersPerMinute: PER_MINUTE });

test.each([
  ['GET', '/api/channels', FLOODER],
  ['GET', '/api/channels', UNKNOWN],
  ['GET', '/nowhere', FLOODER],
  ['GET', '/nowhere', UNKNOWN],
  ['DELETE', '/api/posts', FLOODER],
  ['GET', '/media/nothing.png', FLOODER],
  ['POST', '/mcp', FLOODER],
  ['POST', '/mcp', UNKNOWN],
])(
  '%s %s without a valid credential is bounded by address, and the refusal says by what',
  async (method, path, sent) => {
    await using world = await open();
    const { harness } = world;
    const headers = { ...sent, Host: new URL(harness.url).host };
    const ask = () => harness.call(method, path, { headers, ...(method === 'POST' && { body: {} }) });
    for (let asked = 0; asked < PER_MINUTE; asked++) expect((await ask()).status).toBeLessThan(429);
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '6']);
    expect(refused.body.error.message).toContain('10 requests a minute without a valid key');
    expect(harness.reporter.of('stranger-refused')).toHaveLength(1);
    // Another address is not concerned.
    const other = await harness.call('GET', '/api/channels', { headers: { 'X-Forwarded-For': '203.0.113.8' } });
    expect(other.status).toBe(401);
  },
);

test('a valid key, or a valid token, is served from an address that has used up what strangers may ask', async () => {
  await using world = await open();
  const { harness, key, scenario } = world;
  const { token } = await world.world.app(scenario, { resource: `${harness.url}/mcp` });
  const ping = () =>
    harness.call('POST', '/mcp', {
      key: token,
      headers: { ...FLOODER, Accept: 'application/json, text/event-stream' },
      body: { jsonrpc: '2.0', id: 1, method: 'ping' },
    });
  for (let asked = 0; asked < 2 * PER_MINUTE; asked++) await harness.call('GET', '/api/channels', { headers: UNKNOWN });
  for (let asked = 0; asked < 2 * PER_MINUTE; asked++)
    expect((await harness.call('GET', '/api/channels', { key, headers: FLOODER })).status).toBe(200);
  expect((await ping()).status).toBe(200);
  expect((await harness.call('GET', '/api/channels', { headers: UNKNOWN })).status).toBe(429);
});

test('requests of a valid key do not use up what strangers at its address may ask', async () => {
  await using world = await open();
  const { harness, key } = world;
  for (let asked = 0; asked < 2 * PER_MINUTE; asked++)
    await harness.call('GET', '/api/channels', { key, headers: FLOODER });
  expect((await harness.call('GET', '/api/channels', { headers: FLOODER })).status).toBe(401);
});

test('the address of a client that no trusted proxy stands before is that of its connection, whatever it claims', async () => {
  await using world = await openIngressWorld({ strangersPerMinute: PER_MINUTE });
  const statuses = [];
  for (let asked = 0; asked <= PER_MINUTE; asked++) {
    const headers = { 'X-Forwarded-For': `203.0.113.${asked}` };
    statuses.push((await world.harness.call('GET', '/api/channels', { headers })).status);
  }
  expect(statuses.at(-1)).toBe(429);
});

test('who asks for a page again and again, and reads none of it, is cut off and named', async () => {
  await using world = await open();
  const { harness, clock } = world;
  const socket = connect(harness.service.address().port, '127.0.0.1').on('error', () => {});
  socket.pause();
  socket.write('GET /developers/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100));
  await until(() => clock.armed() === 1, { what: 'an answer to wait' });
  await clock.advance(35_000);
  const cutOff = harness.reporter.of('slow-client-disconnected');
  expect(cutOff.map(({ facts }) => [facts['pool'], facts['client']])).toEqual([['answers', '127.0.0.1']]);
  socket.resume();
  await until(() => socket.destroyed, { what: 'the end of the connection' });
  expect(clock.armed()).toBe(0);
});
