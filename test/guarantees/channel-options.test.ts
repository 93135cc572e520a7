import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Network } from '#domain/network.ts';
import type { ItemJson, PostJson } from '#testing/crier-clients.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { MEDIA_FIXTURES, type FixtureName } from '#testing/media-fixtures.ts';
import { until } from '#testing/until.ts';
import { fileOf, published, upload, type MediaPostJson } from './media-files.ts';

/** What each Network is asked for, of all that it offers. Covers are pictures of their own, and not among these. */
type Asked = Readonly<Partial<Record<Network, Readonly<Record<string, unknown>>>>>;

let crier: CrierUnderTest;
let channels: Readonly<Record<Network, string>>;
/** What the account at youtube may choose from. */
let playlists: readonly string[];
let categories: readonly string[];

beforeAll(async () => {
  crier = await CrierUnderTest.start({
    name: 'options',
    env: { CRIER_REQUESTS_PER_MINUTE: '0', CRIER_NETWORK_BUDGETS: 'off' },
  });
  channels = crier.ready.demo!.channels as Readonly<Record<Network, string>>;
  const { body } = await crier.api().send('GET', `/api/channels/${channels.youtube}/options`);
  const ids = (choices: readonly { readonly id: string }[]) => choices.map(({ id }) => id);
  [playlists, categories] = [ids(body.data.choices.playlists), ids(body.data.choices.categories)];
});
afterAll(() => crier?.[Symbol.asyncDispose]());

const fixture = (name: FixtureName) => {
  const { contentType, bytes } = MEDIA_FIXTURES[name];
  return upload(crier.api(), fileOf(contentType, Buffer.from(bytes)));
};

/** For a video. */
const ofVideo = (): Asked => ({
  facebook: { link: false },
  instagram: { collaborators: ['grace'], shareToFeed: false, userTags: [{ username: 'bob', x: 0.5, y: 0.25 }] },
  tiktok: {
    ...{ privacy: 'friends', allowComments: true, allowDuet: true, allowStitch: true },
    ...{ brandedContent: true, ownBrand: true, aiGenerated: true },
  },
  youtube: {
    ...{
      title: 'A title',
      privacy: 'unlisted',
      madeForKids: false,
      tags: ['cats', 'two words'],
      categoryId: categories[0]!,
    },
    ...{ playlistIds: [playlists[0]!], syntheticMedia: true, notifySubscribers: false },
  },
  x: { replySettings: 'mentioned', madeWithAi: true },
  threads: { topicTag: 'Cats', replyControl: 'followed' },
});

const byChannel = (asked: Readonly<Partial<Record<Network, object>>>) =>
  Object.fromEntries(Object.entries(asked).map(([network, options]) => [channels[network as Network], options]));

const seen = new Set<string>();

/** What of it is live: all that was not there when this was asked before. What few may see has no link. */
async function liveOf(post: PostJson): Promise<Readonly<Partial<Record<Network, ItemJson>>>> {
  const { variants } = await published(crier, post.id);
  const items = (await crier.sandbox().items()).filter(({ remoteId }) => !seen.has(remoteId));
  for (const { remoteId } of items) seen.add(remoteId);
  expect(items.map(({ network }) => network).toSorted()).toEqual(variants.map(({ network }) => network).toSorted());
  return Object.fromEntries(items.map((item) => [item.network, item]));
}

/** `stepMs`: how far time is moved between two looks. */
async function commented(postId: string, stepMs = 5_000): Promise<PostJson> {
  return until(
    async () => {
      const post = await crier.api().getPost(postId);
      if (post.variants.every(({ firstComment }) => firstComment?.status !== 'waiting')) return post;
      await crier.admin().advance(stepMs);
      return null;
    },
    { what: 'the comments came to an end', withinMs: 90_000, everyMs: 200 },
  );
}

test('every option of all six Networks reaches them as it was sent, with a text and a first comment by Channel', async () => {
  const asked = ofVideo();
  const texts: Partial<Record<Network, string>> = { x: 'For X', threads: 'For Threads', facebook: '' };
  const comments = ['facebook', 'instagram', 'youtube', 'x', 'threads'] as const;
  const sent = Object.fromEntries(
    (Object.keys(asked) as Network[]).map((network) => [
      network,
      {
        ...asked[network],
        ...(texts[network] === undefined ? {} : { text: texts[network] }),
        ...(network === 'tiktok' ? {} : { firstComment: `First on ${network}` }),
      },
    ]),
  );
  const body = {
    text: 'For the others',
    channelIds: Object.values(channels),
    media: [{ assetId: await fixture('reel') }],
    channelOptions: byChannel(sent),
  };
  const judged = await crier.api().send('POST', '/api/posts/validate', body);
  expect([judged.status, judged.body.data.blockers ?? []], JSON.stringify(judged.body)).toEqual([200, []]);

  await crier
    .api()
    .send('POST', '/api/webhooks', { url: 'https://inbox.sandbox/options', events: ['variant.published'] });
  const post = await crier.api().createPost(body);
  const live = await liveOf(post);
  for (const network of Object.keys(asked) as Network[]) {
    // A card is of a text. And the accounts that are marked in a reel have no place in it at instagram.
    const { link: _, ...expected } = asked[network] as Record<string, unknown>;
    const marked = network === 'instagram' ? { userTags: [{ username: 'bob' }] } : {};
    expect(live[network]!.options, network).toEqual({ ...expected, ...marked });
    expect(live[network]!.text, network).toBe(texts[network] ?? 'For the others');
  }
  expect(live.youtube!.title).toBe('A title');

  const read = await commented(post.id);
  const items = await crier.sandbox().items();
  for (const network of comments) {
    const { firstComment, permalink } = read.variants.find((variant) => variant.network === network)!;
    const item = items.find((each) => each.permalink === permalink)!;
    expect(item.comments.map(({ text }) => text)).toEqual([`First on ${network}`]);
    expect(firstComment).toMatchObject({ status: 'published', detail: null });
  }
  const shown = Object.fromEntries(read.variants.map(({ network, text }) => [network, text]));
  const none = { instagram: null, tiktok: null, youtube: null };
  expect(shown).toEqual({ ...none, ...texts });
  expect((await crier.api().listPosts()).find(({ id }) => id === post.id)).toEqual(read);

  const told = await until(
    async () => {
      const { letters } = (await crier.sandbox().send('GET', '/sandbox/inbox/options')).body;
      const bodies = letters.flatMap(({ body: letter }: { body: string }) =>
        letter === '' ? [] : [JSON.parse(letter)],
      );
      return bodies.length >= Object.keys(asked).length ? bodies : null;
    },
    { what: 'an event of each Variant' },
  );
  const events = told.map(({ data: { variant } }: { data: { variant: { network: Network; text: string | null } } }) => [
    variant.network,
    variant.text,
  ]);
  expect(Object.fromEntries(events)).toEqual(shown);
});

test('pictures: the options that only they have, and the card of a link', async () => {
  const tiktok = { privacy: 'only_me', allowComments: true, autoMusic: true, title: 'Two pictures' };
  const media = [{ assetId: await fixture('photo') }, { assetId: await fixture('square') }];
  const pictures = await crier
    .api()
    .createPost({ text: 'Pictures', channelIds: [channels.tiktok], media, channelOptions: byChannel({ tiktok }) });
  const { title, ...options } = tiktok;
  const live = await liveOf(pictures);
  expect(live.tiktok!.options).toMatchObject(options);
  expect(live.tiktok!.title).toBe(title);
  const instagram = { collaborators: ['grace', 'alan'], userTags: [{ username: 'bob', x: 0.5, y: 0.25 }] };
  const picture = await crier.api().createPost({
    ...{ text: 'A picture', channelIds: [channels.instagram], channelOptions: byChannel({ instagram }) },
    media: [{ assetId: await fixture('photo') }],
  });
  expect((await liveOf(picture)).instagram!.options).toEqual(instagram);
  for (const link of [true, false]) {
    const text = `See https://example.test/${link}`;
    const channelOptions = byChannel({ facebook: { link } });
    const post = await crier.api().createPost({ text, channelIds: [channels.facebook], channelOptions });
    expect((await liveOf(post)).facebook!.link).toEqual(link ? { url: `https://example.test/${link}` } : null);
  }
});

test('what a Channel has as its defaults holds for what a Post leaves out, and gives way to what it says', async () => {
  const { workspaceId } = crier.ready.demo!;
  const defaults = { youtube: { privacy: 'private', tags: ['ours'] }, threads: { topicTag: 'Ours' } } as const;
  for (const network of ['youtube', 'threads'] as const)
    await crier.admin().call('channels.setDefaults', {
      ...{ workspaceId, channelId: channels[network], defaults: defaults[network] },
    });
  const channelIds = [channels.youtube, channels.threads];
  const post = async (more: object) => {
    const media = [{ assetId: await fixture('reel') }];
    return liveOf(await crier.api().createPost({ channelIds, media, ...more }));
  };
  const silent = await post({ text: 'By default' });
  expect(silent.youtube!.options).toMatchObject(defaults.youtube);
  expect(silent.threads!.options).toEqual(defaults.threads);
  const said = { youtube: { privacy: 'unlisted' }, threads: { replyControl: 'mentioned' } } as const;
  const other = await post({ text: 'By choice', channelOptions: byChannel(said) });
  expect(other.youtube!.options).toMatchObject({ privacy: 'unlisted', tags: ['ours'] });
  expect(other.threads!.options).toEqual({ topicTag: 'Ours', replyControl: 'mentioned' });
});

test('in bulk, options and texts by Channel are the same, and what a Network lacks is refused by name', async () => {
  const x = { text: 'Bulk on X', replySettings: 'following', firstComment: 'And more' };
  const posts = [
    { text: 'In bulk', channelIds: [channels.x, channels.threads], channelOptions: byChannel({ x }) },
    { text: 'In vain', channelIds: [channels.x], channelOptions: byChannel({ x: { topicTag: 'Cats' } }) },
  ];
  const { status, body } = await crier.api().send('POST', '/api/posts/bulk', { posts });
  expect(status, JSON.stringify(body)).toBe(200);
  const text = JSON.stringify(body);
  expect(text).toContain('has no option topicTag');
  const made = (await crier.api().listPosts()).find((post) => post.text === 'In bulk') as MediaPostJson;
  const live = await liveOf(made);
  expect(live.x).toMatchObject({ text: 'Bulk on X', options: { replySettings: 'following' } });
  expect(live.threads).toMatchObject({ text: 'In bulk' });
  await commented(made.id);
  const [item] = (await crier.sandbox().items({ network: 'x' })).filter((each) => each.text === 'Bulk on X');
  expect(item!.comments.map((comment) => comment.text)).toEqual(['And more']);
});

test('a first comment that got lost on its way is failed with words, not sent again, and its Variant stays published', async () => {
  await crier.sandbox().fault({ network: 'facebook', fault: 'drop_before_commit', call: 'comments.create' });
  const channelOptions = byChannel({ facebook: { firstComment: 'Lost' } });
  const post = await crier.api().createPost({ text: 'Kept', channelIds: [channels.facebook], channelOptions });
  const live = await liveOf(post);
  const [variant] = (await commented(post.id, 120_000)).variants;
  expect(variant).toMatchObject({ status: 'published', firstComment: { status: 'failed', permalink: null } });
  expect(variant!.firstComment!.detail).toContain('It may be there: look at the post before you write it again.');
  const items = await crier.sandbox().items({ network: 'facebook' });
  expect(items.find(({ remoteId }) => remoteId === live.facebook!.remoteId)!.comments).toEqual([]);
});
