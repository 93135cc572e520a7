import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ApiProblem } from '#http-server/api-problem.ts';
import { problemBodyOf } from '#http-server/problem-body.ts';
import type { ErrorCode } from '#schemas/http/errors.ts';
import type { ToolName } from '#schemas/http/tools.ts';
import type { UseCaseResult } from '#use-cases/outcome.ts';

/** What a caller can do about a refusal, where its message does not say it. */
const ADVICE: Readonly<Partial<Record<ErrorCode, string>>> = {
  invalid_request: 'Correct this argument and call the tool again.',
  not_found: 'list_posts and list_channels return the ids of this Workspace.',
  post_refused:
    'Each of blockers says what one Channel does not take, and its path where in the arguments. Change the Post, or leave that Channel out.',
  media_unavailable: 'Create another upload with create_media_upload.',
  upload_incomplete: 'PUT the whole file to uploadUrl, then call complete_media_upload.',
  plan_limit: 'upgrade names the Plan that allows it; an owner of the Workspace can change the Plan.',
  channel_disconnected: 'A Member of the Workspace has to connect the Channel again.',
  outcome_unknown: 'list_posts shows whether it was done.',
};

/** Of tools for uploads: lists of Posts and Channels have neither their ids nor what became of them. */
const ADVICE_ON_UPLOADS: typeof ADVICE = {
  not_found: 'Only create_media_upload returns an assetId, and the time for an upload ends. Create another one.',
  outcome_unknown: 'Call the tool again. An upload that no Post uses is removed by itself.',
};
const UPLOADING: readonly ToolName[] = ['create_media_upload', 'complete_media_upload'];

interface TextContent {
  readonly type: 'text';
  readonly text: string;
}

/** The first content is the structured content as JSON. */
export interface ToolResult extends CallToolResult {
  content: [TextContent, ...TextContent[]];
}

/** The result of a tool call: as structured content, and the same as text for clients that read only that. */
export function toolResultOf(name: ToolName, outcome: UseCaseResult<object>, publicUrl: string): ToolResult {
  if (outcome.ok) return { structuredContent: { ...outcome.value }, content: [textOf(outcome.value)] };
  const error = problemBodyOf(outcome.problem, publicUrl);
  const advice = adviceFor(name, outcome.problem);
  return {
    isError: true,
    structuredContent: { error },
    content: [textOf({ error }), ...(advice === '' ? [] : [{ type: 'text' as const, text: advice }])],
  };
}

function adviceFor(name: ToolName, { code, retryAfterSeconds }: ApiProblem): string {
  const advice = (UPLOADING.includes(name) ? ADVICE_ON_UPLOADS[code] : undefined) ?? ADVICE[code];
  const wait = retryAfterSeconds === undefined ? [] : [`Try again in ${retryAfterSeconds} seconds.`];
  return [...(advice === undefined ? [] : [advice]), ...wait].join(' ');
}

function textOf(value: object): TextContent {
  return { type: 'text', text: JSON.stringify(value) };
}
