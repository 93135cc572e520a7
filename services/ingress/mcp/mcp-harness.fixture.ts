import type { Permission } from '#domain/workspace/state.ts';
import { openIngressWorld, type HarnessAnswer } from '../ingress-harness.fixture.ts';
import type { IngressOptions } from '../service.ts';

const MODERN = '2026-07-28';

/** A message of 2026-07-28 as its clients send it, with the headers that repeat parts of it. */
export function modern(method: string, params: Record<string, unknown> = {}, id = 1) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'a test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return {
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } },
    headers: {
      'Mcp-Protocol-Version': MODERN,
      'Mcp-Method': method,
      ...(typeof params['name'] === 'string' && { 'Mcp-Name': params['name'] }),
    },
  };
}

/** The same as clients of before send it. */
export function legacy(method: string, params: Record<string, unknown> = {}, id = 1) {
  return { body: { jsonrpc: '2.0', id, method, params }, headers: { 'Mcp-Protocol-Version': '2025-11-25' } };
}

export const call = (name: string, sent: object = {}) => ['tools/call', { name, arguments: sent }] as const;

/** A running ingress with a Workspace, and an app's token for its /mcp. */
export async function openMcpWorld(options: Partial<IngressOptions> = {}, permissions?: readonly Permission[]) {
  const open = await openIngressWorld(options);
  const { harness, world, scenario } = open;
  const resource = `${harness.url}/mcp`;
  const { token, approvalId } = await world.app(scenario, {
    resource,
    ...(permissions !== undefined && { permissions }),
  });
  const post = (
    { body, headers }: { readonly body: unknown; readonly headers?: Record<string, string> },
    { key = token as string | null, path = '/mcp', more = {} as Record<string, string> } = {},
  ): Promise<HarnessAnswer> =>
    harness.call('POST', path, {
      ...(key !== null && { key }),
      body,
      headers: { Accept: 'application/json, text/event-stream', ...headers, ...more },
    });
  /** The result of a tool that is called in the way of 2026-07-28. */
  const tool = async (name: string, sent: object = {}, key: string = token) =>
    (await post(modern(...call(name, sent)), { key })).body.result;
  return {
    ...open,
    resource,
    token,
    approvalId,
    post,
    tool,
    [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose](),
  };
}
