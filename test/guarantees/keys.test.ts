import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace, type TestWorkspace } from '#testing/crier-workspace.ts';
import { startTrustedReceiver, type TrustedReceiver } from '#testing/trusted-receiver.ts';
import { until } from '#testing/until.ts';

const IN_AN_HOUR = (): string => new Date(Date.now() + 3_600_000).toISOString();

describe('a client with a key', () => {
  let crier: CrierUnderTest;
  let trusted: TrustedReceiver;
  let ours: TestWorkspace;
  beforeAll(async () => {
    trusted = await startTrustedReceiver();
    crier = await CrierUnderTest.start({
      env: { ...trusted.settings, CRIER_REQUESTS_PER_MINUTE: '0', CRIER_STRANGER_REQUESTS_PER_MINUTE: '100' },
    });
    ours = await foundWorkspace(crier, 'ours');
  });
  afterAll(async () => {
    await crier[Symbol.asyncDispose]();
    await trusted[Symbol.asyncDispose]();
  });

  const scheduled = (text: string) => ({ text, channelIds: Object.values(ours.channels), scheduledAt: IN_AN_HOUR() });

  test("sees its own Workspace only: another's ids do not exist for it", async () => {
    const theirs = await foundWorkspace(crier, 'theirs');
    const [us, them] = [crier.api(ours.apiKey), crier.api(theirs.apiKey)];
    const { id, variants } = await us.createPost(scheduled('only ours'));
    for (const [method, path] of [
      ['GET', `/api/posts/${id}`],
      ['POST', `/api/posts/${id}/cancel`],
      ['POST', `/api/variants/${variants[0]!.id}/retry`],
      ['GET', `/api/variants/${variants[0]!.id}/attempts`],
    ] as const) {
      const [foreign, unknown] = [
        await them.send(method, path),
        await them.send(method, path.replace(/[0-9a-f]{8}-/, '01890000-')),
      ];
      expect(foreign.status, path).toBe(404);
      expect(foreign.body, 'as if it did not exist').toEqual(unknown.body);
    }
    expect(await them.listPosts()).toEqual([]);
    expect((await them.channels()).map((channel) => channel.id).toSorted()).toEqual(
      Object.values(theirs.channels).toSorted(),
    );
    const answer = await them.send('POST', '/api/posts', scheduled('through Channels of another Workspace'));
    expect(answer.body.error.blockers.map((blocker: { code: string }) => blocker.code)).toEqual(['problem', 'problem']);
    expect((await us.getPost(id)).variants.map(({ status }) => status)).toEqual(['scheduled', 'scheduled']);
  });

  test('may schedule; publishing now and retrying that needs posts:publish', async () => {
    const { apiKey } = await crier
      .admin()
      .call('keys.create', { workspaceId: ours.workspaceId, memberId: ours.memberId, name: 'modest', permissions: [] });
    const api = crier.api(apiKey);
    const post = await api.createPost(scheduled('by a key without posts:publish'));
    for (const answer of [
      await api.send('POST', '/api/posts', { text: 'now', channelIds: [ours.channels.x] }),
      await api.send('POST', `/api/variants/${post.variants[0]!.id}/retry`),
    ]) {
      expect({ status: answer.status, code: answer.body.error.code }).toEqual({ status: 403, code: 'forbidden' });
      expect(answer.body.error.message).toContain('posts:publish');
    }
    expect((await api.cancelPost(post.id)).variants.every(({ status }) => status === 'cancelled')).toBe(true);
  });

  test('creates no Post before its Member has verified the e-mail address', async () => {
    const { memberId } = await crier
      .admin()
      .call('members.add', { workspaceId: ours.workspaceId, email: 'new@example.test', name: 'New' });
    const { apiKey } = await crier
      .admin()
      .call('keys.create', { workspaceId: ours.workspaceId, memberId, name: "new one's", permissions: [] });
    const api = crier.api(apiKey);
    const before = await api.listPosts();
    expect((await api.send('POST', '/api/posts', scheduled('unverified'))).body.error.code).toBe('email_not_verified');
    expect(await api.listPosts()).toEqual(before);
    await crier.admin().call('members.verifyEmail', { workspaceId: ours.workspaceId, memberId });
    expect((await api.createPost(scheduled('verified'))).text).toBe('verified');
  });

  test.concurrent.each(['a revoked key', "a removed Member's key"])(
    '%s changes nothing any more at once, and reads nothing after 5 s',
    async (which) => {
      const { memberId } = await crier.admin().call('members.add', {
        workspaceId: ours.workspaceId,
        email: `${which.replaceAll(/\W/g, '')}@example.test`,
        name: which,
      });
      await crier.admin().call('members.verifyEmail', { workspaceId: ours.workspaceId, memberId });
      const { keyId, apiKey } = await crier
        .admin()
        .call('keys.create', { workspaceId: ours.workspaceId, memberId, name: which, permissions: [] });
      const api = crier.api(apiKey);
      const post = await api.createPost(scheduled(`before: ${which}`));
      if (which === 'a revoked key') await crier.admin().call('keys.revoke', { workspaceId: ours.workspaceId, keyId });
      else await crier.admin().call('members.remove', { workspaceId: ours.workspaceId, memberId });
      const from = performance.now();
      for (const answer of [
        await api.send('POST', '/api/posts', scheduled(`after: ${which}`)),
        await api.send('POST', `/api/posts/${post.id}/cancel`),
      ]) {
        expect([401, 403], JSON.stringify(answer.body)).toContain(answer.status);
      }
      // By when each request was sent: a busy machine may take its time to answer it.
      let lastReadMs = 0;
      const readsNothing = async (): Promise<boolean> => {
        const sentMs = performance.now() - from;
        const { status } = await api.send('GET', '/api/posts');
        if (status === 200) lastReadMs = sentMs;
        return status === 401;
      };
      await until(readsNothing, { what: 'reading nothing', withinMs: 90_000, everyMs: 50 });
      expect(lastReadMs).toBeLessThanOrEqual(5_000);
      expect((await crier.api(ours.apiKey).getPost(post.id)).variants.map(({ status }) => status)).toEqual([
        'scheduled',
        'scheduled',
      ]);
      expect((await crier.api(ours.apiKey).listPosts()).filter(({ text }) => text.startsWith('after'))).toEqual([]);
    },
  );

  test.each(['a revoked key', "a removed Member's key"])(
    '%s causes no delivery any more: neither by a test event nor by a replay',
    async (which) => {
      const { workspaceId } = ours;
      const admin = crier.admin();
      const standing = crier.api(ours.apiKey);
      const path = `hooks-${which.replaceAll(/\W/g, '')}`;
      const delivered = () =>
        trusted.receiver.requests.filter((request) => request.method === 'POST' && request.path === `/${path}`).length;
      const { id } = (
        await standing.send('POST', '/api/webhooks', { url: trusted.receiver.url + path, events: ['variant.failed'] })
      ).body.data;
      const first = (await standing.send('POST', `/api/webhooks/${id}/test`)).body.data;
      await until(() => delivered() === 1, { what: 'the first test event delivered' });
      const { memberId } = await admin.call('members.add', { workspaceId, email: `${path}@example.test`, name: which });
      const { keyId, apiKey } = await admin.call('keys.create', {
        workspaceId,
        memberId,
        name: which,
        permissions: ['webhooks:manage'],
      });
      expect((await crier.api(apiKey).send('GET', '/api/webhooks')).status).toBe(200);
      if (which === 'a revoked key') await admin.call('keys.revoke', { workspaceId, keyId });
      else await admin.call('members.remove', { workspaceId, memberId });
      for (const asked of ['test', `deliveries/${first.id}/replay`]) {
        const { status, body } = await crier.api(apiKey).send('POST', `/api/webhooks/${id}/${asked}`);
        expect([status, body.error?.code], asked).toEqual([401, 'unauthorized']);
      }
      expect((await standing.send('POST', `/api/webhooks/${id}/deliveries/${first.id}/replay`)).body.data.eventId).toBe(
        first.eventId,
      );
      await until(() => delivered() >= 2, { what: 'the replay of a valid key delivered' });
      expect(delivered()).toBe(2);
      expect((await standing.send('DELETE', `/api/webhooks/${id}`)).status).toBe(204);
    },
  );

  test("has it for one Workspace: a value that two are given at once, and again after a kill, opens the first one's Channels alone", async () => {
    const both = [await foundWorkspace(crier, 'one of two'), await foundWorkspace(crier, 'two of two')];
    const apiKey = `crier_${'v'.repeat(43)}`;
    const give = ({ workspaceId, memberId }: TestWorkspace) =>
      crier.admin().call('keys.create', { workspaceId, memberId, name: 'the same', apiKey });
    const ended = await Promise.allSettled(both.map(give));
    const taker = both.filter((_, index) => ended[index]!.status === 'fulfilled');
    expect(taker).toHaveLength(1);
    const other = both.find((each) => each !== taker[0])!;
    await crier.restart('kill');
    await expect(give(other)).rejects.toMatchObject({
      answer: { status: 409, body: { error: { data: { reason: 'key_taken' } } } },
    });
    expect((await crier.api(apiKey).channels()).map(({ id }) => id).toSorted()).toEqual(
      Object.values(taker[0]!.channels).toSorted(),
    );
  });

  test('that sends the same Post within 10 minutes gets the first one, also after a kill; later it makes a second', async () => {
    const body = scheduled('the same');
    const first = await crier.api(ours.apiKey).createPost(body);
    await crier.restart('kill');
    const again = await crier.api(ours.apiKey).send('POST', '/api/posts', body);
    expect({
      status: again.status,
      id: again.body.data.id,
      replayed: again.headers.get('idempotent-replayed'),
    }).toEqual({ status: 201, id: first.id, replayed: 'true' });
    await crier.admin().advance(11 * 60_000);
    expect((await crier.api(ours.apiKey).createPost(body)).id).not.toBe(first.id);
  });

  test('that sends an Idempotency-Key again gets the first Post for a day, also after a kill; with another body it is refused', async () => {
    const headers = { 'idempotency-key': 'once' };
    const { now } = await crier.admin().call('system.status');
    const body = { ...scheduled('by key'), scheduledAt: new Date(Date.parse(now) + 48 * 3_600_000).toISOString() };
    const first = await crier.api(ours.apiKey).createPost(body, { headers });
    await crier.restart('kill');
    await crier.admin().advance(23 * 3_600_000);
    expect((await crier.api(ours.apiKey).createPost(body, { headers })).id).toBe(first.id);
    const other = await crier.api(ours.apiKey).send('POST', '/api/posts', { ...body, text: 'another' }, { headers });
    expect({ status: other.status, code: other.body.error.code }).toEqual({
      status: 422,
      code: 'idempotency_key_reused',
    });
  });

  test('is served at an address from which strangers ask too much, whichever door they ask at', async () => {
    const { baseUrl } = crier.ready;
    const strangerAt = async (path: string) => (await fetch(baseUrl + path)).status;
    /** The requests it takes until one is refused. */
    const refusedAfter = async (path: string, atMost: number) => {
      for (let asked = 1; asked <= atMost; asked++) if ((await strangerAt(path)) === 429) return asked;
      return Infinity;
    };
    expect(await refusedAfter('/sign-in', 1_000)).toBeGreaterThan(50);
    // What a slow machine's time gives back meanwhile is used up by a few.
    for (const path of ['/sign-in', '/api/channels', '/oauth/authorize', '/app/trpc/session.get'])
      expect(await refusedAfter(path, 20), path).toBeLessThanOrEqual(20);
    expect((await crier.api(ours.apiKey).send('GET', '/api/channels')).status).toBe(200);
    expect(await crier.admin().metric('crier_strangers_refused_total{door="sign-in"}')).toBeGreaterThan(0);
  });
});

test('a key may make 60 requests in a minute, also over a kill; then 429 says when to try again, and other keys are not limited', async () => {
  await using crier = await CrierUnderTest.start();
  const ours = await foundWorkspace(crier, 'limited');
  const other = await foundWorkspace(crier, 'unhurried');
  const ask = (apiKey = ours.apiKey) => crier.api(apiKey).send('GET', '/api/channels');
  const first = await ask();
  expect(
    Object.fromEntries(['limit', 'remaining'].map((name) => [name, first.headers.get(`ratelimit-${name}`)])),
  ).toEqual({ limit: '60', remaining: '59' });
  const together = await Promise.all(Array.from({ length: 29 }, () => ask()));
  expect(together.every(({ status }) => status === 200)).toBe(true);
  await crier.restart('kill');
  const rest = await Promise.all(Array.from({ length: 40 }, () => ask()));
  expect(rest.filter(({ status }) => status === 200)).toHaveLength(30);
  const refused = rest.find(({ status }) => status === 429)!;
  expect(refused.body.error.code).toBe('rate_limited');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect(refused.headers.get('ratelimit-remaining')).toBe('0');
  expect((await ask(other.apiKey)).status).toBe(200);
  await crier.admin().advance(60_000);
  expect((await ask()).status).toBe(200);
});
