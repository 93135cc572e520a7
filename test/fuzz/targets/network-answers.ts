import assert from 'node:assert/strict';
import fc, { type Arbitrary } from 'fast-check';
import { createMemoryHttpClient, type Cut } from '#adapters/memory/http-client.ts';
import { NETWORKS, type Network } from '#domain/network.ts';
import type { CallSummary } from '#networks/contract/adapter.ts';
import { createNetworks, sandboxEndpoints } from '#networks/registry.ts';
import type { HttpResponse } from '#ports/http-client.ts';
import { fuzzTarget } from '../fuzz-target.ts';
import { mutatedBody, mutatedText } from '../mutations.ts';
import { OPERATIONS_AT_NETWORKS, recordConversations, SECRETS, type Conversation } from './network-conversations.ts';

/** What becomes of each answer in turn; those beyond the list come as they were recorded. */
type Change =
  | { readonly kind: 'as it was' }
  | { readonly kind: 'lost'; readonly cut: Cut['cut'] }
  | {
      readonly kind: 'other';
      readonly status: number;
      readonly body: string;
      readonly headers: HttpResponse['headers'];
    };

interface Exchange {
  readonly network: Network;
  /** The operation, as `OPERATIONS_AT_NETWORKS` names it. */
  readonly operation: string;
  readonly conversation: number;
  readonly changes: readonly Change[];
}

/** An adapter that asks more often in one step never ends. Uploads go in parts: each is a request. */
const MOST_REQUESTS = 60;
const MOST_HANDLE_BYTES = 16_384;
const MOST_DETAIL = 500;
const DAYS_31_MS = 31 * 86_400_000;

const STATUSES = [200, 200, 200, 201, 204, 206, 301, 302, 304, 308, 400, 401, 402, 403, 404, 409, 413, 422, 429, 500];
const MORE_STATUSES = [501, 502, 503, 504, 520, 600, 0];
const HEADERS = ['location', 'range', 'retry-after', 'x-app-usage', 'x-business-use-case-usage', 'x-rate-limit-reset'];
const MORE_HEADERS = ['x-rate-limit-remaining', 'content-type', 'x-fb-trace-id', 'x-user-limit-24hour-remaining'];
const HEADER_VALUES = ['bytes=0-262143', '120', 'Wed, 21 Oct 2099 07:28:00 GMT', '{"call_count":101}', '1893456000'];

function changesOf(answers: readonly HttpResponse[]): Arbitrary<readonly Change[]> {
  const samples = [...answers, ...ERRORS];
  const json = samples.flatMap(({ body }) => (isJson(body) ? [JSON.parse(body) as unknown] : []));
  const secret = fc.constantFrom(...SECRETS).map((each) => JSON.stringify({ error: { code: 190, message: each } }));
  const body = fc.oneof(
    { weight: 6, arbitrary: mutatedBody(fc.constantFrom(...json)) },
    { weight: 2, arbitrary: fc.constantFrom(...samples.map((answer) => answer.body)) },
    { weight: 1, arbitrary: mutatedText(fc.constantFrom('<html>502 Bad Gateway</html>', '', 'null')) },
    { weight: 1, arbitrary: secret },
  );
  const other = fc.record({
    kind: fc.constant('other' as const),
    status: fc.constantFrom(...STATUSES, ...MORE_STATUSES),
    body,
    headers: fc.oneof(
      fc.constantFrom(...samples.map(({ headers }) => headers)),
      fc.dictionary(fc.constantFrom(...HEADERS, ...MORE_HEADERS), mutatedText(fc.constantFrom(...HEADER_VALUES)), {
        maxKeys: 3,
        noNullPrototype: true,
      }),
    ),
  });
  const change: Arbitrary<Change> = fc.oneof(
    { weight: 3, arbitrary: fc.constant<Change>({ kind: 'as it was' }) },
    { weight: 4, arbitrary: other },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('lost'), cut: fc.constantFrom('before', 'after') }) },
  );
  return fc.array(change, { minLength: 1, maxLength: 8 });
}

/** Refusals in the forms of each Network. */
const ERRORS: readonly HttpResponse[] = [
  { error: { message: 'm', type: 'OAuthException', code: 190, error_subcode: 463, is_transient: false } },
  { error: { message: 'm', code: 4, error_user_msg: 'Slow down' } },
  {
    errors: [{ message: 'm', code: 453 }],
    title: 'Forbidden',
    detail: 'no',
    type: 'https://api.x.com/2/problems/usage',
  },
  { error: { code: 'spam_risk_too_many_posts', message: 'm', log_id: '1' }, data: {} },
  { error: { code: 403, message: 'm', errors: [{ reason: 'quotaExceeded', domain: 'youtube.quota' }] } },
  { error: 'invalid_grant', error_description: 'Token has been revoked.' },
].map((body) => ({ status: 400, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }));

function isJson(text: string): boolean {
  return text.startsWith('{') || text.startsWith('[');
}

/** The shapes of all answers have these fields in common. */
interface Answer {
  readonly kind: string;
  readonly summary?: CallSummary;
  readonly failure?: { readonly detail: string; readonly delayMs?: number };
  readonly handle?: string | null;
  readonly delayMs?: number | null;
  readonly remoteId?: string;
}

function assertAnswer(answer: Answer, kinds: readonly string[], sent: ReadonlySet<string>): void {
  assert(kinds.includes(answer.kind), `its kind is ${answer.kind}`);
  for (const delayMs of [answer.delayMs, answer.failure?.delayMs, answer.summary?.pause?.forMs])
    if (delayMs !== undefined && delayMs !== null)
      assert(Number.isFinite(delayMs) && delayMs >= 0 && delayMs <= DAYS_31_MS, `it waits ${delayMs} ms`);
  if (typeof answer.handle === 'string')
    assert(Buffer.byteLength(answer.handle) <= MOST_HANDLE_BYTES, `its handle has ${answer.handle.length} characters`);
  if (answer.remoteId !== undefined) assert(typeof answer.remoteId === 'string' && answer.remoteId !== '');
  for (const detail of [answer.summary?.detail, answer.failure?.detail]) {
    if (detail === undefined) continue;
    assert(detail.length <= MOST_DETAIL, `a detail has ${detail.length} characters`);
    for (const secret of sent) assert(!detail.includes(secret), 'a detail has a secret');
  }
}

export const networkAnswers = fuzzTarget<Exchange>({
  name: 'network-answers',
  holds: 'whatever a Network answers, the outcome is one that the contract names, without secrets, after few requests',
  cases: 2_000,
  open: async () => {
    const networks = createNetworks(sandboxEndpoints('http://sandbox.test'));
    const conversations = await recordConversations();
    const inputs = fc.constantFrom(...NETWORKS).chain((network) => {
      const own = conversations.filter((each) => each.network === network);
      return fc.constantFrom(...own).chain((conversation) =>
        fc.record({
          network: fc.constant(network),
          operation: fc.constantFrom(...OPERATIONS_AT_NETWORKS.map(({ name }) => name)),
          conversation: fc.constant(conversations.indexOf(conversation)),
          changes: changesOf(own.flatMap(({ answers }) => answers.map(({ answer }) => answer))),
        }),
      );
    });
    return {
      inputs,
      crashes: {
        'an id is half of a pair of UTF-16': {
          ...{ network: 'threads', operation: 'publish', conversation: firstOf(conversations, 'threads') },
          changes: [{ kind: 'other', status: 200, body: '{"id":"\\ud800\\ud800"}', headers: {} }],
        },
        'the secret of our app is echoed where the list of Pages is empty': {
          ...{ network: 'facebook', operation: 'accounts', conversation: firstOf(conversations, 'facebook') },
          changes: [
            { kind: 'as it was' },
            { kind: 'other', status: 200, body: '""', headers: {} },
            {
              kind: 'other',
              status: 402,
              body: '{"error":{"code":190,"message":"crier-sandbox-secret"}}',
              headers: {},
            },
          ],
        },
      },
      sizeOf: ({ changes }) => changes.reduce((sum, each) => sum + (each.kind === 'other' ? each.body.length : 0), 0),
      check: async ({ network, operation, conversation, changes }) => {
        const { run, kinds } = OPERATIONS_AT_NETWORKS.find(({ name }) => name === operation)!;
        const { http, requests, sent } = changedNetwork(conversations[conversation]!, changes);
        const answer = await run(networks, conversations[conversation]!, http);
        if (answer !== null) assertAnswer(answer as Answer, kinds, sent);
        assert(requests() <= MOST_REQUESTS, `${network} was asked ${requests()} times`);
      },
    };
  },
});

const firstOf = (conversations: readonly Conversation[], network: Network): number =>
  conversations.findIndex((each) => each.network === network);

/** Answers as recorded, by method and path, but for the changes. `sent`: the secrets that it was sent, and may echo. */
function changedNetwork({ answers }: Conversation, changes: readonly Change[]) {
  let count = 0;
  const sent = new Set<string>();
  const http = createMemoryHttpClient(async ({ method, url, headers, body }) => {
    const request = `${url} ${JSON.stringify(headers)} ${typeof body === 'string' ? body : ''}`;
    for (const secret of SECRETS) if (request.includes(secret)) sent.add(secret);
    const change = changes[count++] ?? { kind: 'as it was' };
    if (count > MOST_REQUESTS * 2) throw new Error('it asks without an end');
    if (change.kind === 'lost') return { cut: change.cut };
    if (change.kind === 'other') return change;
    const path = new URL(url).pathname;
    const same = answers.filter((each) => each.method === method && each.path === path);
    return (same[count % Math.max(1, same.length)] ?? answers[count % answers.length]!).answer;
  });
  return { http, sent, requests: () => count };
}
