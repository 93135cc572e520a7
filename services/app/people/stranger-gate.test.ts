import { afterEach, beforeEach, expect, test } from 'vitest';
import { formsOf } from '#testing/test-browser.ts';
import { askForLink, servePeople, signIn, type PeopleSite } from './browser.fixture.ts';
import { ADA, createPeopleWorld, GRACE, type PeopleWorld } from './people.fixture.ts';

const PER_MINUTE = 20;

let world: PeopleWorld;
let site: PeopleSite;
beforeEach(async () => {
  world = createPeopleWorld();
  site = await servePeople(world, { strangersPerMinute: PER_MINUTE });
});
afterEach(() => site[Symbol.asyncDispose]());

async function useUp(path = '/sign-in'): Promise<void> {
  const stranger = site.browser();
  for (let asked = 0; asked < PER_MINUTE; asked++) await stranger.get(path);
}

test('who opens the page to sign in too often waits, as the page says, and others do not', async () => {
  await useUp();
  const refused = await site.browser().get('/sign-in');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3']);
  expect(refused.html).toContain('20 requests a minute without a valid key, token or session');
  expect((await site.browser({ 'x-forwarded-for': '203.0.113.8' }).get('/sign-in')).status).toBe(200);
});

test('a person who is signed in, and one who opens a mailed link, are served at an address that is used up', async () => {
  const [ada, grace] = [site.browser(), site.browser()];
  await signIn(site, ada, ADA);
  await askForLink(grace, GRACE);
  const link = await site.linkTo(GRACE);
  await useUp();
  expect((await site.browser().get('/sign-in')).status).toBe(429);
  expect((await ada.get('/account')).html).toContain(ADA);
  const page = await grace.get(link);
  expect((await grace.send(formsOf(page.html)[0]!)).status).toBe(303);
  expect((await grace.get('/account')).html).toContain(GRACE);
});

test('links that are guessed count, and a session that is made up is none', async () => {
  await useUp(`/sign-in/links/${'a'.repeat(43)}`);
  expect((await site.browser().get('/sign-in')).status).toBe(429);
  const cookie = `crier_session=${'a'.repeat(64)}.${'b'.repeat(43)}`;
  expect((await site.browser({ cookie }).get('/account')).status).toBe(429);
});

test('who comes back from payments that were never begun counts, and a person who is signed in is let through', async () => {
  const ada = site.browser();
  await signIn(site, ada, ADA);
  await useUp('/billing/return/cs_test_made_up');
  expect((await site.browser().get('/billing/return/cs_test_made_up')).status).toBe(429);
  expect((await ada.get('/billing/return/cs_test_made_up')).status).not.toBe(429);
});
