import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { factsOf, NETWORKS, type Network } from '#domain/network.ts';
import { MEDIA_FIXTURES, type FixtureName } from '#testing/media-fixtures.ts';
import { createAccounts, type Account } from './accounts.ts';
import { html } from './exchange.ts';
import { feedPage, itemPage } from './feed-page.ts';
import { createItems, type LiveItem } from './items.ts';
import { shortened } from './post-view.ts';
import { createRemoteIds } from './remote-ids.ts';
import { signInThreads, signInX } from './sandbox.fixture.ts';
import { createMemoryStore } from './store/memory-store.ts';
import type { ScanRange } from './store/store.ts';
import { media as threadsMedia, processed, publish, threadsHarness } from './threads/threads.fixture.ts';
import { post, readyMedium } from './x/x.fixture.ts';

const BASE = 'http://sandbox.test';
const EVIL = `"><script>alert('1')</script><img src=x onerror=alert(1)>&amp;`;

function world() {
  const store = createMemoryStore();
  const scanned: { readonly shelf: string; readonly range: ScanRange }[] = [];
  const watched = {
    ...store,
    scan: (name: string, range: ScanRange) => (scanned.push({ shelf: name, range }), store.scan(name, range)),
  };
  const clock = createMemoryClock(Date.UTC(2026, 10, 20, 12));
  const remoteIds = createRemoteIds(clock, createSeededIds(7));
  const accounts = createAccounts(watched, clock, remoteIds);
  const items = createItems(watched);
  return {
    ...{ clock, scanned, accounts, items, remoteIds },
    sign: (network: Network, name = 'Ada') => accounts.create({ network, name, kind: '', accountId: null }),
    publish(account: Account, about: Partial<LiveItem> = {}): LiveItem {
      const remoteId = remoteIds.next();
      const item: LiveItem = {
        network: account.network,
        accountId: account.accountId,
        remoteId,
        placement: 'feed',
        text: '',
        media: [],
        altTexts: [],
        publishedAt: clock.now(),
        path: `/sim/${account.network}/p/${remoteId}`,
        ...about,
      };
      items.add(item);
      return item;
    },
    page: () => feedPage(accounts, items, BASE),
  };
}

const files = (...names: readonly FixtureName[]) =>
  names.map((name) => ({
    sha256: MEDIA_FIXTURES[name].sha256,
    bytes: MEDIA_FIXTURES[name].bytes.length,
    contentType: MEDIA_FIXTURES[name].contentType,
  }));
const counted = (text: string, part: string) => text.split(part).length - 1;
const addressesIn = (text: string) => [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address!);
/** The name of every element that a browser would parse. */
const elementsIn = (text: string) =>
  new Set([...text.matchAll(/<([a-z][a-z0-9]*)/gi)].map(([, name]) => name!.toLowerCase()));

test('each Network with accounts is shown by its name, with each account as a card', () => {
  const { sign, page } = world();
  for (const network of NETWORKS) sign(network, `Who is at ${network}`);
  const text = page();
  for (const network of NETWORKS) {
    expect(text).toContain(`id="${network}">${factsOf(network).displayName} <small>1 account</small>`);
    expect(text).toContain(`Who is at ${network}`);
  }
  expect(counted(text, 'Nothing published yet.')).toBe(NETWORKS.length);
  expect(text).toContain('YouTube <small>');
  expect(world().page()).toContain('No account has signed in yet.');
});

test('a post shows title, text, pictures, videos, their alt texts, its time, and a link to its page', () => {
  const { sign, publish, page } = world();
  const item = publish(sign('threads'), {
    title: 'A title',
    text: 'Some words',
    media: files('photo', 'reel'),
    altTexts: ['A red boat', null],
  });
  const text = page();
  for (const part of [
    '<h3 dir="auto">A title</h3>',
    '<p dir="auto">Some words</p>',
    'alt="A red boat"',
    '<b>ALT</b>A red boat',
    'datetime="2026-11-20T12:00:00.000Z">20 Nov 2026, 12:00:00 UTC',
  ])
    expect(text).toContain(part);
  expect(text).toMatch(new RegExp(`<img src="/sandbox/files/${MEDIA_FIXTURES.photo.sha256}"`));
  expect(text).toMatch(new RegExp(`<video src="/sandbox/files/${MEDIA_FIXTURES.reel.sha256}" controls`));
  expect(text).toContain('class="media several brief"');
  expect(text).toContain(`href="${BASE}${item.path}"`);
});

test('Stories are a row of their own, outside the posts', () => {
  const { sign, publish, page } = world();
  const account = sign('instagram');
  publish(account, { text: 'A post', media: files('photo') });
  for (const name of ['story', 'reel'] as const)
    publish(account, { placement: 'story', media: files(name), altTexts: [null] });
  const text = page();
  const row = /<div class="stories">.*?<\/ul>/s.exec(text)![0];
  expect([
    counted(row, '<li>'),
    counted(row, MEDIA_FIXTURES.story.sha256),
    counted(row, MEDIA_FIXTURES.reel.sha256),
  ]).toEqual([2, 1, 1]);
  expect([counted(text, '<article>'), counted(text, 'class="stories"')]).toEqual([1, 1]);
  expect(row).not.toContain('A post');
});

test('the page of a post shows all of it, and names the Network', () => {
  const { sign, publish } = world();
  const account = sign('tiktok');
  const media = Array.from({ length: 35 }, () => files('photo')[0]!);
  const item = publish(account, { text: 'word '.repeat(1_000), media, altTexts: media.map(() => 'a'.repeat(1_000)) });
  const text = itemPage(account, item, BASE);
  expect([
    counted(text, '<img src="/sandbox/files/'),
    counted(text, 'a'.repeat(1_000)),
    counted(text, 'word '),
  ]).toEqual([35, 70, 1_000]);
  expect([text.includes('>TikTok</span>'), text.includes(`SHA-256 ${MEDIA_FIXTURES.photo.sha256}`)]).toEqual([
    true,
    true,
  ]);
});

test('no text that was sent becomes an element, on either page', () => {
  const { sign, publish, page } = world();
  const account = sign('youtube', EVIL);
  const media = [
    { sha256: EVIL, bytes: 1, contentType: `image/${EVIL}` },
    { sha256: EVIL, bytes: 1, contentType: `video/${EVIL}` },
    { sha256: EVIL, bytes: 1, contentType: EVIL },
  ];
  const item = publish(account, {
    title: EVIL,
    text: EVIL,
    media,
    altTexts: [EVIL, EVIL, EVIL],
    path: `/sim/youtube/${EVIL}`,
  });
  publish(account, { placement: 'story', media, altTexts: [EVIL], path: EVIL });
  for (const text of [page(), itemPage(account, item, BASE)]) {
    expect(elementsIn(text)).not.toContain('script');
    expect([counted(text, '<img src=x'), counted(text, 'onerror=alert(1)&gt;') > 4]).toEqual([0, true]);
    for (const address of addressesIn(text)) expect(address).toMatch(/^(?:http:\/\/sandbox\.test|\/sandbox\/)/);
  }
});

test('the policy allows exactly the style sheet that stands in the pages', () => {
  const styles = [
    ...world()
      .page()
      .matchAll(/<style>(.*?)<\/style>/gs),
  ].map(([, style]) => style!);
  const hash = createHash('sha256').update(styles[0]!).digest('base64');
  expect(styles).toHaveLength(1);
  expect(html(200, '').headers['content-security-policy']).toContain(`style-src 'sha256-${hash}';`);
  expect(world().page()).not.toMatch(/\sstyle=/);
});

test('a Network with one account takes one column, one with many a row', () => {
  const { sign, page } = world();
  for (const [network, accounts] of [
    ['x', 1],
    ['threads', 2],
    ['facebook', 3],
  ] as const)
    for (let i = 0; i < accounts; i++) sign(network, `${network} ${i}`);
  const text = page();
  for (const part of ['network x one', 'network threads two', 'network facebook row'])
    expect(text).toContain(`<section class="${part}">`);
});

test('the policy lets a page load pictures and videos of the sandbox, and nothing else', () => {
  const policy = html(200, '').headers['content-security-policy'];
  expect(policy!.split('; ').sort()).toEqual([
    "base-uri 'none'",
    "default-src 'none'",
    "frame-ancestors 'none'",
    "img-src 'self'",
    "media-src 'self'",
    expect.stringMatching(/^style-src 'sha256-[\w+/]{43}='$/),
  ]);
});

test('every address on the pages opens', async () => {
  const harness = threadsHarness();
  const [ada, grace] = [await signInX(harness), await signInThreads(harness)];
  await post(harness, ada, 'Two pictures', [
    await readyMedium(harness, ada, 'photo'),
    await readyMedium(harness, ada, 'picture'),
  ]);
  await publish(harness, grace, await processed(harness, grace, threadsMedia('reel', { text: 'A film' })));
  const seen = new Set(['/']);
  for (const address of seen) {
    const { status, text, headers } = await harness.ask('GET', address);
    expect([address, status]).toEqual([address, 200]);
    if (headers['content-type']!.startsWith('text/html'))
      for (const next of addressesIn(text)) seen.add(next.replace(/#.*$/, ''));
  }
  const files = [...seen].filter((address) => address.startsWith('/sandbox/files/'));
  expect([files.length, [...seen].filter((address) => address.includes('/sim/')).length]).toEqual([3, 2]);
});

test('a bounded part of many posts, files and words is read and shown', () => {
  const { sign, publish, page, scanned } = world();
  const account = sign('x', 'Prolific');
  const media = Array.from({ length: 20 }, () => files('photo')[0]!);
  for (let i = 0; i < 3_000; i++)
    publish(account, {
      text: `Number ${i} ${'🌞'.repeat(2_000)}`,
      media,
      altTexts: media.map(() => '🌞'.repeat(1_000)),
    });
  const text = page();
  expect([
    counted(text, 'Number '),
    text.includes('Number 2999'),
    counted(text, '<img src="/sandbox/files/'),
    counted(text, '>16 more</a>'),
  ]).toEqual([8, true, 32, 8]);
  expect(text).toContain(`href="/sandbox/items?network=x&amp;accountId=${account.accountId}"`);
  expect(text.length).toBeLessThan(120_000);
  for (const { range } of scanned.filter(({ shelf }) => shelf === 'items')) expect(range.limit).toBeLessThanOrEqual(9);
});

test('of many accounts those that signed in last are shown', () => {
  const { sign, page, scanned } = world();
  for (let i = 0; i < 200; i++) sign('x', `Account ${i}.`);
  const text = page();
  expect([
    text.includes('40 of 200 accounts'),
    counted(text, '<section class="card'),
    text.includes('Account 199.'),
    text.includes('Account 159.'),
  ]).toEqual([true, 40, true, false]);
  expect(scanned.filter(({ shelf }) => shelf === 'items')).toHaveLength(80);
});

test('the newest come first, whatever the form of their ids; so do the accounts that have them', async () => {
  const { sign, publish, page, clock, remoteIds } = world();
  const [early, late] = [sign('facebook', 'Early'), sign('facebook', 'Late')];
  publish(late, { text: 'A day ago' });
  for (let i = 0; i < 12; i++) publish(early, { placement: 'story', text: '', media: files('story') });
  await clock.advance(86_400_000);
  publish(early, { text: 'Just now', remoteId: `${early.accountId}_${remoteIds.next()}` });
  const text = page();
  expect(text.indexOf('Just now')).toBeGreaterThan(0);
  expect(text.indexOf('>Early<')).toBeLessThan(text.indexOf('>Late<'));
  expect(counted(text, '<li>')).toBe(7);
});

test('a text is cut between characters, and only when it is too long', () => {
  expect(shortened('🌞🌞🌞', 3)).toBe('🌞🌞🌞');
  expect(shortened('🌞🌞🌞🌞', 3)).toBe('🌞🌞🌞…');
  expect(shortened('two words', 4)).toBe('two…');
});

test('options, the card of a link and comments are shown, escaped, and link nowhere', () => {
  const { sign, publish, items, page } = world();
  const account = sign('facebook');
  const item = publish(account, {
    text: 'Menu',
    options: { link: true, replyControl: 'mentioned', collaborators: [EVIL], cover: { atSeconds: 2 } },
    link: { url: `https://bakery.test/${EVIL}` },
  });
  publish(account, { text: 'Broken', link: { url: 'https://' } });
  for (const text of ['Order here', EVIL])
    items.comment(item, { remoteId: `c${text.length}`, text, publishedAt: item.publishedAt, path: '/sim/c' });
  const shown = items.get('facebook', account.accountId, item.remoteId)!;
  for (const text of [page(), itemPage(account, shown, BASE)]) {
    for (const part of [
      'reply control: ',
      'mentioned',
      'at seconds',
      'bakery.test',
      'Order here',
      'aria-label="Comments"',
    ])
      expect(text.replaceAll('atSeconds', 'at seconds')).toContain(part);
    expect(elementsIn(text)).not.toContain('script');
    for (const address of addressesIn(text)) expect(address).toMatch(/^(?:http:\/\/sandbox\.test\/|\/)/);
  }
});

test('a page of many posts shows the first comments of each', () => {
  const { sign, publish, items, page } = world();
  const account = sign('x');
  const item = publish(account);
  for (let i = 0; i < 9; i++)
    items.comment(item, { remoteId: `c${i}`, text: `comment ${i}`, publishedAt: i, path: '/sim/c' });
  expect(counted(page(), 'comment ')).toBe(3);
  expect(counted(itemPage(account, items.get('x', account.accountId, item.remoteId)!, BASE), 'comment ')).toBe(9);
});

test('an item that was stored before there were options is shown and listed without them', () => {
  const { sign, publish, page } = world();
  publish(sign('x'), { text: 'Old' });
  const text = page();
  expect(text).toContain('Old');
  for (const part of ['aria-label="Options"', 'aria-label="Comments"', 'class="link"'])
    expect(text).not.toContain(part);
});
