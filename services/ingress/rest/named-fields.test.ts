import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openIngressWorld } from '../ingress-harness.fixture.ts';

type Path = readonly (string | number)[];
/** Of the committed document, as far as it is looked at here. */
interface Shape {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly additionalProperties?: Shape | false;
}

const DOCUMENT = JSON.parse(readFileSync(new URL('../../../schemas/http/openapi.json', import.meta.url), 'utf8'));
const CHANNEL = '01890000-0000-7000-8000-000000000000';
const OTHER = '01890000-0000-7000-8000-000000000002';
const ASSET = '01890000-0000-7000-8000-000000000001';
const POST = {
  text: 'Hello',
  channelIds: [CHANNEL, OTHER],
  scheduledAt: '2026-11-22T12:00:00Z',
  media: [
    { assetId: ASSET, altText: 'a cat' },
    { url: 'https://a.test/b.jpg', altText: 'a dog' },
  ],
  channelOptions: {
    [CHANNEL]: { placement: 'feed', youtube: { title: 'A title' }, cover: { assetId: ASSET } },
    [OTHER]: {
      text: 'Hello there',
      firstComment: 'And this',
      cover: { url: 'https://a.test/c.jpg' },
      collaborators: ['ada'],
      userTags: [{ username: 'ada', x: 0, y: 1 }],
      title: 'A title',
      privacy: 'public',
      categoryId: '22',
      tags: ['a'],
      playlistIds: ['PL1'],
      replySettings: 'everyone',
      topicTag: 'cats',
      replyControl: 'everyone',
    },
  },
};
/** By path of the operation: a body in which every field of the document is given. */
const BODIES: Readonly<Record<string, object>> = {
  '/api/posts': POST,
  '/api/posts/validate': POST,
  '/api/posts/bulk': { posts: [POST, { ...POST, idempotencyKey: 'one of its own' }] },
  '/api/media': { filename: 'cat.png', contentType: 'image/png', bytes: 5 },
  '/api/webhooks': { url: 'https://hooks.test/', events: ['variant.published'] },
};

function shapeOf(shape: Shape): Shape {
  return shape.$ref === undefined ? shape : shapeOf(DOCUMENT.components.schemas[shape.$ref.split('/').at(-1)!]);
}

/** Where the document has texts; `*` for any member of an array or of an object under free names. */
function textsIn(given: Shape): readonly string[] {
  const shape = shapeOf(given);
  if (shape.type === 'string') return [''];
  const within = (name: string, inner: Shape): readonly string[] => textsIn(inner).map((path) => `/${name}${path}`);
  return [
    ...Object.entries(shape.properties ?? {}).flatMap(([name, inner]) => within(name, inner)),
    ...(shape.items ? within('*', shape.items) : []),
    ...(shape.additionalProperties ? within('*', shape.additionalProperties) : []),
  ];
}

function textsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value === 'string') return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    textsOf(inner, [...path, Array.isArray(value) ? Number(name) : name]),
  );
}

function withTextAt(value: unknown, [name, ...rest]: Path, text: string): unknown {
  if (name === undefined) return text;
  if (Array.isArray(value)) return value.map((item, index) => (index === name ? withTextAt(item, rest, text) : item));
  return { ...(value as object), [name]: withTextAt((value as Record<string | number, unknown>)[name], rest, text) };
}

const named = (path: Path): string =>
  path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`)).join('');
const generalised = (path: Path): string =>
  path.map((part) => `/${typeof part === 'number' || part === CHANNEL || part === OTHER ? '*' : part}`).join('');

let open: Awaited<ReturnType<typeof openIngressWorld>>;
beforeAll(async () => void (open = await openIngressWorld({}, ['posts:publish', 'webhooks:manage'])));
afterAll(() => open[Symbol.asyncDispose]());

const operations = Object.entries(
  DOCUMENT.paths as Record<string, { post?: { requestBody?: { content: { 'application/json': { schema: Shape } } } } }>,
).flatMap(([path, { post }]) =>
  post?.requestBody === undefined ? [] : [[path, post.requestBody.content['application/json'].schema] as const],
);

test.each(operations)('the bodies of this test have every text that %s takes', (path, shape) => {
  expect(new Set(textsOf(BODIES[path]).map(generalised))).toEqual(new Set(textsIn(shape)));
});

const CASES = Object.entries(BODIES).flatMap(([path, body]) =>
  textsOf(body).map((at) => [path, named(at), at] as const),
);
const BAD = [
  ['U+0000', 'a\0b'],
  ['half of a surrogate pair', 'a\ud800b'],
  ['31 combining marks', `a${'\u0301'.repeat(31)}`],
] as const;

test.each(CASES)('POST %s names %s when it holds a character that no text may hold', async (path, name, at) => {
  for (const [what, text] of BAD) {
    const answer = await open.harness.call('POST', path, { key: open.key, body: withTextAt(BODIES[path], at, text) });
    // A Post of a bulk is answered in its place, and its fields are named as those of a single one.
    const [index, own] =
      path === '/api/posts/bulk'
        ? [Number(/^posts\[(\d+)\]/.exec(name)![1]), name.replace(/^posts\[\d+\]\./, '')]
        : [null, name];
    const error = index === null ? answer.body.error : answer.body.data[index].error;
    expect([what, error.code]).toEqual([what, 'invalid_request']);
    expect(error.message.startsWith(`${own} `), error.message).toBe(true);
    if (index !== null)
      expect(
        answer.body.data.filter((item: { error?: { code: string } }) => item.error?.code === 'invalid_request'),
      ).toHaveLength(1);
  }
});

test.each([
  ['media[1].altText contains U+0000.', ['media', 1, 'altText'], 'a\0b'],
  [
    `channelOptions.${CHANNEL}.youtube.title contains half of a surrogate pair.`,
    ['channelOptions', CHANNEL, 'youtube', 'title'],
    '\ud800',
  ],
  ['text must have at most 30 combining marks in a row.', ['text'], `a${'\u0301'.repeat(31)}`],
] as const)('the message is: %s', async (message, at, text) => {
  const answer = await open.harness.call('POST', '/api/posts', { key: open.key, body: withTextAt(POST, at, text) });
  expect([answer.status, answer.body.error.message]).toEqual([400, message]);
});

test.each([
  ['the body', '{"\\u0000":1}', 'The request body has a field with U+0000 in its name.'],
  [
    'the options',
    `{"channelOptions":{"a\\udc00":{}}}`,
    'channelOptions has a field with half of a surrogate pair in its name.',
  ],
  [
    'a Post of a bulk',
    `{"posts":[{},{"media":[{"\\u0000":1}]}]}`,
    'posts[1].media[0] has a field with U+0000 in its name.',
  ],
  [
    'a Post of a bulk',
    `{"posts":[{},{"media":[{"__proto__":1}]}]}`,
    'posts[1].media[0].__proto__ is not a known field.',
  ],
])('a field name in %s that can not be stored is named with its place', async (_where, body, message) => {
  const answer = await open.harness.call('POST', '/api/posts/bulk', { key: open.key, body });
  expect([answer.status, answer.body.error.message]).toEqual([400, message]);
});

test('thirty combining marks in a row are accepted', async () => {
  const answer = await open.harness.call('POST', '/api/posts/validate', {
    key: open.key,
    body: { ...POST, text: `a${'\u0301'.repeat(30)}b`, media: [], channelOptions: {} },
  });
  expect(answer.status).toBe(200);
});
