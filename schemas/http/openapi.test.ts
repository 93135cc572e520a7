import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { breaks, closedAnswers } from './compatibility.ts';
import { ERRORS } from './errors.ts';
import { openApiDocument } from './openapi.ts';

const committed = () => JSON.parse(readFileSync(new URL('openapi.json', import.meta.url), 'utf8')) as unknown;
const current = () => JSON.parse(JSON.stringify(openApiDocument('/'))) as unknown;

type Tree = Record<string, any>;

/** The committed document, changed at a path of names. */
function changed(path: readonly string[], change: (parent: Tree, name: string) => void): unknown {
  const document = committed() as Tree;
  const parent = path.slice(0, -1).reduce((tree: Tree, name) => tree[name] as Tree, document);
  change(parent, path.at(-1)!);
  return document;
}

test('the API only grows: nothing that is committed is removed, renamed or newly required', () => {
  expect(breaks(committed(), current())).toEqual([]);
});

test('the committed document is today’s: run schemas/http/write-openapi.ts after an addition', () => {
  expect(current()).toEqual(committed());
});

test('no answer and no webhook is closed against further fields', () => {
  expect(closedAnswers(current())).toEqual([]);
});

test('every operation answers every failure with the envelope', () => {
  const { paths } = current() as { paths: Record<string, Record<string, { responses: Record<string, Tree> }>> };
  const operations = Object.values(paths).flatMap((path) => Object.values(path));
  expect(operations.length).toBe(21);
  for (const { responses } of operations) {
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '401', '403', '429', '503']));
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) >= 400)
        expect(response['content']['application/json'].schema).toEqual({ $ref: '#/components/schemas/Error' });
    }
  }
});

test('a status belongs to each code, none of them a 500', () => {
  expect(Object.values(ERRORS).filter(({ status }) => status < 400 || (status as number) === 500)).toEqual([]);
});

const remove = (parent: Tree, name: string) => void delete parent[name];
const set = (value: unknown) => (parent: Tree, name: string) => void (parent[name] = value);
const schema = (name: string, ...rest: string[]) => ['components', 'schemas', name, ...rest];

test.each([
  ['a path that is gone', changed(['paths', '/api/usage'], remove), /usage is gone/],
  ['a method that is gone', changed(['paths', '/api/posts', 'post'], remove), /post is gone/],
  ['an answer that is gone', changed(['paths', '/api/posts', 'post', 'responses', '201'], remove), /201 is gone/],
  ['a field of an answer that is gone', changed(schema('Post', 'properties', 'at'), remove), /properties\/at is gone/],
  [
    'a field of an answer of another type',
    changed(schema('Post', 'properties', 'text', 'type'), set('number')),
    /text\/type was/,
  ],
  [
    'a field of an answer that may be missing',
    changed(schema('Post', 'required'), set(['id'])),
    /text may be left out now/,
  ],
  [
    'a field of a request that is gone',
    changed(schema('CreatePostRequest', 'properties', 'media'), remove),
    /media is gone/,
  ],
  [
    'a field of a request that is demanded',
    changed(schema('CreatePostRequest', 'required'), set(['channelIds', 'text'])),
    /text is demanded now/,
  ],
  [
    'a tighter bound',
    changed(schema('CreatePostRequest', 'properties', 'text', 'maxLength'), set(1_000)),
    /maxLength is lower/,
  ],
  [
    'a bound where none was',
    changed(schema('CreatePostRequest', 'properties', 'text', 'minLength'), set(1)),
    /minLength is demanded now/,
  ],
  ['a value that is gone', changed(schema('Network', 'enum'), set(['x'])), /enum lost "facebook"/],
  [
    'a query parameter that is gone',
    changed(['paths', '/api/posts', 'get', 'parameters'], set([])),
    /query from is gone/,
  ],
  [
    'a query parameter that is demanded',
    changed(['paths', '/api/posts', 'get', 'parameters', '0', 'required'], set(true)),
    /query from is demanded now/,
  ],
  ['a webhook that is gone', changed(['webhooks', 'variant.failed'], remove), /variant.failed is gone/],
])('%s is noticed', (_what, next, said) => {
  expect(breaks(committed(), next).join('\n')).toMatch(said);
});

test.each([
  ['a new path', changed(['paths', '/api/new'], set({ get: {} }))],
  ['a new field in an answer', changed(schema('Post', 'properties', 'colour'), set({ type: 'string' }))],
  [
    'a new optional field in a request',
    changed(schema('CreatePostRequest', 'properties', 'colour'), set({ type: 'string' })),
  ],
  ['a looser bound', changed(schema('CreatePostRequest', 'properties', 'text', 'maxLength'), set(200_000))],
  ['a further network', changed(schema('Network', 'enum'), (parent, name) => parent[name].push('new'))],
  ['other words', changed(schema('Post', 'properties', 'at', 'description'), set('In other words'))],
])('%s is an addition', (_what, next) => {
  expect(breaks(committed(), next)).toEqual([]);
});

test('a closed answer is found', () => {
  expect(closedAnswers(changed(schema('Post', 'additionalProperties'), set(false))).join('\n')).toMatch(/api\/posts/);
});

test('what takes exactly one of several fields says so to a machine too', () => {
  const { components } = current() as { components: { schemas: Record<string, Tree> } };
  const either = (name: string) => components.schemas[name]!['oneOf'];
  expect(either('MediaReference')).toEqual([{ required: ['assetId'] }, { required: ['url'] }]);
  expect(either('Cover')).toEqual([{ required: ['assetId'] }, { required: ['url'] }, { required: ['atSeconds'] }]);
});
