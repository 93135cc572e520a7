import { expect, test } from 'vitest';
import { auditPage } from '#testing/page-audit.ts';
import { formsOf } from '#testing/test-browser.ts';
import { membership, OAuthHarness } from './oauth/oauth-harness.fixture.ts';
import { askForLink, servePeople, signIn } from './people/browser.fixture.ts';
import { ADA, createPeopleWorld, GRACE } from './people/people.fixture.ts';

test('the pages for signing in can be read, heard and used by the keyboard', async () => {
  const world = createPeopleWorld();
  await using site = await servePeople(world);
  const browser = site.browser();
  const pages = [
    await browser.get('/sign-in'),
    await askForLink(browser, 'no address'),
    await askForLink(browser, ADA),
  ];
  const link = await site.linkTo(ADA);
  pages.push(await browser.get(link), await site.browser().get(link));
  await browser.send(formsOf(pages.at(-2)!.html)[0]!);
  pages.push(await browser.get('/account'), await browser.get(link), await browser.get('/sign-in/links/x'));
  pages.push(await browser.ask('PUT', '/account'));
  pages.push(await browser.post('/sign-in', {}));
  world.workspaces.add({ email: GRACE });
  await signIn(site, site.browser(), GRACE);
  const grace = site.browser();
  await signIn(site, grace, GRACE);
  pages.push(await grace.get('/account'));
  expect(pages.map(({ html }) => auditPage(html))).toEqual(pages.map(() => []));
});

test.each([
  ['one Workspace', [membership('w1', 'Tea House')]],
  ['several', [membership('w1', 'Tea House'), membership('w2', 'Mill'), membership('w3', 'Dam', { role: 'viewer' })]],
  ['none', []],
])('the page for consent can be read, heard and used by the keyboard: %s', async (_how, memberships) => {
  const server = await OAuthHarness.start();
  try {
    server.memberships['ada'] = memberships;
    const browser = server.browser();
    const client = await server.register();
    const page = await server.reachConsent(browser, server.authorizeUrl(client, 'x'.repeat(43)));
    const asked = await (await browser.get(page)).text();
    const refused = await (await browser.post(page, new URLSearchParams())).text();
    const unknown = await (await browser.get(`${new URL(page).origin}/oauth/authorize?client_id=nobody`)).text();
    expect([asked, refused, unknown].map(auditPage)).toEqual([[], [], []]);
  } finally {
    await server.stop();
  }
});

test('the audit finds what it is for', async () => {
  await using site = await servePeople(createPeopleWorld());
  const { html } = await site.browser().get('/sign-in');
  const spoilt = [
    [' lang="en"', ''],
    ['<main>', ''],
    ['<h1>', '<h3>'],
    ['<label>E-mail address', ''],
    ['Mail me a link', ''],
    ['autofocus', 'tabindex="1"'],
    ['--soft:#5a6472', '--soft:#999'],
    ['--alarm:#ff8a80', '--alarm:#4a1010'],
    ['<input type="email"', '<input type="radio"'],
    ['<label>', '<label id="a"><b id="a"></b><i aria-describedby="b"></i>'],
  ] as const;
  const found = spoilt.map(([right, wrong]) => auditPage(html.replace(right, wrong)));
  expect(found.filter((problems) => problems.length === 0)).toEqual([]);
  expect(auditPage(html)).toEqual([]);
});
