import { counts, event, observes } from '../event.ts';
import { id, milliseconds, name, optional, text, word } from '../fact.ts';
import { counter, histogram, REQUEST_SECONDS } from '../metric.ts';

const toolCalls = counter('crier_mcp_tool_calls_total', 'Calls of MCP tools. outcome: ok, or the code of the error', [
  'tool',
  'outcome',
]);
const toolDuration = histogram(
  'crier_mcp_tool_call_duration_seconds',
  'Time to carry out a call of an MCP tool',
  REQUEST_SECONDS,
  ['tool'],
);
const refusals = counter(
  'crier_mcp_requests_refused_total',
  'Requests to /mcp that were refused before the protocol saw them',
  ['reason'],
);

export const MCP_EVENTS = {
  'tool-called': event({
    level: 'debug',
    isAccess: true,
    warnsWhen: ['outcome', ['unavailable', 'outcome_unknown']],
    help: 'A call of an MCP tool was answered',
    facts: {
      tool: name,
      outcome: name,
      durationMs: milliseconds,
      requestId: id,
      traceId: optional(id),
      workspaceId: optional(id),
      postId: optional(id),
      keyId: optional(id),
      approvalId: optional(id),
      /** Of an engine, for operators only. */
      detail: optional(text),
    },
    feeds: [counts(toolCalls), observes(toolDuration, 'durationMs')],
  }),
  'mcp-refused': event({
    level: 'debug',
    help: 'A request to /mcp was refused before the protocol saw it: for its origin, its token, its size or its rate',
    facts: {
      reason: word(
        'token_missing',
        'token_unknown',
        'token_expired',
        'token_other_resource',
        'token_ended',
        'api_key',
        'insufficient_scope',
        'host',
        'origin',
        'method_not_allowed',
        'rate_limited',
        'too_large',
        'malformed',
        'unavailable',
      ),
      requestId: id,
      workspaceId: optional(id),
      keyId: optional(id),
      approvalId: optional(id),
    },
    feeds: [counts(refusals)],
  }),
};
