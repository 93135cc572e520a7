import { readFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { expect, test } from 'vitest';
import { OPERATIONS } from './api.ts';
import { apiSource } from './api-source.ts';
import { createCrier } from './client.ts';

const document = JSON.parse(
  readFileSync(new URL('../../schemas/http/openapi.json', import.meta.url), 'utf8'),
) as Parameters<typeof apiSource>[0] & { paths: Record<string, Record<string, { operationId: string }>> };
const committed = new URL('api.ts', import.meta.url);

test('the types are those of the committed OpenAPI document: run npm run docs after an addition', async () => {
  const config = await resolveConfig(committed);
  const current = await format(apiSource(document), { ...config, parser: 'typescript' });
  expect(readFileSync(committed, 'utf8')).toBe(current);
});

test('every operation of the document has its method, which sends just that operation', async () => {
  const seen: string[] = [];
  const crier = createCrier({
    url: 'https://crier.test/',
    key: 'crier_key',
    fetch: async (input, init) => {
      seen.push(operationOf(String(input), init?.method ?? 'GET'));
      return Response.json({ data: [], nextCursor: null });
    },
  });
  const post = { text: 'x', channelIds: ['c'] };
  const file = { filename: 'a.png', contentType: 'image/png', bytes: 1 };
  const calls = {
    'list-channels': () => crier.channels.list(),
    'get-channel-options': () => crier.channels.options('1'),
    'list-posts': () => crier.posts.page(),
    'create-post': () => crier.posts.create(post),
    'validate-post': () => crier.posts.validate(post),
    'create-posts-in-bulk': () => crier.posts.createBulk([post]).catch(() => {}),
    'get-post': () => crier.posts.get('1'),
    'cancel-post': () => crier.posts.cancel('1'),
    'void-file-addresses': () => crier.posts.voidFileAddresses('1'),
    'retry-variant': () => crier.variants.retry('1'),
    'list-attempts': () => crier.variants.attempts('1'),
    'create-media-upload': () => crier.media.reserve(file),
    'complete-media-upload': () => crier.media.complete('1'),
    'remove-media-upload': () => crier.media.remove('1'),
    'get-usage': () => crier.usage.get(),
    'register-endpoint': () => crier.webhooks.create({ url: 'https://hooks.test/', events: ['variant.failed'] }),
    'list-endpoints': () => crier.webhooks.list(),
    'delete-endpoint': () => crier.webhooks.remove('1'),
    'send-test-event': () => crier.webhooks.test('1'),
    'rotate-endpoint-secret': () => crier.webhooks.rotateSecret('1'),
    'replay-delivery': () => crier.webhooks.replay('1', '2'),
  };
  const inDocument = Object.values(document.paths).flatMap((path) => Object.values(path).map((one) => one.operationId));
  expect(Object.keys(calls).toSorted()).toEqual(inDocument.toSorted());
  for (const [operation, call] of Object.entries(calls)) {
    seen.length = 0;
    await call();
    expect(seen[0], operation).toBe(operation);
  }
});

function operationOf(url: string, method: string): string {
  const { pathname } = new URL(url);
  const found = Object.entries(OPERATIONS)
    .filter((entry) => entry[1].method === method)
    .find(([, { path }]) => new RegExp(`^${path.replace(/\{\w+\}/g, '\\d')}$`).test(pathname));
  return found?.[0] ?? `${method} ${pathname}`;
}
