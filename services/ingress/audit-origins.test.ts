import { expect, test } from 'vitest';
import { openMcpWorld } from './mcp/mcp-harness.fixture.ts';
import { openIngressWorld, START } from './ingress-harness.fixture.ts';

const scheduledAt = new Date(START + 3_600_000).toISOString();
/** Of no proxy that is trusted. */
const CLAIM = { 'X-Forwarded-For': '203.0.113.9' };

test('a command by REST is audited with its door and the address that it came from, not one that it claims', async () => {
  await using open = await openIngressWorld();
  const { harness, key, keyId, channels: channelIds, scenario } = open;
  const body = { text: 'Hello', channelIds, scheduledAt };
  expect((await harness.call('POST', '/api/posts', { key, body, headers: CLAIM })).status).toBe(201);
  expect(scenario.audit.at(-1)).toMatchObject({
    action: 'post.created',
    actor: { kind: 'key', id: keyId },
    origin: { door: 'api', address: expect.stringContaining('127.0.0.1') },
  });
});

test('each Post of a bulk has an entry', async () => {
  await using open = await openIngressWorld();
  const { harness, key, channels: channelIds, scenario } = open;
  const before = scenario.audit.length;
  const posts = ['One', 'Two', 'Three'].map((text) => ({ text, channelIds, scheduledAt }));
  expect((await harness.call('POST', '/api/posts/bulk', { key, body: { posts } })).status).toBe(200);
  const names = scenario.audit.slice(before).map(({ subject }) => subject.name);
  expect(names.toSorted()).toEqual(['One', 'Three', 'Two']);
  expect(new Set(scenario.audit.map(({ id }) => id)).size).toBe(scenario.audit.length);
});

test('a command by MCP is audited as such', async () => {
  await using open = await openMcpWorld();
  await open.tool('schedule_post', { text: 'Hello', channelIds: open.channels, scheduledAt });
  expect(open.scenario.audit.at(-1)).toMatchObject({
    action: 'post.created',
    actor: { kind: 'app', name: 'An assistant' },
    origin: { door: 'mcp', address: expect.stringContaining('127.0.0.1') },
  });
});
