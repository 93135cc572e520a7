/** What the messages of one POST ask for, before the protocol library judges them. */
export interface MessageSummary {
  /** Messages that are work: calls of tools, and whatever is not known. */
  readonly calls: number;
  /** Messages of finding out what there is, which every client sends before it works. */
  readonly discoveries: number;
  /** Of the tools that are called, in order. */
  readonly tools: readonly string[];
  /** Of the message, where it is a single request; errors name it. */
  readonly id: string | number | null;
}

const DISCOVERY = new Set(['initialize', 'server/discover', 'ping', 'tools/list']);

/** Any JSON value: it may be no message at all, which counts as work. */
export function askedBy(body: unknown): MessageSummary {
  const messages = Array.isArray(body) ? body : [body];
  const discoveries = messages.filter(isDiscovery).length;
  return {
    calls: Math.max(messages.length, 1) - discoveries,
    discoveries,
    tools: messages.flatMap(toolOf),
    id: Array.isArray(body) ? null : idOf(body),
  };
}

function isDiscovery(message: unknown): boolean {
  const { method, id, jsonrpc } = fieldsOf(message);
  // Without an id: a notification, or the answer to a question that was never asked.
  return typeof method === 'string'
    ? DISCOVERY.has(method) || (id === undefined && method.startsWith('notifications/'))
    : jsonrpc === '2.0' && id !== undefined;
}

function toolOf(message: unknown): string[] {
  const { method, params } = fieldsOf(message);
  const { name } = fieldsOf(params);
  return method === 'tools/call' && typeof name === 'string' ? [name] : [];
}

function idOf(message: unknown): string | number | null {
  const { method, id } = fieldsOf(message);
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? id : null;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
