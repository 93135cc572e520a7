import assert from 'node:assert/strict';
import fc from 'fast-check';
import { START } from '#services/ingress/ingress-harness.fixture.ts';
import { legacy, modern, openMcpWorld } from '#services/ingress/mcp/mcp-harness.fixture.ts';
import { answeredInTime, assertNoFault } from '../answers.ts';
import { fuzzTarget } from '../fuzz-target.ts';
import { mutatedBody } from '../mutations.ts';

interface ToolCall {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const DAY_MS = 86_400_000;
/** JSON-RPC's own code for a fault of the server. */
const INTERNAL_ERROR = -32_603;

/** The protocol library itself answers wrong parameters of `initialize` so, with what is wrong with each as a list. */
function isParameters(message: string): boolean {
  const [issue] = message.startsWith('[')
    ? (JSON.parse(message) as readonly { readonly path?: readonly unknown[] }[])
    : [];
  return issue?.path?.[0] === 'params';
}

export const toolCalls = fuzzTarget<ToolCall>({
  name: 'tool-calls',
  holds: 'a message to /mcp is answered, and never by a fault of the server',
  cases: 300,
  open: async () => {
    const open = await openMcpWorld();
    const { harness, channels, tool, post } = open;
    const scheduled = { text: 'Hello', channelIds: channels, scheduledAt: new Date(START + DAY_MS).toISOString() };
    const { structuredContent } = await tool('schedule_post', scheduled);
    const postId: string = structuredContent.post.id;
    const variantId: string = structuredContent.post.variants[0].id;
    const calls: readonly (readonly [string, object])[] = [
      ['list_channels', {}],
      ['schedule_post', { ...scheduled, media: [{ url: 'https://files.test/a.jpg' }], channelOptions: {} }],
      ['publish_now', { text: 'Now', channelIds: channels }],
      ['get_post', { postId }],
      ['list_posts', { limit: 5 }],
      ['cancel_post', { postId }],
      ['retry_variant', { variantId }],
      ['create_media_upload', { filename: 'a.png', contentType: 'image/png', bytes: 10 }],
      ['complete_media_upload', { assetId: postId }],
    ];
    const messages = [
      ...calls.flatMap(([name, sent]) => [
        modern('tools/call', { name, arguments: sent }),
        legacy('tools/call', { name, arguments: sent }),
      ]),
      ...['tools/list', 'ping', 'server/discover'].flatMap((method) => [modern(method), legacy(method)]),
      legacy('initialize', {
        ...{ protocolVersion: '2025-11-25', capabilities: {} },
        clientInfo: { name: 'a test', version: '1' },
      }),
    ];
    return {
      inputs: fc
        .constantFrom(...messages)
        .chain(({ body, headers }) =>
          fc.record({ body: mutatedBody(fc.constant(body)), headers: fc.constant(headers as Record<string, string>) }),
        ),
      crashes: {},
      sizeOf: ({ body }) => body.length,
      allowedMs: 150,
      check: async ({ body, headers }) => {
        const answer = await answeredInTime(post({ body, headers }));
        assert(answer.status >= 200 && answer.status < 500, `it was answered by ${answer.status}`);
        const { error } = answer.body ?? {};
        if (error?.code === INTERNAL_ERROR) assert(isParameters(error.message), JSON.stringify(error));
        assertNoFault(harness.reporter);
      },
      close: async () => open[Symbol.asyncDispose](),
    };
  },
});
