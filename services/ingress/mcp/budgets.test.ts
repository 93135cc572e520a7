import { expect, test } from 'vitest';
import { openIngressHarness } from '../ingress-harness.fixture.ts';
import { call, legacy, modern, openMcpWorld } from './mcp-harness.fixture.ts';

const LIMIT = 5;
const CALL = modern(...call('list_channels'));

test('an app has one budget for /mcp and /api together, whichever replica it asks', async () => {
  await using open = await openMcpWorld({ requestsPerMinute: LIMIT });
  const { world, scenario, harness } = open;
  await using second = await openIngressHarness(world, { requestsPerMinute: LIMIT, publicUrl: harness.url });
  const { token: forApi } = await world.app(scenario, { resource: `${harness.url}/api`, approvalId: open.approvalId });
  const { token: again } = await world.app(scenario, { resource: open.resource });
  const statuses = [
    (await open.post(CALL)).status,
    (await harness.call('GET', '/api/channels', { key: forApi })).status,
    (await second.call('GET', '/api/channels', { key: forApi })).status,
    // A further approval of the same app for the same Member shares the budget.
    (await open.post(CALL, { key: again })).status,
    (await open.post(legacy(...call('list_channels')))).status,
    (await open.post(CALL)).status,
    (await harness.call('GET', '/api/channels', { key: forApi })).status,
    (await second.call('GET', '/api/channels', { key: forApi })).status,
  ];
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
  const { token: other } = await world.app(scenario, { resource: open.resource, clientId: 'another' });
  expect((await open.post(CALL, { key: other })).status).toBe(200);
});

test('over the budget the answer is 429 with when to try again, in JSON-RPC’s form', async () => {
  await using open = await openMcpWorld({ requestsPerMinute: 1 });
  const first = await open.post(CALL);
  expect([first.status, first.headers.get('ratelimit-limit'), first.headers.get('ratelimit-remaining')]).toEqual([
    200,
    '1',
    '0',
  ]);
  const { status, headers, body } = await open.post(CALL);
  expect([status, headers.get('retry-after')]).toEqual([429, '60']);
  expect(body).toMatchObject({ jsonrpc: '2.0', id: 1, error: { data: { code: 'rate_limited' } } });
});

test('finding out what there is has a budget of its own, of twice as much', async () => {
  await using open = await openMcpWorld({ requestsPerMinute: LIMIT });
  for (let used = 0; used < LIMIT; used++) await open.post(CALL);
  expect((await open.post(CALL)).status).toBe(429);
  const discoveries = [
    modern('server/discover'),
    modern('tools/list'),
    legacy('tools/list'),
    legacy('ping'),
    legacy('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } }),
    { body: { jsonrpc: '2.0', method: 'notifications/initialized' } },
  ];
  const statuses: number[] = [];
  for (let used = 0; used <= 2 * LIMIT; used++) statuses.push((await open.post(discoveries[used % 6]!)).status);
  expect(statuses.map((status) => status < 300)).toEqual([...Array(2 * LIMIT).fill(true), false]);
  expect(statuses.at(-1)).toBe(429);
});

test('each call of a batch counts', async () => {
  await using open = await openMcpWorld({ requestsPerMinute: LIMIT });
  const batch = (count: number) => ({
    body: Array.from({ length: count }, (_, id) => legacy(...call('list_channels'), id).body),
  });
  expect((await open.post(batch(4))).status).toBe(200);
  expect((await open.post(batch(2))).status).toBe(429);
  expect((await open.post(batch(1))).status).toBe(200);
});

test('what is malformed or not known counts as a call; what is not let in does not count', async () => {
  await using open = await openMcpWorld({ requestsPerMinute: 2 });
  for (let asked = 0; asked < 5; asked++) await open.post(CALL, { key: 'c'.repeat(43) });
  expect((await open.post({ body: '{}' })).status).toBe(400);
  expect((await open.post(legacy('resources/list'))).status).toBe(200);
  expect((await open.post(CALL)).status).toBe(429);
});

test('an operator who moves the clock gives nobody more requests', async () => {
  await using open = await openMcpWorld({ requestsPerMinute: 1 });
  expect((await open.post(CALL)).status).toBe(200);
  open.clock.moveWall(120_000);
  expect((await open.post(CALL)).status).toBe(429);
});

test('the use of an app’s approval is noted on both doors, and that of a key', async () => {
  const noted: string[] = [];
  await using open = await openMcpWorld({ noteUse: (credentialId) => void noted.push(credentialId) });
  const { harness, world, scenario, approvalId } = open;
  const { token: forApi } = await world.app(scenario, { resource: `${harness.url}/api`, approvalId });
  await open.post(CALL);
  await harness.call('GET', '/api/channels', { key: forApi });
  await harness.call('GET', '/api/channels', { key: open.key });
  expect(noted).toEqual([approvalId, approvalId, open.keyId]);
});
