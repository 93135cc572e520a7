import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { until } from '#testing/until.ts';
import { openIngressHarness, openIngressWorld, START, IngressWorld } from '../ingress-harness.fixture.ts';
import type { InspectAddress } from '#use-cases/dependencies.ts';

const FOUND = { contentType: 'image/jpeg', bytes: 1_000, problem: null } as const;
const LATE = { contentType: null, bytes: null, problem: 'the client disconnected' } as const;
const scheduledAt = new Date(START + 3_600_000).toISOString();
const post = (urls: readonly string[], text = 'Look') => ({
  text,
  channelIds: ['01890000-0000-7000-8000-000000000000'],
  scheduledAt,
  media: urls.map((url) => ({ url })),
});
const some = (count: number, host = 'files.test') =>
  Array.from({ length: count }, (_, n) => `https://${host}/${n}.jpg`);

/** An internet where names with `silent` in them never answer. It knows what is asked now, and what was. */
function internet() {
  const asked: string[] = [];
  const running: string[] = [];
  let most = 0;
  const inspectAddress: InspectAddress = async (url, signal) => {
    const { host } = new URL(url);
    asked.push(url);
    running.push(host);
    most = Math.max(most, running.filter((other) => other === host).length);
    try {
      if (!host.includes('silent')) return FOUND;
      return await new Promise((resolve) => signal?.addEventListener('abort', () => resolve(LATE)));
    } finally {
      running.splice(running.indexOf(host), 1);
    }
  };
  return { asked, running, inspectAddress, mostOfOneHost: () => most };
}

test('30 requests that name silent hosts do not delay the inspections of another Workspace', async () => {
  const { inspectAddress, asked, running } = internet();
  await using open = await openIngressWorld({ inspectAddress });
  const { apiKey: attacker } = await open.world.key(open.world.workspace());
  const attacks = Array.from({ length: 30 }, (_, n) =>
    open.harness.call('POST', '/api/posts/validate', {
      key: attacker,
      body: post(Array.from({ length: 8 }, (_each, m) => `https://silent-${n}-${m}.test/a.jpg`)),
    }),
  );
  await until(() => running.length >= 16, { what: 'the attack under way' });
  const { status, body } = await open.harness.call('POST', '/api/posts/validate', {
    key: open.key,
    body: post(some(10)),
  });
  expect([
    status,
    JSON.stringify(body).includes('in time'),
    asked.filter((url) => url.includes('files')).length,
  ]).toEqual([200, false, 10]);
  expect(running.length).toBeLessThanOrEqual(16);
  await open.clock.advance(6_000);
  await Promise.all(attacks);
  expect(running).toEqual([]);
});

test('the inspections of a client that disconnected end, and create nothing', async () => {
  const { inspectAddress, running, asked } = internet();
  await using open = await openIngressWorld({ inspectAddress });
  const body = JSON.stringify(post([...some(10, 'silent-a.test'), ...some(10, 'silent-b.test')]));
  const socket = connect(open.harness.service.address().port, '127.0.0.1');
  socket
    .on('error', () => {})
    .write(
      `POST /api/posts HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${open.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  await until(() => running.length > 0, { what: 'addresses asked' });
  socket.destroy();
  await until(() => running.length === 0, { what: 'the end of what was asked' });
  expect([asked.length <= 8, open.world.commands, open.clock.armed(), open.harness.reporter.failures()]).toEqual([
    true,
    0,
    0,
    [],
  ]);
});

test('the inspections of a request end at its deadline', async () => {
  const { inspectAddress, running } = internet();
  await using open = await openIngressWorld({ inspectAddress });
  const answered = open.harness.call('POST', '/api/posts/validate', {
    key: open.key,
    body: post(some(4, 'silent.test')),
  });
  await until(() => running.length === 4, { what: 'addresses asked' });
  await open.clock.advance(6_000);
  expect([(await answered).status, running.length]).toEqual([200, 0]);
});

test('a host gets at most 4 requests at once, over all callers', async () => {
  const { inspectAddress, running, mostOfOneHost } = internet();
  await using open = await openIngressWorld({ inspectAddress });
  const { apiKey: other } = await open.world.key(open.world.workspace());
  const answered = [open.key, other, other].map((key) =>
    open.harness.call('POST', '/api/posts/validate', { key, body: post(some(10, 'silent.test')) }),
  );
  await until(() => running.length >= 4, { what: 'addresses asked' });
  await open.harness.call('POST', '/api/posts/validate', { key: open.key, body: post(some(10)) });
  await open.clock.advance(6_000);
  await Promise.all(answered);
  expect(mostOfOneHost()).toBe(4);
});

test('one file is requested once, however its address is spelled', async () => {
  const { inspectAddress, asked } = internet();
  await using open = await openIngressWorld({ inspectAddress });
  const spellings = [
    'https://files.test/a.jpg',
    'https://FILES.test/a.jpg',
    'https://files.test:443/a.jpg',
    'https://files.test/a.jpg#1',
    'https://files.test/./a.jpg#2',
  ];
  await open.harness.call('POST', '/api/posts/bulk?dryRun=true', {
    key: open.key,
    body: { posts: spellings.map((url) => post([url])) },
  });
  expect(asked).toEqual(['https://files.test/a.jpg']);
});

test('beyond its addresses of a minute a Workspace is refused with Retry-After, and no host is requested', async () => {
  const { inspectAddress, asked } = internet();
  await using open = await openIngressWorld({ inspectAddress, addressesPerMinute: 30 });
  const { apiKey: second } = await open.world.key(open.scenario);
  const { apiKey: stranger } = await open.world.key(open.world.workspace());
  const validate = (key: string, urls: readonly string[]) =>
    open.harness.call('POST', '/api/posts/validate', { key, body: post(urls) });
  for (let n = 0; n < 3; n++) expect((await validate(open.key, some(8))).status).toBe(200);
  await open.clock.advance(10_000);
  for (const key of [open.key, second]) {
    const { status, body, headers } = await validate(key, some(8));
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([429, 'rate_limited', '50']);
    expect(body.error.message).toMatch(/may name 30 addresses of files a minute.* in 50 seconds/);
  }
  const created = await open.harness.call('POST', '/api/posts', { key: open.key, body: post(some(8)) });
  expect([created.status, created.headers.get('retry-after'), asked.length]).toEqual([429, '50', 24]);
  expect([
    (await validate(open.key, some(6))).status,
    (await validate(open.key, [])).status,
    (await validate(stranger, some(8))).status,
  ]).toEqual([200, 200, 200]);
  await open.clock.advance(50_000);
  expect((await validate(open.key, some(8))).status).toBe(200);
  expect(open.harness.reporter.of('addresses-rate-limited')[0]?.facts).toMatchObject({
    addresses: 8,
    workspaceId: open.scenario.id,
  });
});

test.each(['', '?dryRun=true'])(
  'of a bulk%s each Post beyond it is refused in its place, and one that fits still goes',
  async (query) => {
    const { inspectAddress, asked } = internet();
    await using open = await openIngressWorld({ inspectAddress, addressesPerMinute: 30 });
    const posts = [
      post(some(10, 'a.test')),
      post([]),
      post(some(10, 'b.test')),
      post(some(15, 'c.test')),
      post([...some(2, 'c.test')]),
      post(some(10, 'd.test')),
      post(some(1, 'a.test')),
    ];
    const { status, body } = await open.harness.call('POST', `/api/posts/bulk${query}`, {
      key: open.key,
      body: { posts },
    });
    const refused = body.data.map((item: any) => (item.status === 429 ? item.error.code : 'judged'));
    expect([status, refused]).toEqual([
      200,
      ['judged', 'judged', 'judged', 'rate_limited', 'rate_limited', 'judged', 'judged'],
    ]);
    expect([asked.length, asked.some((url) => url.includes('c.test'))]).toEqual([30, false]);
  },
);

test('a Post that names more addresses than a minute allows is refused with that reason', async () => {
  const { inspectAddress, asked } = internet();
  await using open = await openIngressWorld({ inspectAddress, addressesPerMinute: 5 });
  const { status, body } = await open.harness.call('POST', '/api/posts/validate', {
    key: open.key,
    body: post(some(6)),
  });
  expect([status, body.error.message, asked]).toEqual([
    429,
    expect.stringMatching(/names 6 addresses of files.*may name 5 a minute.*upload/),
    [],
  ]);
});

test('addresses of covers count among the addresses of a minute', async () => {
  const { inspectAddress, asked } = internet();
  await using open = await openIngressWorld({ inspectAddress, addressesPerMinute: 2 });
  const [channelId] = post([]).channelIds;
  const covered = (urls: readonly string[], cover: string) => ({
    ...post(urls),
    channelOptions: { [channelId!]: { cover: { url: cover } } },
  });
  const validate = (body: object) => open.harness.call('POST', '/api/posts/validate', { key: open.key, body });
  expect((await validate(covered(some(2), 'https://covers.test/c.jpg'))).body.error).toMatchObject({
    code: 'rate_limited',
    message: expect.stringContaining('names 3 addresses'),
  });
  expect(asked).toEqual([]);
  expect((await validate(covered(some(1), 'https://covers.test/c.jpg'))).status).toBe(200);
  expect(asked.length).toBe(2);
});

test('for a Post that is not permitted no host is requested', async () => {
  const { inspectAddress, asked } = internet();
  await using open = await openIngressWorld({ inspectAddress }, []);
  const { scheduledAt: _, ...immediate } = post(some(1));
  const { body } = await open.harness.call('POST', '/api/posts/bulk', { key: open.key, body: { posts: [immediate] } });
  expect([body.data[0].status, asked]).toEqual([403, []]);
});

test('two replicas together admit no more addresses', async () => {
  const { inspectAddress, asked } = internet();
  const world = new IngressWorld(createSystemClock(), createMemoryTableStore());
  const { apiKey: key } = await world.key(world.workspace());
  await using first = await openIngressHarness(world, { inspectAddress, addressesPerMinute: 60 });
  await using second = await openIngressHarness(world, { inspectAddress, addressesPerMinute: 60 });
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      (n % 2 === 0 ? first : second).call('POST', '/api/posts/validate', {
        key,
        body: post(some(6, `host-${n}.test`)),
      }),
    ),
  );
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  expect([count(200), count(429), asked.length]).toEqual([10, 20, 60]);
});
