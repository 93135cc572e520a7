import type { IncomingHttpHeaders } from 'node:http';
import { TOOLS, type ToolName } from '#schemas/http/tools.ts';
import { INFO, TODAY } from './server.ts';
import type { ToolResult } from './tool-result.ts';

/** A call of one tool in the very form in which clients send nearly all of them. */
export interface PlainCall {
  readonly name: ToolName;
  readonly sent: unknown;
  readonly id: string | number;
  /** Whether it is of the revision of the protocol without sessions, whose results say more. */
  readonly isOfToday: boolean;
}

const META = 'io.modelcontextprotocol/';
/** Revisions whose calls of tools look the same. */
const FORMER = new Set(['2025-11-25', '2025-06-18', '2025-03-26']);
const OF_TODAY = `"resultType":"complete","_meta":${JSON.stringify({ [`${META}serverInfo`]: INFO })}`;
const NAMES = new Set<string>(TOOLS.map(({ name }) => name));

type Fields = Readonly<Record<string, unknown>>;

/**
 * Recognises a call that needs no judgement of the protocol library, which makes a server for each request and takes
 * longer than most tools. Null: anything that is not exactly of this form, which the library then serves or refuses.
 */
export function plainCallOf(headers: IncomingHttpHeaders, body: unknown): PlainCall | null {
  if (!isObject(body, ['jsonrpc', 'id', 'method', 'params'])) return null;
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !isId(id)) return null;
  if (!isObject(params, ['name', 'arguments', '_meta'])) return null;
  const { name, arguments: sent = {}, _meta: meta } = params;
  if (typeof name !== 'string' || !NAMES.has(name) || !isObject(sent) || !takesJson(headers)) return null;
  const version = headers['mcp-protocol-version'];
  const isOfToday = version === TODAY && isRepeated(headers, name) && isMeta(meta);
  const isFormer = typeof version === 'string' && FORMER.has(version) && meta === undefined;
  return isOfToday || isFormer ? { name: name as ToolName, sent, id, isOfToday } : null;
}

/** The same bytes as the library answers. JSON of the structured content, which may be a long page, is made once. */
export function plainAnswerOf({ id, isOfToday }: PlainCall, { content, isError }: ToolResult): string {
  const fields = [
    `"content":${JSON.stringify(content)}`,
    `"structuredContent":${content[0].text}`,
    ...(isError === undefined ? [] : [`"isError":${isError}`]),
    ...(isOfToday ? [OF_TODAY] : []),
  ];
  return `{"result":{${fields.join()}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

function takesJson({ accept = '', 'content-type': contentType = '' }: IncomingHttpHeaders): boolean {
  return (
    contentType === 'application/json' && accept.includes('application/json') && accept.includes('text/event-stream')
  );
}

/** The headers in which clients repeat what the body says. */
function isRepeated(headers: IncomingHttpHeaders, name: string): boolean {
  return headers['mcp-method'] === 'tools/call' && headers['mcp-name'] === name;
}

function isMeta(meta: unknown): boolean {
  if (
    !isObject(
      meta,
      ['protocolVersion', 'clientInfo', 'clientCapabilities'].map((key) => META + key),
    )
  )
    return false;
  const info = meta[`${META}clientInfo`];
  return (
    meta[`${META}protocolVersion`] === TODAY &&
    isObject(meta[`${META}clientCapabilities`], []) &&
    isObject(info, ['name', 'version']) &&
    typeof info['name'] === 'string' &&
    typeof info['version'] === 'string'
  );
}

/** `keys`: those that it may have; any, when left out. */
function isObject(value: unknown, keys?: readonly string[]): value is Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return keys === undefined || Object.keys(value).every((key) => keys.includes(key));
}
