import assert from 'node:assert/strict';
import fc, { type Arbitrary } from 'fast-check';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import { OPERATIONS } from '#schemas/http/operations.ts';
import { EXAMPLE } from '#services/ingress/developers/example-values.ts';
import { OPERATION_EXAMPLES } from '#services/ingress/developers/operation-examples.ts';
import { openIngressWorld, START, type HarnessAnswer } from '#services/ingress/ingress-harness.fixture.ts';
import { answeredInTime, assertNoFault } from '../answers.ts';
import { fuzzTarget } from '../fuzz-target.ts';
import { mutatedBody, mutatedText } from '../mutations.ts';

interface RestRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string | null;
}

const DAY_MS = 86_400_000;

/** Requests that the reference gives as examples, with the ids of a Workspace, each broken somewhere. */
function brokenRequests(real: Readonly<Record<string, string>>): Arbitrary<RestRequest> {
  const withIds = <T>(value: T): T => {
    let json = JSON.stringify(value);
    for (const [example, id] of Object.entries(real)) json = json.replaceAll(example, id);
    return JSON.parse(json) as T;
  };
  return fc.constantFrom(...OPERATIONS).chain(({ id, method, path, body }) => {
    const example = withIds(OPERATION_EXAMPLES[id]);
    const given = Object.entries(example.path ?? {}).reduce(
      (all, [name, value]) => all.replace(`{${name}}`, value),
      path,
    );
    const query = new URLSearchParams(example.query ?? {}).toString();
    const texts = mutatedText(
      fc.constantFrom(query, `limit=5&cursor=${'A'.repeat(43)}`, 'from=2026-11-01T00:00:00Z&to=2026-12-01T00:00:00Z'),
    );
    return fc.record({
      method: fc.constant(method.toUpperCase()),
      path: fc.oneof(
        { weight: 5, arbitrary: fc.constant(query === '' ? given : `${given}?${query}`) },
        { weight: 2, arbitrary: texts.map((text) => `${given}?${inAddress(text)}`) },
        { weight: 1, arbitrary: mutatedText(fc.constant(given)).map((text) => `/api/${inAddress(text)}`) },
      ),
      body: body === undefined ? fc.constant(null) : mutatedBody(fc.constantFrom(...samplesOf(example.body, real))),
    });
  });
}

/** What an address of a request can hold, at a length at which Node reads it. */
function inAddress(text: string): string {
  return encodeURI(text.slice(0, 2_000).toWellFormed()).replaceAll('#', '%23');
}

/** The example, and one that uses as much of the form as there is. */
function samplesOf(example: unknown, real: Readonly<Record<string, string>>): readonly unknown[] {
  const channelId = real[EXAMPLE.channelId]!;
  if (example === undefined) return [{}];
  if (typeof example !== 'object' || !('text' in example!)) return [example];
  const options = {
    ...{ placement: 'feed', text: 'Another text', firstComment: 'First', madeWithAi: true, replySettings: 'following' },
    ...{ tags: ['a'], cover: { atSeconds: 1.5 }, userTags: [{ username: 'ada', x: 0.5, y: 1 }], title: 'A title' },
  };
  const media = [{ url: 'https://files.test/a.jpg', altText: 'A picture' }];
  return [example, { ...example, media, channelOptions: { [channelId]: options } }];
}

function assertAnswer({ status, body }: HarnessAnswer): void {
  assert(status >= 200 && status < 500, `it was answered by ${status}`);
  if (status === 204) return;
  assert.equal(typeof body[status < 400 ? 'data' : 'error'], 'object', `the envelope of ${status} is missing`);
}

export const restRequests = fuzzTarget<RestRequest>({
  name: 'rest-requests',
  holds: 'a request to the API is answered, by what the document names, and never by a 500',
  cases: 300,
  open: async () => {
    const open = await openIngressWorld({}, PERMISSIONS);
    const { harness, key, channels, scenario } = open;
    const created = await harness.call('POST', '/api/posts', {
      key,
      body: { text: 'There', channelIds: channels, scheduledAt: new Date(START + DAY_MS).toISOString() },
    });
    const postId: string = created.body.data.id;
    const endpointId = Object.keys(scenario.workspace.endpoints)[0] ?? EXAMPLE.endpointId;
    const real = {
      ...{ [EXAMPLE.channelId]: channels[0], [EXAMPLE.postId]: postId, [EXAMPLE.endpointId]: endpointId },
      ...{
        [EXAMPLE.variantId]: created.body.data.variants[0].id,
        [EXAMPLE.soon]: new Date(START + DAY_MS).toISOString(),
      },
    };
    return {
      inputs: brokenRequests(real),
      crashes: {},
      sizeOf: ({ path, body }) => path.length + (body?.length ?? 0),
      allowedMs: 150,
      check: async ({ method, path, body }) => {
        assertAnswer(await answeredInTime(harness.call(method, path, { key, ...(body !== null && { body }) })));
        assertNoFault(harness.reporter);
      },
      close: async () => open[Symbol.asyncDispose](),
    };
  },
});
