import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ERRORS } from '#schemas/http/errors.ts';
import { openApiDocument } from '#schemas/http/openapi.ts';
import { OPERATIONS } from '#schemas/http/operations.ts';
import { openIngressHarness, openIngressWorld, START } from '../ingress-harness.fixture.ts';
import { EXAMPLE, pageValuesOf } from './example-values.ts';
import { siteFilesOf } from './site.ts';

const files = new Map(
  [
    ...siteFilesOf(pageValuesOf('https://posts.example.org', START), () =>
      openApiDocument('https://posts.example.org'),
    ),
  ].map(([path, make]) => [path, make()]),
);
const pages = [...files].filter(([, { type }]) => type.startsWith('text/html'));
const idsIn = (html: string) => [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!);
const linksIn = (html: string) => [...html.matchAll(/\s(?:href|src)="([^"]+)"/g)].map(([, address]) => address!);
const reference = files.get('/reference')!.body;

test('the site is served without a key, with a policy that allows nothing inline and no other host', async () => {
  await using open = await openIngressWorld();
  for (const [path, { type }] of files) {
    const { status, headers } = await open.harness.call('GET', `/developers${path}`);
    expect([path, status, headers.get('content-type')]).toEqual([path, 200, type]);
    const policy = headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|data:|\*/);
  }
});

test('no page has a script or a style of its own, and each loads the same three files', () => {
  for (const [path, { body }] of pages) {
    expect([path, /<style|\sstyle=|\son\w+=|<script(?! src)/.exec(body)?.[0]]).toEqual([path, undefined]);
    const loaded = [...body.matchAll(/<(?:script|link)[^>]*(?:src|href)="([^"]+)"/g)].map(([, address]) => address);
    expect(loaded).toEqual(['/developers/icon.svg', '/developers/site.css', '/developers/site.js']);
  }
});

test('every link within the site leads to a page and to a heading that are there', () => {
  for (const [path, { body }] of pages) {
    const targets = linksIn(body).filter((address) => !address.startsWith('http'));
    for (const target of targets) {
      const [to = '', anchor] = target.split('#');
      const page = to === '' ? body : files.get(to.replace(/^\/developers/, ''))?.body;
      expect([path, target, page !== undefined]).toEqual([path, target, true]);
      if (anchor !== undefined)
        expect([path, target, idsIn(page!)]).toEqual([path, target, expect.arrayContaining([anchor])]);
    }
  }
});

test('ids are unique on each page, and every page has one heading of the first level', () => {
  for (const [path, { body }] of pages) {
    const ids = idsIn(body);
    expect([path, ids.filter((id, index) => ids.indexOf(id) !== index)]).toEqual([path, []]);
    expect([path, body.match(/<h1>/g)?.length]).toEqual([path, 1]);
  }
});

describe('the reference', () => {
  test.each(OPERATIONS.map((operation) => [operation.id, operation] as const))(
    '%s has permission, errors, three languages and a form',
    (id, { method, path, errors }) => {
      const section = new RegExp(`<article class="operation" id="${id}">.*?</article>`, 's').exec(reference)![0];
      for (const part of [
        `<span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code>`,
        'Permission:',
        'value="bash"',
        'value="typescript"',
        'value="python"',
        `data-method="${method.toUpperCase()}" data-path="${path}"`,
        ...errors.map((code) => `/developers/errors/${code}"`),
      ])
        expect(section).toContain(part);
    },
  );

  test('every object that is named is described', () => {
    const named = [...reference.matchAll(/href="#object-(\w+)"/g)].map(([, name]) => name!);
    const described = new Set(idsIn(reference));
    expect(named.filter((name) => !described.has(`object-${name}`))).toEqual([]);
    expect(described).toContain('object-Post');
  });
});

test('every code has a page with its status, what to do, an answer and the operations that give it', () => {
  for (const [code, { status }] of Object.entries(ERRORS)) {
    const page = files.get(`/errors/${code}`)!.body;
    for (const part of [`<h1>${code}</h1>`, `Status ${status}.`, 'What to do', `&quot;code&quot;: &quot;${code}&quot;`])
      expect([code, page.includes(part)]).toEqual([code, true]);
  }
});

test('pages name the public address and an instant that can be scheduled, and no example value for them', () => {
  for (const [path, { body }] of pages) {
    expect([path, body.includes(EXAMPLE.publicUrl), body.includes(EXAMPLE.soon)]).toEqual([path, false, false]);
  }
  expect(files.get('')!.body).toContain('https://posts.example.org/api/posts');
  expect(files.get('')!.body).toContain(new Date(START + 2 * 86_400_000).toISOString().slice(0, 10));
});

test('colours and fonts are those of the app', () => {
  const tokensOf = (path: string): ReadonlyMap<string, string> =>
    new Map(
      [...readFileSync(new URL(path, import.meta.url), 'utf8').matchAll(/^ {2}(--[\w-]+): (.+);$/gm)].map(
        ([, name, value]) => [name!, value!],
      ),
    );
  const ofApp = tokensOf('../../../clients/app/theme/tokens.css');
  const own = tokensOf('assets/site.css');
  expect(own.size).toBeGreaterThan(10);
  for (const [name, value] of own) expect([name, value]).toEqual([name, ofApp.get(name)]);
});

test('what forms start with is what the script replaces by ids of answers', () => {
  const script = readFileSync(new URL('assets/site.js', import.meta.url), 'utf8');
  const { publicUrl: _publicUrl, soon: _soon, ...ids } = EXAMPLE;
  for (const [name, id] of Object.entries(ids)) expect(script).toContain(`${name.replace(/Id$/, '')}: '${id}'`);
});

test('a page that was read is not sent again, one that is not there is a page, and other methods are refused', async () => {
  await using open = await openIngressWorld();
  await using harness = await openIngressHarness(open.world, { publicUrl: 'https://example.org/crier' });
  const first = await harness.call('GET', '/developers/');
  expect(first.body).toContain('href="/crier/developers/site.css"');
  const again = await harness.call('GET', '/developers', { headers: { 'If-None-Match': first.headers.get('etag')! } });
  expect([again.status, again.body]).toEqual([304, '']);
  const missing = await harness.call('GET', '/developers/errors/nonsense');
  expect([missing.status, missing.body]).toEqual([404, expect.stringContaining('<h1>Nothing here</h1>')]);
  const refused = await harness.call('POST', '/developers/reference');
  expect([refused.status, refused.headers.get('allow'), refused.body.error.code]).toEqual([
    405,
    'GET, HEAD',
    'method_not_allowed',
  ]);
  const document = await harness.call('GET', '/developers/openapi.json');
  expect(document.body).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://example.org/crier' }] });
});

test('pages are made anew when the day changes, so that their examples can still be scheduled', async () => {
  await using open = await openIngressWorld();
  const before = (await open.harness.call('GET', '/developers')).body;
  await open.clock.advance(3 * 86_400_000);
  const after = (await open.harness.call('GET', '/developers')).body;
  expect([before.includes('2026-11-22T09:00:00Z'), after.includes('2026-11-25T09:00:00Z')]).toEqual([true, true]);
});
