import { expect, test } from 'vitest';
import { variantIdOf } from '#domain/post/ids.ts';
import { NETWORKS } from '#domain/network.ts';
import { FAILURE_REASONS, VARIANT_STATUSES } from '#schemas/http/variant-words.ts';
import * as answers from '#schemas/http/post-answers.ts';
import { openIngressHarness, openIngressWorld, START } from '../ingress-harness.fixture.ts';

const later = (minutes: number) => new Date(START + minutes * 60_000).toISOString();
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('a scheduled Post is created, read, listed and cancelled, in the shapes of the OpenAPI document', async () => {
  await using open = await openIngressWorld();
  const { harness, key, channels } = open;
  const created = await harness.call('POST', '/api/posts', {
    key,
    body: { text: 'Hello', channelIds: channels, scheduledAt: '2026-11-20T15:00:00+02:00' },
  });
  expect(created.status).toBe(201);
  const post = answers.Post.parse(created.body.data);
  expect(post).toMatchObject({
    text: 'Hello',
    createdAt: later(0),
    at: '2026-11-20T13:00:00.000Z',
    via: { kind: 'key', name: 'a key', by: 'Ada' },
    media: [],
  });
  expect(post.variants.map(({ channelId, status, scheduledAt }) => ({ channelId, status, scheduledAt }))).toEqual(
    channels.map((channelId) => ({ channelId, status: 'scheduled', scheduledAt: '2026-11-20T13:00:00.000Z' })),
  );
  expect((await harness.call('GET', `/api/posts/${post.id}`, { key })).body).toEqual({ data: post });
  expect((await harness.call('GET', `/api/posts/${post.id.toUpperCase()}`, { key })).body).toEqual({ data: post });
  expect((await harness.call('GET', '/api/posts', { key })).body).toEqual({ data: [post], nextCursor: null });
  const cancelled = await harness.call('POST', `/api/posts/${post.id}/cancel`, { key });
  expect(cancelled.status).toBe(200);
  expect(answers.Post.parse(cancelled.body.data).variants.map(({ status }) => status)).toEqual([
    'cancelled',
    'cancelled',
  ]);
  expect(await harness.call('POST', `/api/posts/${post.id}/cancel`, { key, body: {} })).toMatchObject({
    status: 409,
    body: { error: { code: 'not_cancellable' } },
  });
});

test('an immediate Post starts publishing', async () => {
  await using open = await openIngressWorld();
  const { harness, key, channels } = open;
  const { body } = await harness.call('POST', '/api/posts', { key, body: { text: 'Now', channelIds: channels } });
  expect(body.data).toMatchObject({
    at: later(0),
    variants: [{ status: 'publishing', scheduledAt: null }, { status: 'publishing' }],
  });
});

test('the same Post again returns the first one, marked by a header', async () => {
  await using open = await openIngressWorld();
  const { harness, key, channels } = open;
  const request = { key, body: { text: 'Twice', channelIds: channels, scheduledAt: later(60) } };
  const first = await harness.call('POST', '/api/posts', request);
  const second = await harness.call('POST', '/api/posts', request);
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body).toEqual(first.body);
  expect([first.headers.get('idempotent-replayed'), second.headers.get('idempotent-replayed')]).toEqual([null, 'true']);
});

test('an Idempotency-Key returns the first Post, and refuses another body', async () => {
  await using open = await openIngressWorld();
  const { harness, key, channels, clock } = open;
  const request = (text: string) => ({
    key,
    headers: { 'Idempotency-Key': 'order 66' },
    body: { text, channelIds: channels, scheduledAt: later(600) },
  });
  const first = await harness.call('POST', '/api/posts', request('One'));
  await clock.advance(30 * 60_000);
  expect((await harness.call('POST', '/api/posts', request('One'))).body.data.id).toBe(first.body.data.id);
  expect(await harness.call('POST', '/api/posts', request('Other'))).toMatchObject({
    status: 422,
    body: { error: { code: 'idempotency_key_reused' } },
  });
});

test('a refused Post names every Channel in its blockers', async () => {
  await using open = await openIngressWorld();
  const { harness, key, channels } = open;
  const { status, body } = await harness.call('POST', '/api/posts', {
    key,
    body: { text: 'bad', channelIds: channels, scheduledAt: later(60) },
  });
  expect(status).toBe(422);
  expect(body.error.code).toBe('post_refused');
  expect(body.error.blockers.map(({ channelId }: { channelId: string }) => channelId)).toEqual([...channels]);
});

test('validate judges everything at once and creates nothing', async () => {
  await using open = await openIngressWorld();
  const { harness, key, channels, scenario } = open;
  const fine = await harness.call('POST', '/api/posts/validate', {
    key,
    body: { text: 'Fine', channelIds: channels, scheduledAt: later(60) },
  });
  expect(fine).toMatchObject({ status: 200, body: { data: { ok: true, blockers: [], upgrade: null } } });
  const bad = await harness.call('POST', '/api/posts/validate', {
    key,
    body: { text: 'bad', channelIds: channels, scheduledAt: later(1) },
  });
  expect(answers.Verdict.parse(bad.body.data).ok).toBe(false);
  expect(bad.body.data.blockers.map(({ channelId }: { channelId?: string }) => channelId)).toEqual([
    undefined,
    ...channels,
  ]);
  expect(scenario.posts.size).toBe(0);
});

test('bulk judges each Post in its place', async () => {
  await using open = await openIngressWorld();
  const { harness, key, channels, scenario } = open;
  const good = { text: 'Good', channelIds: channels, scheduledAt: later(60) };
  const posts = [good, { ...good, text: 5 }, { ...good, text: 'bad' }, good, { ...good, text: 'Other' }];
  const { status, body } = await harness.call('POST', '/api/posts/bulk', { key, body: { posts } });
  expect(status).toBe(200);
  const items = body.data.map((item: unknown) => answers.BulkItem.parse(item));
  expect(items.map((item: { status: number }) => item.status)).toEqual([201, 400, 422, 201, 201]);
  expect(items[1]).toMatchObject({
    status: 400,
    error: { code: 'invalid_request', message: 'text must be a string.' },
  });
  expect(items[3].post.id).toBe(items[0].post.id);
  expect(scenario.posts.size).toBe(2);
});

test('bulk recognises a Post by its own idempotencyKey, whatever its text is now', async () => {
  await using open = await openIngressWorld();
  const { harness, key, channels, scenario } = open;
  const keyed = { text: 'Good', channelIds: channels, scheduledAt: later(60), idempotencyKey: 'row 1' };
  const bulk = async (...posts: object[]) =>
    (await harness.call('POST', '/api/posts/bulk', { key, body: { posts } })).body.data;
  const [first] = await bulk(keyed);
  expect(first).toMatchObject({ status: 201, post: { text: 'Good' } });
  expect(first.replayed).toBeUndefined();
  const repeated = await bulk(keyed, { ...keyed, text: 'Edited' }, { ...keyed, idempotencyKey: ' ' });
  expect(repeated[0]).toMatchObject({ status: 201, replayed: true, post: { id: first.post.id } });
  expect(repeated.slice(1).map(({ error }: { error: { code: string } }) => error.code)).toEqual([
    'idempotency_key_reused',
    'invalid_request',
  ]);
  expect(scenario.posts.size).toBe(1);
});

test('a dry run of bulk returns the result that each Post would have, and creates nothing', async () => {
  await using open = await openIngressWorld({}, []);
  const { harness, key, channels, scenario } = open;
  const posts = [
    { text: 'Good', channelIds: channels, scheduledAt: later(60) },
    { text: 'Now', channelIds: channels },
    { text: 'bad', channelIds: channels, scheduledAt: later(60) },
  ];
  const { body } = await harness.call('POST', '/api/posts/bulk?dryRun=true', { key, body: { posts } });
  expect(
    body.data.map(({ status, post, error }: { status: number; post?: null; error?: { code: string } }) => [
      status,
      post,
      error?.code,
    ]),
  ).toEqual([
    [200, null, undefined],
    [403, undefined, 'forbidden'],
    [422, undefined, 'post_refused'],
  ]);
  expect(scenario.posts.size).toBe(0);
});

test('a failed Variant is queued again, and its attempts can be read', async () => {
  await using open = await openIngressWorld();
  const { harness, key, channels, scenario, world } = open;
  const { body } = await harness.call('POST', '/api/posts', { key, body: { text: 'Now', channelIds: channels } });
  const id = body.data.variants[0].id;
  expect(await harness.call('POST', `/api/variants/${id}/retry`, { key })).toMatchObject({
    status: 409,
    body: { error: { code: 'not_retryable' } },
  });
  scenario.fail(body.data.id, 1);
  world.steps.set(id, [
    {
      attempt: 1,
      startedAt: START,
      finishedAt: START + 5,
      step: 'publish',
      outcome: 'failed',
      detail: 'No.',
      remoteId: null,
    },
  ]);
  const retried = await harness.call('POST', `/api/variants/${id}/retry`, { key });
  expect(retried.status).toBe(200);
  expect(answers.Variant.parse(retried.body.data)).toMatchObject({ id, failureReason: null, failureDetail: null });
  const attempts = await harness.call('GET', `/api/variants/${id}/attempts`, { key });
  expect(attempts.body.data.map((step: unknown) => answers.Attempt.parse(step))).toEqual([
    {
      attempt: 1,
      startedAt: later(0),
      finishedAt: '2026-11-20T12:00:00.005Z',
      step: 'publish',
      outcome: 'failed',
      detail: 'No.',
      remoteId: null,
    },
  ]);
});

test('channels and usage are those of the Workspace', async () => {
  await using open = await openIngressWorld();
  const { harness, key, channels, scenario } = open;
  scenario.must({ type: 'DisconnectChannel', channelId: channels[1], memberId: null });
  const listed = await harness.call('GET', '/api/channels', { key });
  expect(listed.body.data.map((channel: unknown) => answers.Channel.parse(channel))).toEqual([
    { id: channels[0], network: 'x', name: 'My x', avatarUrl: null, state: 'connected', canPostNow: true },
  ]);
  const usage = answers.Usage.parse((await harness.call('GET', '/api/usage', { key })).body.data);
  expect(usage).toMatchObject({
    plan: 'pro',
    used: { channels: 1, postsPerMonth: 0, members: 1 },
    period: { from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' },
  });
});

test('pages continue where the last one ended, whatever was written in between', async () => {
  await using open = await openIngressWorld();
  const { harness, key, channels } = open;
  const write = async (text: string) =>
    (await harness.call('POST', '/api/posts', { key, body: { text, channelIds: channels, scheduledAt: later(60) } }))
      .body.data.id as string;
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) ids.unshift(await write(`Post ${n}`));
  const first = await harness.call('GET', '/api/posts?limit=2', { key });
  await write('A newer one');
  const second = await harness.call('GET', `/api/posts?limit=2&cursor=${first.body.nextCursor}`, { key });
  const third = await harness.call('GET', `/api/posts?limit=500&cursor=${second.body.nextCursor}`, { key });
  const idsOf = (page: { body: { data: { id: string }[] } }) => page.body.data.map(({ id }) => id);
  expect([first, second, third].map(idsOf)).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]);
  expect(third.body.nextCursor).toBeNull();
});

test('a cursor is refused for another filter, Workspace or installation, and when altered', async () => {
  await using open = await openIngressWorld();
  const { harness, key, channels, world } = open;
  for (const text of ['One', 'Two'])
    await harness.call('POST', '/api/posts', { key, body: { text, channelIds: channels, scheduledAt: later(60) } });
  const cursor = (await harness.call('GET', '/api/posts?limit=1', { key })).body.nextCursor as string;
  const foreign = (await world.key(world.workspace())).apiKey;
  await using elsewhere = await openIngressHarness(world, { secret: 'the secret of another installation' });
  const flipped = `${cursor.slice(0, 5)}${cursor[5] === 'A' ? 'B' : 'A'}${cursor.slice(6)}`;
  const refused = [
    await harness.call('GET', `/api/posts?cursor=${cursor}&from=2026-01-01T00:00:00Z`, { key }),
    await harness.call('GET', `/api/posts?cursor=${cursor}`, { key: foreign }),
    await elsewhere.call('GET', `/api/posts?cursor=${cursor}`, { key }),
    await harness.call('GET', `/api/posts?cursor=${flipped}`, { key }),
    await harness.call('GET', '/api/posts?cursor=', { key }),
  ];
  expect(refused.map(({ status, body }) => [status, body.error.code])).toEqual(
    refused.map(() => [400, 'invalid_request']),
  );
});

test('from and to take any zone, and an unescaped plus', async () => {
  await using open = await openIngressWorld();
  const { harness, key, channels } = open;
  await harness.call('POST', '/api/posts', {
    key,
    body: { text: 'One', channelIds: channels, scheduledAt: later(60) },
  });
  const count = async (query: string) => (await harness.call('GET', `/api/posts?${query}`, { key })).body.data.length;
  expect(await count('from=2026-11-20T14:30:00+02:00')).toBe(1);
  expect(await count('from=2026-11-20T15:30:00%2B02:00')).toBe(0);
  expect(await count('to=2026-11-20T12:00:00Z')).toBe(0);
  expect(await count('from=2026-11-21T12:00:00Z&to=2026-11-20T12:00:00Z')).toBe(0);
});

test('ids of another Workspace are not found, and nothing of it changes', async () => {
  await using open = await openIngressWorld();
  const { harness, key, channels, world, scenario } = open;
  const { body } = await harness.call('POST', '/api/posts', {
    key,
    body: { text: 'Mine', channelIds: channels, scheduledAt: later(60) },
  });
  const foreign = (await world.key(world.workspace())).apiKey;
  const id = body.data.id as string;
  const paths: [string, string][] = [
    ['GET', `/api/posts/${id}`],
    ['POST', `/api/posts/${id}/cancel`],
    ['POST', `/api/variants/${variantIdOf(id, 1)}/retry`],
    ['GET', `/api/variants/${variantIdOf(id, 1)}/attempts`],
  ];
  for (const [method, path] of paths)
    expect(await harness.call(method, path, { key: foreign })).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
  const refused = await harness.call('POST', '/api/posts', {
    key: foreign,
    body: { text: 'x', channelIds: channels, scheduledAt: later(60) },
  });
  expect(refused.body.error).toMatchObject({
    code: 'post_refused',
    blockers: channels.map((channelId) => ({ channelId, code: 'problem' })),
  });
  expect(scenario.postOf(id).variants.map(({ status }) => status)).toEqual(['scheduled', 'scheduled']);
});

test('ids of Posts are version 7, and every answer names its request', async () => {
  await using open = await openIngressWorld();
  const { body, headers } = await open.harness.call('POST', '/api/posts', {
    key: open.key,
    body: { text: 'One', channelIds: open.channels },
  });
  expect(body.data.id).toMatch(UUID);
  expect(headers.get('x-request-id')).toMatch(UUID);
});

test('a line about a request names its Post and the request as its client does; the command has an id of our own', async () => {
  await using open = await openIngressWorld();
  const sent = { text: 'Named', channelIds: open.channels };
  const created = await open.harness.call('POST', '/api/posts', {
    ...{ key: open.key, body: sent, headers: { 'x-request-id': 'theirs-1' } },
  });
  const postId = created.body.data.id;
  expect(created.headers.get('x-request-id')).toBe('theirs-1');
  await open.harness.call('GET', `/api/posts/${postId}`, { key: open.key, headers: { 'x-request-id': 'no good' } });
  await open.harness.call('GET', `/api/variants/${created.body.data.variants[0].id}/attempts`, { key: open.key });
  await open.harness.call('GET', '/api/channels', { key: open.key });
  const served = open.harness.reporter.of('request-served').map(({ facts }) => facts);
  expect(served).toMatchObject([
    { requestId: 'theirs-1', commandId: expect.stringMatching(UUID), postId },
    { requestId: expect.stringMatching(UUID), commandId: null, clientRequestId: 'no good', postId },
    { requestId: expect.stringMatching(UUID), commandId: null, clientRequestId: null, postId },
    { operation: 'list-channels', postId: null },
  ]);
});

test('the OpenAPI document and the domain have the same names', () => {
  expect(answers.Network.options).toEqual([...NETWORKS]);
  expect(answers.Variant.shape.status.options).toEqual([...VARIANT_STATUSES]);
  expect(answers.Variant.shape.failureReason.unwrap().options).toEqual([...FAILURE_REASONS]);
});

test('a published Variant of youtube shows its figures, alone and in the list; others have none', async () => {
  const figures = {
    views: 1,
    likes: 2,
    comments: 3,
    shares: 4,
    minutesWatched: 5,
    averageViewDuration: 6,
    averageViewPercentage: 7.5,
    subscribersGained: 8,
  };
  const metrics = { ...figures, days: [{ day: '2026-11-20', ...figures }] };
  await using open = await openIngressWorld();
  const { harness, key, world, scenario } = open;
  const [film, words] = [world.channel(scenario, 'youtube'), open.channels[1]];
  const { body } = await harness.call('POST', '/api/posts', {
    key,
    body: { text: 'A film', channelIds: [film, words], channelOptions: { [film]: { youtube: { title: 'A film' } } } },
  });
  const { id, variants } = body.data;
  world.metrics.set(id, new Map([[variants[0].id, metrics]]));
  const shown = async () => {
    const [alone, list] = [
      await harness.call('GET', `/api/posts/${id}`, { key }),
      await harness.call('GET', '/api/posts', { key }),
    ];
    expect(list.body.data).toEqual([alone.body.data]);
    return answers.Post.parse(alone.body.data).variants.map((variant) => variant.metrics);
  };
  expect(await shown()).toEqual([null, null]);
  scenario.succeed(id, 1);
  scenario.succeed(id, 2);
  expect(await shown()).toEqual([metrics, null]);
});
