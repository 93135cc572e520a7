import { describe, expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { TOOLS } from '#schemas/http/tools.ts';
import { OUTCOME_UNKNOWN } from '#use-cases/outcome.ts';
import { PortError } from '#ports/errors.ts';
import { until } from '#testing/until.ts';
import { IngressWorld, openIngressHarness, START } from '../ingress-harness.fixture.ts';
import { call, legacy, modern, openMcpWorld } from './mcp-harness.fixture.ts';
import { toolResultOf } from './tool-result.ts';

const later = (minutes: number) => new Date(START + minutes * 60_000).toISOString();
const SOME_ID = '01a20000-0000-7000-8000-000000000000';

test('all eight tools are listed, whatever the token holds', async () => {
  await using open = await openMcpWorld({}, ['posts:schedule']);
  for (const as of [modern, legacy]) {
    const { body } = await open.post(as('tools/list'));
    expect(body.result.tools.map(({ name }: { name: string }) => name)).toEqual(TOOLS.map(({ name }) => name));
  }
});

test('a Post is scheduled, read, listed and cancelled', async () => {
  await using open = await openMcpWorld();
  const { channels, tool } = open;
  const listed = await tool('list_channels');
  expect(listed.structuredContent.channels.map(({ id }: { id: string }) => id)).toEqual(channels);
  const sent = { text: 'Hello', channelIds: channels, scheduledAt: later(60) };
  const { structuredContent: scheduled } = await tool('schedule_post', sent);
  expect(scheduled).toMatchObject({ replayed: false, post: { text: 'Hello', at: later(60) } });
  const { id: postId } = scheduled.post;
  expect((await tool('schedule_post', sent)).structuredContent).toMatchObject({ replayed: true, post: { id: postId } });
  expect((await tool('get_post', { postId })).structuredContent.post.id).toBe(postId);
  expect((await tool('list_posts')).structuredContent).toMatchObject({ posts: [{ id: postId }], nextCursor: null });
  const { structuredContent: cancelled } = await tool('cancel_post', { postId });
  expect(cancelled.post.variants.map(({ status }: { status: string }) => status)).toEqual(['cancelled', 'cancelled']);
});

test('what an app posts says which app it was, and by whom', async () => {
  await using open = await openMcpWorld();
  const { structuredContent } = await open.tool('publish_now', { text: 'Now', channelIds: open.channels });
  const [member] = Object.values(open.scenario.workspace.members);
  expect(structuredContent.post.via).toEqual({ kind: 'app', name: 'An assistant', by: member!.name });
});

test('a picture is uploaded, completed and posted', async () => {
  await using open = await openMcpWorld();
  const content = Buffer.from('a picture, or so it is said');
  const { structuredContent: upload } = await open.tool('create_media_upload', {
    filename: 'a.png',
    contentType: 'image/png',
    bytes: content.length,
  });
  const { pathname, search } = new URL(upload.uploadUrl);
  const put = await open.harness.call('PUT', pathname + search, {
    body: content,
    headers: { 'Content-Type': 'image/png' },
  });
  expect(put.status).toBe(204);
  const { assetId } = upload;
  expect((await open.tool('complete_media_upload', { assetId })).structuredContent).toMatchObject({
    assetId,
    kind: 'image',
  });
  const posted = await open.tool('publish_now', { text: 'Look', channelIds: open.channels, media: [{ assetId }] });
  expect(posted.structuredContent.post.media).toMatchObject([{ id: assetId }]);
});

test('text and structured content say the same, of results and of refusals', async () => {
  await using open = await openMcpWorld();
  for (const [name, sent] of [
    ['list_channels', {}],
    ['get_post', { postId: SOME_ID }],
  ] as const) {
    const { content, structuredContent } = await open.tool(name, sent);
    expect(JSON.parse(content[0].text)).toEqual(structuredContent);
  }
});

describe('arguments that break the schema are a result that names the field', () => {
  test.each([
    ['get_post', {}, /^postId is missing/],
    ['get_post', { postId: 'x' }, /^postId must be a UUID/],
    ['get_post', { postId: SOME_ID, colour: 'red' }, /^colour is not a known field/],
    ['list_posts', { limit: 101 }, /^limit must be a whole number from 1 to 100/],
    ['list_posts', { limit: '20' }, /^limit must be a whole number/],
    ['list_posts', { from: '2026-05-01T09:00:00' }, /^from must be a real ISO 8601/],
    ['list_posts', { cursor: 'forged' }, /^cursor is not one/],
    ['schedule_post', { channelIds: [SOME_ID] }, /^scheduledAt is missing.*publish_now/],
    [
      'publish_now',
      { channelIds: [SOME_ID], scheduledAt: later(60) },
      /^scheduledAt is not a known field.*schedule_post/,
    ],
    ['publish_now', { channelIds: [SOME_ID], channelOptions: { x: {} } }, /^channelOptions/],
    ['list_channels', { colour: 'red' }, /^colour is not a known field/],
  ])('%s %j', async (name, sent, said) => {
    await using open = await openMcpWorld();
    const { isError, structuredContent } = await open.tool(name, sent);
    expect(isError).toBe(true);
    expect(structuredContent.error).toEqual({
      code: 'invalid_request',
      message: expect.stringMatching(said),
      docUrl: `${open.harness.url}/developers/errors/invalid_request`,
    });
    expect(open.world.commands).toBe(0);
  });
});

test('a refusal is a result with REST’s error and words that say what to do', async () => {
  await using open = await openMcpWorld();
  const { harness, world, scenario, channels } = open;
  const { token: key } = await world.app(scenario, { resource: `${harness.url}/api` });
  const bad = { text: '', channelIds: channels, scheduledAt: later(60) };
  const { isError, structuredContent, content } = await open.tool('schedule_post', bad);
  expect(isError).toBe(true);
  expect(structuredContent).toEqual((await harness.call('POST', '/api/posts', { key, body: bad })).body);
  expect(structuredContent.error.blockers).toMatchObject([{ path: 'text' }, { path: 'text' }]);
  expect(content[1].text).toMatch(/blockers/);
  const early = await open.tool('schedule_post', { ...bad, text: 'Hello', scheduledAt: later(1) });
  expect(early.structuredContent.error.code).toBe('too_early');
});

test('what to do about an upload is not looked for in lists that have no uploads', async () => {
  await using open = await openMcpWorld();
  const unknown = await open.tool('complete_media_upload', { assetId: SOME_ID });
  expect(unknown.content[1].text).toMatch(/create_media_upload/);
  const lost = { ok: false, problem: OUTCOME_UNKNOWN } as const;
  const { content } = toolResultOf('complete_media_upload', lost, open.harness.url);
  expect(content[1]).toMatchObject({ text: expect.stringContaining('Call the tool again') });
  for (const { text } of [unknown.content[1], content[1] as { text: string }]) expect(text).not.toContain('list_');
});

test('a tool that is not known is a JSON-RPC error', async () => {
  await using open = await openMcpWorld();
  for (const as of [modern, legacy]) {
    for (const name of ['delete_everything', 'constructor', '__proto__']) {
      const { status, body } = await open.post(as(...call(name)));
      expect([name, status, body.error.code]).toEqual([name, 200, -32_602]);
    }
  }
});

test('nothing of another Workspace is reached by its ids', async () => {
  await using open = await openMcpWorld();
  const { world, harness, channels, scenario } = open;
  const other = world.workspace();
  const theirs = world.channel(other, 'x');
  const { token } = await world.app(other, { resource: open.resource });
  const { structuredContent: made } = await open.tool('schedule_post', {
    text: 'Ours',
    channelIds: channels,
    scheduledAt: later(60),
  });
  const upload = { filename: 'a.png', contentType: 'image/png', bytes: 3 };
  const { assetId } = (await open.tool('create_media_upload', upload)).structuredContent;
  await open.tool('schedule_post', { text: 'Ours, too', channelIds: channels, scheduledAt: later(90) });
  const { nextCursor: cursor } = (await open.tool('list_posts', { limit: 1 })).structuredContent;
  expect(cursor).toMatch(/./);
  const before = JSON.stringify(scenario.state);
  const postId = made.post.id;
  for (const [name, sent, code] of [
    ['get_post', { postId }, 'not_found'],
    ['cancel_post', { postId }, 'not_found'],
    ['complete_media_upload', { assetId }, 'not_found'],
    ['list_posts', { cursor }, 'invalid_request'],
    [
      'schedule_post',
      { text: 'A file', channelIds: [theirs], media: [{ assetId }], scheduledAt: later(60) },
      'media_unavailable',
    ],
    ['publish_now', { text: 'Theirs', channelIds: channels }, 'post_refused'],
    ['schedule_post', { text: 'Theirs', channelIds: channels, scheduledAt: later(60) }, 'post_refused'],
    ['publish_now', { text: 'x', channelIds: [theirs], media: [{ assetId }] }, 'media_unavailable'],
  ] as const) {
    const { structuredContent } = await open.tool(name, sent, token);
    expect([name, structuredContent.error?.code]).toEqual([name, code]);
  }
  expect((await open.tool('list_posts', {}, token)).structuredContent.posts).toEqual([]);
  expect(JSON.stringify(scenario.state)).toBe(before);
  expect(harness.reporter.failures()).toEqual([]);
});

test('a list has 20 Posts a page unless it is told otherwise, and no figures', async () => {
  await using open = await openMcpWorld();
  const { channels, tool, world } = open;
  for (let index = 0; index < 21; index++) {
    // Of x there are too few credits for so many.
    await tool('schedule_post', { text: `Post ${index}`, channelIds: [channels[1]], scheduledAt: later(60 + index) });
  }
  const { posts, nextCursor } = (await tool('list_posts')).structuredContent;
  expect(posts).toHaveLength(20);
  expect(JSON.stringify(posts)).not.toContain('metrics');
  const rest = (await tool('list_posts', { cursor: nextCursor })).structuredContent;
  expect([rest.posts.length, rest.nextCursor]).toEqual([1, null]);
  expect((await tool('get_post', { postId: posts[0].id })).structuredContent.post.variants[0]).toHaveProperty(
    'metrics',
  );
  expect(world.commands).toBe(21);
});

test('an engine that is away is a result that says when to try again', async () => {
  const down = () => Promise.reject(new PortError('unavailable', 'the store with its secret address is away'));
  await using open = await openMcpWorld({ posts: { read: down, list: down } });
  const { isError, structuredContent, content } = await open.tool('list_posts');
  expect([isError, structuredContent.error.code]).toEqual([true, 'unavailable']);
  expect(content[1].text).toMatch(/Try again in 5 seconds/);
  expect(JSON.stringify([structuredContent, content])).not.toContain('secret address');
});

test('the calls of a batch are commands of their own', async () => {
  await using open = await openMcpWorld();
  const schedule = (text: string, id: number) =>
    legacy(...call('schedule_post', { text, channelIds: open.channels, scheduledAt: later(60) }), id).body;
  const { status, body } = await open.post({ body: [schedule('One', 1), schedule('Two', 2)] });
  expect(status).toBe(200);
  expect(body.map(({ result }: any) => result.structuredContent.post.text).toSorted()).toEqual(['One', 'Two']);
  expect(open.scenario.posts.size).toBe(2);
});

test('every call is reported by its tool and outcome, and nothing secret with it', async () => {
  await using open = await openMcpWorld();
  await open.tool('list_channels');
  await open.tool('get_post', { postId: SOME_ID });
  await open.post(modern(...call('delete_everything')));
  await open.post(modern('tools/list'), { key: 'b'.repeat(43) });
  const { reporter } = open.harness;
  expect(reporter.of('tool-called').map(({ facts }) => [facts['tool'], facts['outcome']])).toEqual([
    ['list_channels', 'ok'],
    ['get_post', 'not_found'],
  ]);
  expect(reporter.of('tool-called')[0]!.facts).toMatchObject({ approvalId: open.approvalId });
  expect(reporter.of('mcp-refused').map(({ facts }) => facts['reason'])).toEqual(['token_unknown']);
  const reported = JSON.stringify(reporter.events);
  expect(reported).not.toContain(open.token);
  expect(reported).not.toContain('b'.repeat(43));
});

describe('a list of long Posts', () => {
  const LONG = '長'.repeat(60_000);

  async function openLong(posts: number) {
    const open = await openMcpWorld();
    const channelId = open.world.channel(open.scenario, 'facebook');
    for (let post = 0; post < posts; post++) {
      open.scenario.now += 1_000;
      const scheduledAt = START + 86_400_000;
      open.scenario.post({ channelIds: [channelId], text: `${post} ${LONG}`, scheduledAt });
    }
    return open;
  }

  test('has short pages, by their bytes too, and each Post once', async () => {
    await using open = await openLong(12);
    const listed: string[] = [];
    const pages: number[] = [];
    for (let cursor: string | null = null; pages.length === 0 || cursor !== null;) {
      const { structuredContent, content } = await open.tool('list_posts', {
        limit: 12,
        ...(cursor !== null && { cursor }),
      });
      pages.push(Buffer.byteLength(content[0].text));
      listed.push(...structuredContent.posts.map(({ id }: { id: string }) => id));
      cursor = structuredContent.nextCursor;
    }
    expect(new Set(listed).size).toBe(12);
    expect(listed).toHaveLength(12);
    for (const bytes of pages) expect(bytes).toBeLessThan(600_000);
  });

  test('waits for the turn of its Workspace, as lists of REST do', async () => {
    const held: (() => void)[] = [];
    let most = 0;
    const clock = createMemoryClock(START);
    const world = new IngressWorld(clock);
    const { posts } = world.readers();
    const list: typeof posts.list = async (...asked) => {
      most = Math.max(most, held.length + 1);
      await new Promise<void>((resolve) => held.push(resolve));
      return posts.list(...asked);
    };
    await using harness = await openIngressHarness(world, { posts: { ...posts, list } });
    const { token: key } = await world.app(world.workspace(), { resource: `${harness.url}/mcp` });
    const headers = { Accept: 'application/json, text/event-stream' };
    const asked = legacy(...call('list_posts'));
    let isOver = false;
    const answers = Promise.all(
      Array.from({ length: 12 }, () =>
        harness.call('POST', '/mcp', { key, body: asked.body, headers: { ...headers, ...asked.headers } }),
      ),
    ).finally(() => (isOver = true));
    await until(() => held.length === 4, { what: 'as many lists under way as may be' });
    while (!isOver) {
      await until(() => isOver || held.length > 0, { what: 'a list under way' });
      held.shift()?.();
    }
    expect([most, ...(await answers).map(({ status }) => status)]).toEqual([4, ...Array(12).fill(200)]);
  });
});
