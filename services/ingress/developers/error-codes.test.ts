import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { problemBodyOf } from '#http-server/problem-body.ts';
import { createMediaAddresses } from '#media/media-addresses.ts';
import { PortError } from '#ports/errors.ts';
import { ERRORS, type ErrorCode } from '#schemas/http/errors.ts';
import { tokenHashOf } from '../authenticate.ts';
import { openIngressHarness, openIngressWorld, START } from '../ingress-harness.fixture.ts';
import { errorSections } from './error-pages.ts';
import { EXAMPLE } from './example-values.ts';

type OpenWorld = Awaited<ReturnType<typeof openIngressWorld>>;
type Sent = Parameters<OpenWorld['harness']['call']>[2];
interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const later = (minutes: number): string => new Date(START + minutes * 60_000).toISOString();
const NOWHERE = '01a20000-0000-7000-8000-000000000001';
const FILE = { filename: 'bread.jpg', contentType: 'image/jpeg', bytes: 48_213 };
const good = ({ channels }: OpenWorld) => ({ text: 'Hello', channelIds: channels, scheduledAt: later(60) });

const call = ({ harness, key }: OpenWorld, method: string, path: string, about: Sent = {}): Promise<Answer> =>
  harness.call(method, path, { key, ...about });
const create = (open: OpenWorld, changes: object = {}): Promise<any> =>
  call(open, 'POST', '/api/posts', { body: { ...good(open), ...changes } });
async function inWorld(options: Parameters<typeof openIngressWorld>[0], ask: (open: OpenWorld) => Promise<Answer>) {
  await using open = await openIngressWorld(options, ['posts:publish', 'webhooks:manage']);
  return withoutAddress(open, await ask(open));
}
const withoutAddress = ({ harness }: Pick<OpenWorld, 'harness'>, { status, body }: Answer): Answer => ({
  status,
  body: JSON.parse(JSON.stringify(body).replaceAll(harness.url, EXAMPLE.publicUrl)),
});

const hooks = (open: OpenWorld, url = 'https://hooks.test/in') =>
  call(open, 'POST', '/api/webhooks', { body: { url, events: ['variant.failed'] } });

/** How each code comes about. */
const CAUSES: Readonly<Record<ErrorCode, () => Promise<Answer>>> = {
  invalid_request: () => inWorld({}, (open) => create(open, { scheduledAt: 'tomorrow' })),
  unauthorized: () => inWorld({}, (open) => call(open, 'GET', '/api/posts', { key: 'crier_unknown' })),
  forbidden: async () => {
    await using open = await openIngressWorld({}, []);
    return withoutAddress(open, await create(open, { scheduledAt: undefined }));
  },
  email_not_verified: () =>
    inWorld({}, async (open) => {
      const scenario = open.world.workspace({ emailVerified: false });
      const { apiKey } = await open.world.key(scenario);
      const channelIds = [open.world.channel(scenario, 'x')];
      return call(open, 'POST', '/api/posts', { key: apiKey, body: { ...good(open), channelIds } });
    }),
  not_found: () => inWorld({}, (open) => call(open, 'GET', `/api/posts/${NOWHERE}`)),
  method_not_allowed: () => inWorld({}, (open) => call(open, 'DELETE', '/api/posts')),
  channel_disconnected: () =>
    inWorld({ accountChoices: async () => ({ kind: 'needs_reconnect', detail: 'no' }) }, (open) =>
      call(open, 'GET', `/api/channels/${open.channels[0]}/options`),
    ),
  media_unavailable: () => inWorld({}, (open) => create(open, { media: [{ assetId: NOWHERE }] })),
  upload_incomplete: () =>
    inWorld({}, async (open) => {
      const reserved: any = await call(open, 'POST', '/api/media', { body: FILE });
      return call(open, 'POST', `/api/media/${reserved.body.data.assetId}/complete`);
    }),
  not_cancellable: () =>
    inWorld({}, async (open) => {
      const { id } = (await create(open)).body.data;
      await call(open, 'POST', `/api/posts/${id}/cancel`);
      return call(open, 'POST', `/api/posts/${id}/cancel`);
    }),
  not_retryable: () =>
    inWorld({}, async (open) =>
      call(open, 'POST', `/api/variants/${(await create(open)).body.data.variants[0].id}/retry`),
    ),
  key_taken: () =>
    inWorld({}, async ({ scenario, world }) => {
      const tokenHash = tokenHashOf('crier_chosen');
      scenario.tokenOwners.set(tokenHash, NOWHERE);
      const memberId = Object.keys(scenario.workspace.members)[0]!;
      const keyId = world.ids.uuid7(START);
      const about = { keyId, memberId, name: 'a key', permissions: [], tokenHash };
      const result: any = scenario.tell({ type: 'CreateKey', ...about }).result;
      return {
        status: 409,
        body: { error: problemBodyOf({ code: result.code, message: result.message }, EXAMPLE.publicUrl) },
      };
    }),
  too_large: () => inWorld({}, (open) => call(open, 'POST', '/api/posts', { body: 'a'.repeat(1_100_000) })),
  unsupported_media_type: () =>
    inWorld({}, (open) => call(open, 'POST', '/api/posts', { body: '{}', headers: { 'Content-Type': 'text/plain' } })),
  range_not_satisfiable: () =>
    inWorld({}, async ({ harness, world }) => {
      const blob = `assets/${NOWHERE}/original/1`;
      await world.blobs.put(blob, Readable.from([Buffer.from('abc')]), { maxBytes: 3 });
      const addresses = createMediaAddresses({ baseUrl: () => harness.url, secret: 'a secret of the installation' });
      const path = new URL(addresses.urlOf({ blob, contentType: 'image/png' })).pathname;
      return harness.call('GET', path, { headers: { Range: 'bytes=10-' } });
    }),
  post_refused: () => inWorld({}, (open) => create(open, { text: 'bad' })),
  too_early: () => inWorld({}, (open) => create(open, { scheduledAt: later(5) })),
  too_late: () => inWorld({}, (open) => create(open, { scheduledAt: later(3 * 365 * 24 * 60) })),
  plan_limit: () =>
    inWorld({}, async (open) => {
      open.scenario.must({ type: 'SetPlan', plan: 'free', effectiveAt: null });
      await call(open, 'POST', '/api/media', { body: { ...FILE, bytes: 1024 ** 3 } });
      return call(open, 'POST', '/api/media', { body: FILE });
    }),
  limit_reached: () =>
    inWorld({}, async (open) => {
      for (let count = 0; count < 10; count += 1) await hooks(open);
      return hooks(open);
    }),
  unsafe_url: () => inWorld({}, (open) => hooks(open, 'https://private.test/in')),
  media_unacceptable: () =>
    inWorld({}, (open) => call(open, 'POST', '/api/media', { body: { ...FILE, contentType: 'image/gif' } })),
  idempotency_key_reused: () =>
    inWorld({}, async (open) => {
      const headers = { 'Idempotency-Key': 'bread-2026-06-01' };
      await call(open, 'POST', '/api/posts', { body: good(open), headers });
      return call(open, 'POST', '/api/posts', { body: { ...good(open), text: 'Another' }, headers });
    }),
  rate_limited: () =>
    inWorld({ requestsPerMinute: 2 }, async (open) => {
      for (const _ of [1, 2]) await call(open, 'GET', '/api/channels');
      return call(open, 'GET', '/api/channels');
    }),
  outcome_unknown: () =>
    inWorld({ request: () => Promise.reject(new PortError('unknown', 'timed out')) }, (open) => create(open)),
  unavailable: () =>
    inWorld({ findCredential: () => Promise.reject(new PortError('unavailable', 'away')) }, (open) =>
      call(open, 'GET', '/api/channels'),
    ),
};

/** Without what differs from one world to the next. */
const settled = (value: unknown): string =>
  JSON.stringify(value)
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?Z/g, '<instant>');

test('each code has a section of its own, in the order of the table of codes', () => {
  expect([...errorSections().keys()]).toEqual(Object.keys(ERRORS));
});

test.each(Object.entries(CAUSES))('%s: the example of its page is the answer', async (code, cause) => {
  const { status, body } = await cause();
  const example = /^```json\n(.*?)^```/ms.exec(errorSections().get(code) ?? '')?.[1] ?? '{}';
  expect(settled(JSON.parse(example))).toBe(settled(body));
  expect(status).toBe(ERRORS[code as ErrorCode].status);
  expect(body).toMatchObject({ error: { code, docUrl: `${EXAMPLE.publicUrl}/developers/errors/${code}` } });
});

test('each Post of a bulk request that is refused names the page about its code, too', async () => {
  await using open = await openIngressWorld();
  const answer: any = await call(open, 'POST', '/api/posts/bulk', { body: { posts: [good(open), {}] } });
  expect(answer.body.data.map(({ error }: any) => error?.docUrl)).toEqual([
    undefined,
    `${open.harness.url}/developers/errors/invalid_request`,
  ]);
});

test('the address is that of the public address, wherever the service listens', async () => {
  await using open = await openIngressWorld();
  await using harness = await openIngressHarness(open.world, { publicUrl: 'https://posts.example.org' });
  const { body } = await harness.call('GET', '/api/nothing');
  expect(body.error.docUrl).toBe('https://posts.example.org/developers/errors/not_found');
});
