import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, test } from 'vitest';
import { TOOLS } from '#schemas/http/tools.ts';
import { START } from '../ingress-harness.fixture.ts';
import { openMcpWorld } from './mcp-harness.fixture.ts';

const INFO = { name: 'a test', version: '1.0.0' };
const SOME_ID = '01a20000-0000-7000-8000-000000000000';

interface AnyClient {
  listTools(): Promise<{ tools: { name: string; annotations?: object | undefined }[] }>;
  callTool(request: { name: string; arguments?: Record<string, unknown> }): Promise<any>;
}

/** Lists, calls and is refused: clients check every result against the schema of its tool. */
async function use(client: AnyClient, channels: readonly string[]): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
  const listed = await client.callTool({ name: 'list_channels', arguments: {} });
  expect(listed.structuredContent.channels).toHaveLength(2);
  const scheduledAt = new Date(START + 3_600_000).toISOString();
  const scheduled = await client.callTool({
    name: 'schedule_post',
    arguments: { text: 'Hello', channelIds: channels, scheduledAt },
  });
  const { post, replayed } = scheduled.structuredContent;
  expect([post.text, replayed]).toEqual(['Hello', false]);
  const posts = await client.callTool({ name: 'list_posts', arguments: { limit: 1 } });
  expect(posts.structuredContent.posts[0].id).toBe(post.id);
  const cancelled = await client.callTool({ name: 'cancel_post', arguments: { postId: post.id } });
  expect(cancelled.structuredContent.post.variants[0].status).toBe('cancelled');
  const refused = await client.callTool({ name: 'get_post', arguments: { postId: SOME_ID } });
  expect([refused.isError, refused.structuredContent.error.code]).toEqual([true, 'not_found']);
}

test.each([
  ['2026-07-28', { mode: { pin: '2026-07-28' } }],
  ['2025-11-25', { mode: 'legacy' }],
  ['whichever it finds', { mode: 'auto' }],
] as const)('today’s client lists and calls the tools in the era %s', async (_era, versionNegotiation) => {
  await using open = await openMcpWorld();
  const client = new Client(INFO, { versionNegotiation });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(open.resource), {
      requestInit: { headers: { Authorization: `Bearer ${open.token}` } },
    }),
  );
  try {
    await use(client as AnyClient, open.channels);
  } finally {
    await client.close();
  }
});

test('the client of before lists and calls the tools', async () => {
  await using open = await openMcpWorld();
  const client = new FormerClient(INFO);
  await client.connect(
    new FormerTransport(new URL(open.resource), {
      requestInit: { headers: { Authorization: `Bearer ${open.token}` } },
    }) as never,
  );
  try {
    await use(client as unknown as AnyClient, open.channels);
  } finally {
    await client.close();
  }
});
