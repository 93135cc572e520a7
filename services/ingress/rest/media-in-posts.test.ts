import { describe, expect, test } from 'vitest';
import { until } from '#testing/until.ts';
import { openIngressWorld, START } from '../ingress-harness.fixture.ts';
import type { InspectAddress } from '#use-cases/dependencies.ts';

const FOUND = { contentType: 'image/jpeg', bytes: 1_000, problem: null } as const;
const GONE = { contentType: null, bytes: null, problem: 'It answered 404.' } as const;
const scheduledAt = new Date(START + 3_600_000).toISOString();

/** A world whose internet has pictures where addresses end in .jpg, and the addresses that were requested. */
async function opened(answer: InspectAddress = async (url) => (url.endsWith('.jpg') ? FOUND : GONE)) {
  const asked: string[] = [];
  const world = await openIngressWorld({
    inspectAddress: async (url, signal) => (asked.push(url), answer(url, signal)),
  });
  const channelId = world.world.channel(world.scenario, 'threads');
  const post = (media: readonly unknown[], text = 'Look') => ({ text, channelIds: [channelId], scheduledAt, media });
  return { ...world, asked, post };
}

test('a Post has the file of an address, shown once it is fetched', async () => {
  await using world = await opened();
  const { status, body } = await world.harness.call('POST', '/api/posts', {
    key: world.key,
    body: world.post([{ url: 'https://a.test/b.jpg', altText: 'A cat' }]),
  });
  expect([status, body.data.media]).toEqual([
    201,
    [{ id: expect.any(String), kind: 'image', altText: 'A cat', url: null }],
  ]);
  expect(body.data.variants[0]).toMatchObject({ status: 'scheduled', mediaReady: false });
});

test('an address without a usable file is refused at once with a reason, and is a blocker of validate', async () => {
  await using world = await opened();
  const refused = world.post([{ url: 'https://a.test/b.jpg' }, { url: 'https://a.test/gone' }]);
  const { status, body } = await world.harness.call('POST', '/api/posts', { key: world.key, body: refused });
  expect([status, body.error]).toMatchObject([
    422,
    { code: 'media_unacceptable', message: 'media[1]: It answered 404.' },
  ]);
  const judged = await world.harness.call('POST', '/api/posts/validate', { key: world.key, body: refused });
  expect(judged.body.data).toMatchObject({
    ok: false,
    blockers: [{ code: 'problem', message: 'media[1]: It answered 404.', path: 'media.1' }],
  });
});

test('the same Post again returns the first one, though its address has failed since', async () => {
  let answer: Awaited<ReturnType<InspectAddress>> = FOUND;
  await using world = await opened(async () => answer);
  const create = () =>
    world.harness.call('POST', '/api/posts', { key: world.key, body: world.post([{ url: 'https://a.test/b.jpg' }]) });
  const first = await create();
  answer = GONE;
  const again = await create();
  expect([again.status, again.body.data.id, again.headers.get('idempotent-replayed')]).toEqual([
    201,
    first.body.data.id,
    'true',
  ]);
});

test('in bulk each address is requested once, and Posts keep their order', async () => {
  await using world = await opened();
  const posts = [
    world.post([{ url: 'https://a.test/b.jpg' }], 'one'),
    world.post([], 'two'),
    world.post([{ url: 'https://a.test/gone' }], 'three'),
    world.post([{ url: 'https://a.test/b.jpg' }], 'four'),
  ];
  const { body } = await world.harness.call('POST', '/api/posts/bulk', { key: world.key, body: { posts } });
  expect(body.data.map(({ status }: { status: number }) => status)).toEqual([201, 201, 422, 201]);
  expect(world.asked.toSorted()).toEqual(['https://a.test/b.jpg', 'https://a.test/gone']);
  const ids = [0, 1, 3].map((index) => body.data[index].post.id as string);
  expect(ids.toSorted()).toEqual(ids);
});

test('addresses that do not answer are abandoned before the request times out', async () => {
  await using world = await opened(() => new Promise(() => {}));
  const answered = world.harness.call('POST', '/api/posts', {
    key: world.key,
    body: world.post([{ url: 'https://a.test/b.jpg' }]),
  });
  await until(() => world.asked.length > 0, { what: 'the address asked' });
  await world.clock.advance(6_000);
  expect((await answered).body.error).toMatchObject({
    code: 'media_unacceptable',
    message: 'media[0]: The address did not answer in time.',
  });
});

test.each(['http://a.test/b.jpg', 'https://', 'ftp://a.test/b.jpg', 'a.jpg'])(
  '%s is no address, and no host is requested',
  async (url) => {
    await using world = await opened();
    const { status } = await world.harness.call('POST', '/api/posts', { key: world.key, body: world.post([{ url }]) });
    expect([status, world.asked]).toEqual([400, []]);
  },
);

describe('the address of a cover', () => {
  const film = { url: 'https://a.test/film.mp4' };
  const answers: InspectAddress = async (url) => {
    if (url.endsWith('.mp4')) return { contentType: 'video/mp4', bytes: 5_000, problem: null };
    return url.endsWith('.jpg') ? FOUND : GONE;
  };
  async function withPages() {
    const world = await opened(answers);
    const [page, tube] = (['facebook', 'youtube'] as const).map((network) =>
      world.world.channel(world.scenario, network),
    );
    const covered = (...covers: readonly string[]) => ({
      ...world.post([film]),
      channelIds: [page, tube],
      channelOptions: Object.fromEntries(covers.map((url, index) => [[page, tube][index]!, { cover: { url } }])),
    });
    return { ...world, covered };
  }

  test('is inspected like those of files, once for all Channels that name it', async () => {
    await using world = await withPages();
    const { status, body } = await world.harness.call('POST', '/api/posts', {
      key: world.key,
      body: world.covered('https://a.test/c.jpg', 'https://a.test/c.jpg#2'),
    });
    expect([status, body.data?.media.length]).toEqual([201, 1]);
    expect(world.asked.toSorted()).toEqual(['https://a.test/c.jpg', film.url]);
    const { channelOptions } = world.scenario.postOf(body.data.id);
    const ids = Object.values(channelOptions).map(({ cover }) => cover?.inspected?.assetId);
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  });

  test.each([
    ['https://a.test/gone', 'It answered 404.'],
    ['https://a.test/other.mp4', 'A cover is a picture.'],
  ])('%s without a picture is refused, is a blocker of validate, and refuses its Post in bulk', async (url, words) => {
    await using world = await withPages();
    const body = world.covered(url);
    const created = await world.harness.call('POST', '/api/posts', { key: world.key, body });
    expect([created.status, created.body.error]).toMatchObject([
      422,
      { code: 'media_unacceptable', message: expect.stringContaining(`cover: ${words}`) },
    ]);
    const judged = await world.harness.call('POST', '/api/posts/validate', { key: world.key, body });
    expect(judged.body.data).toMatchObject({ ok: false, blockers: [{ message: expect.stringContaining(words) }] });
    const posts = [body, world.covered('https://a.test/c.jpg')];
    const bulk = await world.harness.call('POST', '/api/posts/bulk', { key: world.key, body: { posts } });
    expect(bulk.body.data.map(({ status }: { status: number }) => status)).toEqual([422, 201]);
  });
});
