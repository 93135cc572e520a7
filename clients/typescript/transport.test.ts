import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCrier, CrierError } from './client.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

interface SeenRequest {
  readonly method: string;
  readonly key: string | null;
  readonly body: string;
  readonly at: number;
}

/** A client whose server gives these answers, one after another; an Error is a connection that is lost. */
function scripted(...answers: (Response | Error)[]) {
  const seen: SeenRequest[] = [];
  const crier = createCrier({
    url: 'https://crier.test',
    key: 'crier_key',
    fetch: async (_, init) => {
      const headers = new Headers(init?.headers);
      const body = typeof init?.body === 'string' ? init.body : '';
      seen.push({ method: init?.method ?? 'GET', key: headers.get('idempotency-key'), body, at: Date.now() });
      const answer = answers.shift();
      if (answer === undefined) throw new Error('one request more than expected');
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  return { crier, seen };
}

const POST = { text: 'once', channelIds: ['c'] };
const ok = (data: unknown = { id: 'p', variants: [] }) => Response.json({ data });
const refusal = (status: number, code: string, headers: Record<string, string> = {}, more: object = {}) =>
  Response.json({ error: { code, message: `It is ${code}.`, ...more } }, { status, headers });
const lost = () => new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
const refused = () =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) });

async function settled<T>(call: Promise<T>): Promise<T | CrierError> {
  const caught = call.catch((error: unknown) => error as CrierError);
  await vi.runAllTimersAsync();
  return caught;
}

test('a create that fails in passing is repeated with one key of its own', async () => {
  const { crier, seen } = scripted(
    lost(),
    refusal(503, 'outcome_unknown'),
    refusal(503, 'unavailable'),
    refusal(429, 'rate_limited'),
    ok(),
  );
  expect(await settled(crier.posts.create(POST))).toMatchObject({ id: 'p' });
  expect(seen).toHaveLength(5);
  expect(new Set(seen.map(({ key }) => key)).size).toBe(1);
  expect(seen[0]!.key).toMatch(/^[0-9a-f-]{36}$/);
});

test.each(['<html>Sign in to the network</html>', '', '{"status":"ok"}', 'null'])(
  'an answer of 200 that is not one of Crier is no Post: %j',
  async (text) => {
    const { crier } = scripted(new Response(text));
    expect(await settled(crier.posts.create(POST))).toMatchObject({ status: 200, code: 'unexpected_answer' });
  },
);

test('an address that sends elsewhere, as from http to https, is reported with the other one, at once', async () => {
  let requests = 0;
  const crier = createCrier({
    url: 'http://crier.test',
    key: 'crier_key',
    // As fetch does it.
    fetch: async (_, init) => {
      requests += 1;
      if (init?.redirect === 'error') throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
      return new Response(null, { status: 301, headers: { Location: 'https://crier.test/api/posts' } });
    },
  });
  const message = expect.stringContaining('at https://crier.test/api/posts');
  expect(await settled(crier.posts.create(POST))).toMatchObject({ status: 301, code: 'unexpected_answer', message });
  expect(requests).toBe(1);
});

test('two creates have different keys, and a key of the caller’s is kept', async () => {
  const { crier, seen } = scripted(ok(), ok(), ok());
  await crier.posts.create(POST);
  await crier.posts.create(POST);
  await crier.posts.create(POST, { idempotencyKey: 'mine' });
  expect(new Set(seen.map(({ key }) => key)).size).toBe(3);
  expect(seen[2]!.key).toBe('mine');
});

test('Retry-After is obeyed to the second', async () => {
  const { crier, seen } = scripted(refusal(429, 'rate_limited', { 'retry-after': '37' }), ok());
  await settled(crier.posts.create(POST));
  const waitedMs = seen[1]!.at - seen[0]!.at;
  expect(waitedMs).toBeGreaterThanOrEqual(37_000);
  expect(waitedMs).toBeLessThan(38_000);
});

test('Retry-After of a proxy, which may be a date, is obeyed, and one that says nothing is passed over', async () => {
  const proxy = (value: string) => new Response('busy', { status: 503, headers: { 'retry-after': value } });
  const inHalfAMinute = new Date(Date.now() + 30_000).toUTCString();
  const { crier, seen } = scripted(proxy(inHalfAMinute), proxy(''), proxy('-9'), ok([]));
  await settled(crier.channels.list());
  const [first, second, third] = seen.slice(1).map(({ at }, index) => at - seen[index]!.at);
  expect(first).toBeGreaterThan(28_000);
  expect(Math.min(second!, third!)).toBeGreaterThanOrEqual(500);
});

test.each([
  [400, 'invalid_request'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [409, 'media_unavailable'],
  [422, 'post_refused'],
  [422, 'a_word_of_a_later_release'],
])('a refusal %i %s is never repeated', async (status, code) => {
  const { crier, seen } = scripted(refusal(status, code));
  await expect(crier.posts.create(POST)).rejects.toMatchObject({ name: 'CrierError', status, code });
  expect(seen).toHaveLength(1);
});

test('an error has what the answer says: blockers, upgrade, request id, and when to come again', async () => {
  const blockers = [{ channelId: 'c', code: 'problem', message: 'Too long' }];
  const upgrade = { plan: 'pro', limit: 'channels', label: 'More Channels' };
  const headers = { 'x-request-id': 'r-1', 'retry-after': '900' };
  const { crier } = scripted(refusal(429, 'post_refused', headers, { blockers, upgrade, colour: 'new' }));
  await expect(crier.posts.create(POST)).rejects.toMatchObject({
    status: 429,
    blockers,
    upgrade,
    requestId: 'r-1',
    retryAfterSeconds: 900,
  });
});

test('what would be another change is repeated only when certainly nothing was done', async () => {
  const lostOnce = scripted(lost());
  expect(await settled(lostOnce.crier.variants.retry('v'))).toMatchObject({ code: 'no_answer' });
  const unknown = scripted(refusal(503, 'outcome_unknown'));
  expect(await settled(unknown.crier.webhooks.rotateSecret('e'))).toMatchObject({ code: 'outcome_unknown' });
  const nothing = scripted(refused(), refusal(503, 'unavailable'), ok({ id: 'v' }));
  expect(await settled(nothing.crier.variants.retry('v'))).toEqual({ id: 'v' });
});

test('a cancel whose answer was lost is done, though its repetition finds nothing to cancel', async () => {
  const cancelled = { id: 'p', variants: [{ status: 'cancelled' }] };
  const { crier } = scripted(lost(), refusal(409, 'not_cancellable'), ok(cancelled));
  expect(await settled(crier.posts.cancel('p'))).toEqual(cancelled);
  const alone = scripted(refusal(409, 'not_cancellable'));
  expect(await settled(alone.crier.posts.cancel('p'))).toMatchObject({ code: 'not_cancellable' });
});

test('of a bulk only the Posts that failed in passing are sent again, with the keys that they had', async () => {
  const item = (id: string) => ({ status: 201, post: { id } });
  const passing = { status: 503, error: { code: 'outcome_unknown', message: 'Unknown.' } };
  const final = { status: 422, error: { code: 'post_refused', message: 'Refused.' } };
  const { crier, seen } = scripted(ok([item('a'), passing, final]), lost(), ok([item('b')]));
  const items = await settled(crier.posts.createBulk([{ ...POST, idempotencyKey: 'k' }, POST, POST]));
  expect(items).toEqual([item('a'), item('b'), final]);
  const keys = seen.map(({ body }) =>
    (JSON.parse(body) as { posts: { idempotencyKey: string }[] }).posts.map(({ idempotencyKey }) => idempotencyKey),
  );
  expect(keys[0]![0]).toBe('k');
  expect(new Set(keys[0]).size).toBe(3);
  expect([keys[1], keys[2]]).toEqual([[keys[0]![1]], [keys[0]![1]]]);
});

test('a bulk of 250 Posts is three requests, and tells its progress', async () => {
  const hundred = Array.from({ length: 100 }, () => ({ status: 200, post: null }));
  const { crier } = scripted(ok(hundred), ok(hundred), ok(hundred.slice(50)));
  const told: number[] = [];
  const posts = Array.from({ length: 250 }, () => POST);
  const items = await crier.posts.createBulk(posts, { dryRun: true, onProgress: ({ done }) => told.push(done) });
  expect([items.length, told]).toEqual([250, [100, 200, 250]]);
});

test('an aborted signal ends a wait at once, with its own reason', async () => {
  const { crier } = scripted(refusal(429, 'rate_limited', { 'retry-after': '60' }));
  const ending = new AbortController();
  const call = crier.usage.get({ signal: ending.signal }).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(1_000);
  const why = new Error('enough');
  ending.abort(why);
  expect(await call).toBe(why);
});

test('fields and words that a later release adds are passed on', async () => {
  const { crier } = scripted(ok([{ id: 'c', network: 'mastodon', colour: 'red' }]));
  expect(await crier.channels.list()).toEqual([{ id: 'c', network: 'mastodon', colour: 'red' }]);
});

test('waiting goes on through a status that a later release adds, and ends at its timeout', async () => {
  const of = (status: string) => ok({ id: 'p', variants: [{ status }] });
  const { crier } = scripted(of('scheduled'), of('simmering'), of('published'));
  const told: string[] = [];
  const onChange = ({ variants }: { variants: readonly { status: string }[] }) => told.push(variants[0]!.status);
  await settled(crier.posts.waitForOutcome('p', { onChange }));
  expect(told).toEqual(['scheduled', 'simmering', 'published']);
  const { crier: other } = scripted(of('scheduled'), of('scheduled'));
  expect(await settled(other.posts.waitForOutcome('p', { timeoutMs: 600 }))).toMatchObject({ code: 'timeout' });
});

test('an answer that is not Crier’s says so', async () => {
  const { crier } = scripted(new Response('<html>a proxy</html>', { status: 200 }));
  await expect(crier.usage.get()).rejects.toThrow('check that the address is that of a Crier');
});
