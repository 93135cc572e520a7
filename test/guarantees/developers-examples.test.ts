import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signatureOf } from '#domain/webhook/signature.ts';
import { OPERATIONS, type OperationId } from '#schemas/http/operations.ts';
import answers from '#services/ingress/developers/answers.json' with { type: 'json' };
import { EXAMPLE, pageValuesOf, withValues } from '#services/ingress/developers/example-values.ts';
import { GUIDE } from '#services/ingress/developers/guide.ts';
import { OPERATION_EXAMPLES } from '#services/ingress/developers/operation-examples.ts';
import { snippetsOf } from '#services/ingress/developers/snippets.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { until } from '#testing/until.ts';
import { runExample, type ExampleLanguage } from './run-example.ts';

const LANGUAGES: readonly ExampleLanguage[] = ['bash', 'typescript', 'python'];
const PHOTO = Buffer.from(MEDIA_FIXTURES.photo.bytes);
const SECRET = 'whsec_dGhlIHNlY3JldCBvZiBhIHRlc3QsIGFzIGl0IGlz';

let crier: CrierUnderTest;
beforeAll(async () => {
  crier = await CrierUnderTest.start({ name: 'examples', env: { CRIER_REQUESTS_PER_MINUTE: '0' } });
});
afterAll(() => crier?.[Symbol.asyncDispose]());

type Ids = Partial<Record<keyof typeof EXAMPLE, string>>;

const demo = () => crier.ready.demo!;
const channelId = () => demo().channels['threads']!;
const soon = () => pageValuesOf(crier.ready.baseUrl!, Date.now()).soon;
const ask = async (method: string, path: string, body?: object): Promise<any> => {
  const answer = await crier.api().send(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
  return answer.body?.data;
};

/** A program of a page, with the values of this server in place of those of the page. */
function run(language: ExampleLanguage, code: string): Promise<string> {
  const filled = withValues(withIds(code, { channelId: channelId() }), {
    publicUrl: crier.ready.baseUrl!,
    soon: soon(),
  });
  return runExample({
    language,
    code: filled.replaceAll('https://example.com/webhooks', 'https://inbox.sandbox/examples'),
    key: demo().apiKey,
    files: { 'bread.jpg': PHOTO },
  });
}

function withIds(code: string, ids: Ids = {}): string {
  return Object.entries(ids).reduce((text, [name, id]) => text.replaceAll(EXAMPLE[name as keyof Ids], id), code);
}

let posts = 0;
const newPost = (): Promise<any> =>
  ask('POST', '/api/posts', { text: `Loaf ${(posts += 1)}`, channelIds: [channelId()], scheduledAt: soon() });
const newUpload = (): Promise<any> =>
  ask('POST', '/api/media', { filename: 'bread.jpg', contentType: 'image/jpeg', bytes: PHOTO.length });
const newEndpoint = (): Promise<any> =>
  ask('POST', '/api/webhooks', { url: 'https://inbox.sandbox/examples', events: ['variant.failed'] });

async function newSentUpload(): Promise<Ids> {
  const { assetId, uploadUrl } = await newUpload();
  await fetch(uploadUrl, { method: 'PUT', body: PHOTO, headers: { 'Content-Type': 'image/jpeg' } });
  return { assetId };
}

async function newFailedVariant(): Promise<Ids> {
  const post = await ask('POST', '/api/posts', { text: `Roll ${(posts += 1)}`, channelIds: [demo().channels['x']] });
  await until(async () => (await crier.api().getPost(post.id)).variants[0]!.status === 'failed', {
    what: 'the Variant failed',
  });
  return { variantId: post.variants[0].id };
}

/** An endpoint to which a test event was delivered. */
async function newUsedEndpoint(): Promise<Ids> {
  const endpointId: string = (await newEndpoint()).id;
  const delivery = await ask('POST', `/api/webhooks/${endpointId}/test`);
  await until(
    async () =>
      ((await ask('GET', '/api/webhooks')) as readonly any[]).find(({ id }) => id === endpointId).deliveries[0]
        ?.state === 'succeeded',
    { what: 'the test event delivered' },
  );
  return { endpointId, deliveryId: delivery.id };
}

/** What the examples of one language use up. */
async function prepare(endpoint: Ids): Promise<Readonly<Partial<Record<OperationId, Ids>>>> {
  const [read, cancelled, removed] = [await newPost(), await newPost(), await newUpload()];
  const failed = await newFailedVariant();
  return {
    'get-post': { postId: read.id },
    'cancel-post': { postId: cancelled.id },
    'void-file-addresses': { postId: read.id },
    'list-attempts': failed,
    'retry-variant': failed,
    'complete-media-upload': await newSentUpload(),
    'remove-media-upload': { assetId: removed.assetId },
    'delete-endpoint': { endpointId: (await newEndpoint()).id },
    'send-test-event': endpoint,
    'rotate-endpoint-secret': endpoint,
    'replay-delivery': endpoint,
  };
}

/** The names that an answer has, whatever the values. A list is as its first item. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return 'value';
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
}

const MARK = '=== ';
/** The examples of all operations as one program, which names each before it runs. */
const PROGRAMS: Readonly<Record<ExampleLanguage, (id: string, code: string) => string>> = {
  bash: (id, code) => `echo; echo '${MARK}${id}'\n${code}\n`,
  typescript: (id, code) => `console.log('${MARK}${id}');\n{\n${code}\n}\n`,
  python: (id, code) => `print("${MARK}${id}", flush=True)\n${code}\n`,
};

describe('the examples of the reference', () => {
  const printed = new Map<ExampleLanguage, ReadonlyMap<string, string>>();

  beforeAll(async () => {
    await crier.sandbox().fault({ network: 'x', fault: 'duplicate', count: LANGUAGES.length });
    const endpoint = await newUsedEndpoint();
    const prepared = [];
    for (const language of LANGUAGES) prepared.push({ language, ids: await prepare(endpoint) });
    await Promise.all(
      prepared.map(async ({ language, ids }) => {
        const parts = OPERATIONS.map((operation) => {
          const { code } = snippetsOf(operation, OPERATION_EXAMPLES[operation.id]).find(
            (snippet) => snippet.language === language,
          )!;
          return PROGRAMS[language](operation.id, withIds(code, ids[operation.id]));
        });
        const outputs = (await run(language, parts.join(''))).split(new RegExp(`^${MARK}`, 'm')).slice(1);
        printed.set(language, new Map(outputs.map((text) => splitOnce(text))));
      }),
    );
  });

  test.each(OPERATIONS.map((operation) => [operation.id, operation] as const))(
    'of %s runs in three languages, and is answered as the reference shows',
    (id, operation) => {
      const [curl, ...others] = LANGUAGES.map((language) => printed.get(language)!.get(id)!);
      if (operation.answer === undefined) return expect([curl, ...others]).toEqual(['', '204', '204']);
      const answer: unknown = JSON.parse(curl!);
      operation.answer.parse(answer);
      for (const text of others) expect(text).toContain('data');
      expect(shapeOf((answers as Partial<Record<OperationId, unknown>>)[id])).toEqual(shapeOf(answer));
    },
  );
});

describe('the programs of the guide run', () => {
  const SAID: Readonly<Record<string, readonly [bash: RegExp, typescript: RegExp, python: RegExp]>> = {
    '': [/"scheduled"/, /threads scheduled/, /threads scheduled/],
    keys: [/"plan"/, /^200/, /^200/],
    idempotency: [/idempotent-replayed: true/i, /^true/, /^True/],
    files: [/"altText":"Three loaves/, /Three loaves/, /Three loaves/],
    limits: [/"canPostNow"/, /^6/, /^6/],
    errors: [/"not_found"/, /404 not_found .*\/developers\/errors\/not_found/, /404 not_found .*not_found/],
  };

  test.each(Object.entries(SAID))('of /developers/%s', async (name, said) => {
    const text = readFileSync(GUIDE.find((page) => page.name === name)!.source, 'utf8');
    const printed = await Promise.all(LANGUAGES.map((language) => run(language, codeIn(text, language))));
    for (const [index, words] of said.entries()) expect(printed[index]).toMatch(words);
  });

  test('every page that has programs is among these', () => {
    const withCode = GUIDE.filter(({ source }) => /^```(bash|typescript|python)$/m.test(readFileSync(source, 'utf8')));
    expect(withCode.map(({ name }) => name).toSorted()).toEqual([...Object.keys(SAID), 'webhooks'].toSorted());
  });

  test('of /developers/webhooks: a signature is verified as the receivers of examples/ do it', async () => {
    const text = readFileSync(GUIDE.find(({ name }) => name === 'webhooks')!.source, 'utf8');
    expect(await run('bash', codeIn(text, 'bash'))).toMatch(/"secret":"whsec_/);
    const header = signatureOf(Buffer.from('{}'), [SECRET], Date.now());
    const wrong = header.replace(/v1=./, (found) => (found === 'v1=0' ? 'v1=1' : 'v1=0'));
    expect(wrong).not.toBe(header);
    const checks = {
      typescript: (value: string) =>
        `console.log(isGenuine('${value}', Buffer.from('{}'), '${SECRET}', Date.now() / 1000));`,
      python: (value: string) => `import time; print(is_genuine("${value}", b"{}", "${SECRET}", time.time()))`,
    };
    for (const language of ['typescript', 'python'] as const) {
      const code = [codeIn(text, language), checks[language](header), checks[language](wrong)].join('\n');
      expect((await run(language, code)).toLowerCase().trim().split('\n')).toEqual(['true', 'false']);
    }
    for (const [language, file] of [
      ['typescript', 'typescript/receiver.ts'],
      ['python', 'python/receiver.py'],
      ['go', 'go/main.go'],
    ] as const) {
      const receiver = readFileSync(new URL(`../../examples/receivers/${file}`, import.meta.url), 'utf8');
      const shown = codeIn(text, language).split(/\n\n/).at(-1)!;
      expect(receiver.replace('export function', 'function')).toContain(shown.split('\n').slice(-8).join('\n'));
    }
  });
});

/** All blocks of a language on a page, as one program. */
function codeIn(text: string, language: string): string {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, code]) => code).join('\n');
}

/** The first line, and the rest. */
function splitOnce(text: string): [string, string] {
  const end = text.indexOf('\n');
  return [text.slice(0, end).trim(), text.slice(end + 1).trim()];
}
