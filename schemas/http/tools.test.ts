import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { breaks, closedAnswers } from './compatibility.ts';
import { OPERATIONS } from './operations.ts';
import { toolDefinitions, type ToolDefinition } from './tool-definitions.ts';
import { TOOLS } from './tools.ts';

type Tree = Record<string, any>;

const committed = () => JSON.parse(readFileSync(new URL('tools.json', import.meta.url), 'utf8')) as ToolDefinition[];
const current = () => JSON.parse(JSON.stringify(toolDefinitions())) as ToolDefinition[];

/** In the form of an OpenAPI document, whose rules say what is sent and what is answered. */
function asPaths(tools: readonly ToolDefinition[]): Tree {
  const described = ({ inputSchema, outputSchema, annotations }: ToolDefinition) => ({
    requestBody: inputSchema,
    answer: outputSchema,
    annotations,
  });
  return { paths: Object.fromEntries(tools.map((tool) => [tool.name, described(tool)])) };
}

test('the tools only grow: none is removed, no argument is newly required, no field of a result goes', () => {
  expect(breaks(asPaths(committed()), asPaths(current()))).toEqual([]);
});

test('the committed tools are today’s: run schemas/http/write-openapi.ts after an addition', () => {
  expect(current()).toEqual(committed());
});

test('no result is closed against further fields, and none of its fields is required', () => {
  expect(closedAnswers(asPaths(current()))).toEqual([]);
  for (const { outputSchema } of current()) expect(outputSchema['required'] ?? []).toEqual([]);
  for (const { output } of TOOLS) {
    expect(output.safeParse({ error: { code: 'not_found', message: 'There is no such Post.' } }).success).toBe(true);
  }
});

test('every tool takes known arguments only', () => {
  for (const { input } of TOOLS) {
    expect(input.safeParse({ colour: 'red' }).error?.issues.some(({ code }) => code === 'unrecognized_keys')).toBe(
      true,
    );
  }
});

test('every tool says what it is and what it may do, and does what an operation of the REST API does', () => {
  for (const { name, title, description, annotations, operation } of TOOLS) {
    expect(name).toMatch(/^[a-z_]{1,64}$/);
    expect([title, description]).not.toContain('');
    expect(annotations.readOnlyHint && annotations.destructiveHint).toBe(false);
    expect(OPERATIONS.find(({ id }) => id === operation)?.method === 'get').toBe(annotations.readOnlyHint);
  }
});

test('no tool sends an assistant to a request of the REST API, which it can not make', () => {
  expect(JSON.stringify(current()).match(/(GET|POST|PUT|DELETE) \/\S+|\/api\/\S+/g)).toBeNull();
});

test('only publish_now needs more than posts:schedule', () => {
  const more = TOOLS.filter(({ scopes }) => scopes.join() !== 'posts:schedule');
  expect(more.map(({ name, scopes }) => [name, scopes])).toEqual([
    ['publish_now', ['posts:schedule', 'posts:publish']],
  ]);
});

test('schemas have no references, which some clients do not follow', () => {
  expect(JSON.stringify(current())).not.toContain('$ref');
});

function changed(name: string, change: (tool: Tree) => void): Tree {
  const tools = committed();
  change(tools.find((tool) => tool.name === name)!);
  return asPaths(tools);
}

test.each([
  ['a tool that is gone', asPaths(committed().slice(1)), /list_channels is gone/],
  [
    'an argument that is gone',
    changed('list_posts', (tool) => delete tool['inputSchema'].properties.cursor),
    /cursor is gone/,
  ],
  [
    'an argument that is demanded',
    changed('list_posts', (tool) => (tool['inputSchema'].required = ['from'])),
    /from is demanded now/,
  ],
  [
    'a field of a result that is gone',
    changed('get_post', (tool) => delete tool['outputSchema'].properties.post.properties.at),
    /at is gone/,
  ],
  [
    'another hint',
    changed('publish_now', (tool) => (tool['annotations'].destructiveHint = false)),
    /destructiveHint was true/,
  ],
])('%s is noticed', (_what, next, said) => {
  expect(breaks(asPaths(committed()), next).join('\n')).toMatch(said);
});

test('a tool, an optional argument and a field of a result are additions', () => {
  const tools = committed();
  (tools[1] as Tree)['inputSchema'].properties.colour = { type: 'string' };
  (tools[1] as Tree)['outputSchema'].properties.colour = { type: 'string' };
  expect(
    breaks(asPaths(committed()), asPaths([...tools, { ...tools[0]!, name: 'new' as ToolDefinition['name'] }])),
  ).toEqual([]);
});
