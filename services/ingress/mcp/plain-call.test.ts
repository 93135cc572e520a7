import { expect, test } from 'vitest';
import { plainCallOf } from './plain-call.ts';
import { call, legacy, modern, openMcpWorld } from './mcp-harness.fixture.ts';

const CALLS: readonly (readonly [string, object])[] = [
  ['list_channels', {}],
  ['list_channels', { unknown: 1 }],
  ['list_posts', { limit: 5 }],
  ['get_post', { postId: '01a1f8d3-ea00-7354-b278-5376f9d07329' }],
  ['publish_now', { text: 'x', channelIds: [] }],
];

const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

const lowerCase = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

test.each([
  ['of 2026-07-28', modern, { 'x.test/of-a-client': 1 }],
  ['of before', legacy, {}],
] as const)('a plain call %s is answered with the bytes of the library', async (_, form, foreign) => {
  await using world = await openMcpWorld();
  for (const [name, sent] of CALLS) {
    const { body, headers } = form(...call(name, sent));
    const all = { ...HEADERS, ...lowerCase(headers) };
    expect(plainCallOf(all, body)).not.toBeNull();
    // What a client adds for itself changes nothing, and is left to the library.
    const meta = { ...(body.params as { _meta?: object })._meta, ...foreign };
    const other = { ...body, params: { ...body.params, _meta: meta } };
    expect(plainCallOf(all, other)).toBeNull();
    const answers = await Promise.all(
      [body, other].map(async (message) => {
        const answer = await fetch(world.resource, {
          method: 'POST',
          headers: { ...all, authorization: `Bearer ${world.token}` },
          body: JSON.stringify(message),
        });
        return [answer.status, answer.headers.get('content-type'), await answer.text()];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
  }
});

test('nothing else counts as plain', () => {
  const { body, headers } = modern(...call('list_channels'));
  const all = { ...HEADERS, ...lowerCase(headers) };
  expect(plainCallOf(all, body)).toMatchObject({ name: 'list_channels', id: 1, isOfToday: true });
  const { params } = body;
  const bodies: readonly unknown[] = [
    null,
    [body],
    { ...body, jsonrpc: '1.0' },
    { ...body, id: null },
    { ...body, id: 1.5 },
    { ...body, id: undefined },
    { ...body, method: 'tools/list' },
    { ...body, more: 1 },
    { ...body, params: { ...params, name: 'no_such_tool' } },
    { ...body, params: { ...params, arguments: [] } },
    { ...body, params: { ...params, task: {} } },
    { ...body, params: { ...params, _meta: undefined } },
    { ...body, params: { ...params, _meta: { ...params._meta, progressToken: 1 } } },
    { ...body, params: { ...params, _meta: { ...params._meta, 'io.modelcontextprotocol/protocolVersion': '1' } } },
  ];
  for (const other of bodies) expect(plainCallOf(all, other), JSON.stringify(other)).toBeNull();
  const headersOf: readonly Record<string, string>[] = [
    { accept: 'application/json' },
    { 'content-type': 'text/plain' },
    { 'mcp-method': 'tools/list' },
    { 'mcp-name': 'get_post' },
    { 'mcp-protocol-version': '2025-11-25' },
    { 'mcp-protocol-version': '1999-01-01' },
  ];
  for (const other of headersOf) expect(plainCallOf({ ...all, ...other }, body), JSON.stringify(other)).toBeNull();
});
