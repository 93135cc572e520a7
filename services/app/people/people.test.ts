import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { accountIdOf } from '#domain/account.ts';
import { PortError } from '#ports/errors.ts';
import type { Mail } from '#ports/mailer.ts';
import type { TableStore } from '#ports/table-store.ts';
import { formsOf, type ServedPage } from '#testing/test-browser.ts';
import { until } from '#testing/until.ts';
import { askForLink, servePeople, signIn, type PeopleSite } from './browser.fixture.ts';
import { createMailInvitation } from './invitations.ts';
import { ADA, createPeopleWorld, GRACE, PUBLIC_URL, type PeopleWorld } from './people.fixture.ts';
import { SignInLinks } from './sign-in-links.ts';

const FIREFOX = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };

let world: PeopleWorld;
let site: PeopleSite;
beforeEach(async () => {
  world = createPeopleWorld();
  site = await servePeople(world);
});
afterEach(() => site[Symbol.asyncDispose]());

const locationOf = ({ status, headers }: ServedPage) => [status, headers.get('location')];
const sessionsOf = (email: string) => site.people.sessions.list(accountIdOf(email));

describe('signing in', () => {
  test('a person gets a link by mail, and the browser that asked goes on to where it was going', async () => {
    const browser = site.browser(FIREFOX);
    expect(locationOf(await browser.get('/account'))).toEqual([303, `${PUBLIC_URL}/sign-in?return_to=%2Faccount`]);
    const taken = await askForLink(browser, ` ${ADA.toUpperCase()} `, '/oauth/consent/7?a=b');
    expect([taken.status, taken.html]).toEqual([200, expect.stringContaining('A link is on its way')]);
    const path = await site.linkTo(ADA);
    const page = await browser.get(path);
    expect([page.status, page.html]).toEqual([200, expect.stringContaining(`<strong>${ADA}</strong>`)]);
    const signedIn = await browser.send(formsOf(page.html)[0]!);
    expect(locationOf(signedIn)).toEqual([303, `${PUBLIC_URL}/oauth/consent/7?a=b`]);
    expect((await browser.get('/account')).html).toContain(`You are signed in as <strong>${ADA}</strong>`);
    expect(locationOf(await browser.get('/sign-in?return_to=/a'))).toEqual([303, `${PUBLIC_URL}/a`]);
  });

  test('the mail says who asked, when, for how long, and what to do if it was somebody else', async () => {
    await askForLink(site.browser(FIREFOX), ADA);
    await site.linkTo(ADA);
    const [mail] = site.mailer.mails;
    for (const text of [mail!.text, mail!.html])
      for (const words of ['Firefox on Linux', '1 January 2030 at 00:00 UTC', '15 minutes', 'ignore this mail'])
        expect(text).toContain(words);
    expect(mail!.text).toContain(`${PUBLIC_URL}/sign-in/links/`);
  });

  test('what a browser calls itself is never mailed', async () => {
    await askForLink(site.browser({ 'user-agent': 'Visit https://evil.example Firefox/1' }), ADA);
    await site.linkTo(ADA);
    expect(JSON.stringify(site.mailer.mails)).not.toContain('evil');
  });

  test('elsewhere a link signs in that browser only, and leads to the app', async () => {
    const [asking, other] = [site.browser(), site.browser()];
    await askForLink(asking, ADA, '/oauth/consent/7');
    const page = await other.get(await site.linkTo(ADA));
    expect(page.html).toContain('asked for in another browser');
    expect(locationOf(await other.send(formsOf(page.html)[0]!))).toEqual([303, `${PUBLIC_URL}/app`]);
    expect((await other.get('/account')).status).toBe(200);
    expect((await asking.get('/account')).status).toBe(303);
  });

  test('programs that check mail may open a link as often as they like', async () => {
    await askForLink(site.browser(), ADA);
    const path = await site.linkTo(ADA);
    for (const method of ['GET', 'HEAD', 'GET']) {
      const scanner = site.browser();
      expect((await scanner.ask(method, path)).status).toBe(200);
      expect([...scanner.cookies.keys()]).not.toContain('crier_session');
    }
    expect(await sessionsOf(ADA)).toEqual([]);
    const person = site.browser();
    expect((await person.send(formsOf((await person.get(path)).html)[0]!)).status).toBe(303);
  });

  test('a used, an expired and an unknown link say what to do', async () => {
    const browser = site.browser();
    await signIn(site, browser, ADA);
    const used = await browser.get(await site.linkTo(ADA));
    expect([used.status, used.html]).toEqual([410, expect.stringContaining('You are signed in as')]);
    const stranger = await site.browser().get(await site.linkTo(ADA));
    expect([stranger.status, stranger.html]).toEqual([410, expect.stringContaining('Ask for a new link')]);
    await askForLink(site.browser(), GRACE);
    const path = await site.linkTo(GRACE);
    world.clock.moveWall(15 * 60_000);
    expect((await site.browser().get(path)).status).toBe(410);
    expect((await site.browser().get(`/sign-in/links/${'a'.repeat(43)}`)).status).toBe(404);
    expect((await site.browser().get('/sign-in/links/x')).status).toBe(404);
  });

  test('without mail the page says so, and whose task it is', async () => {
    await using mute = await servePeople(createPeopleWorld(), { mail: null });
    const page = await mute.browser().get('/sign-in');
    expect([page.status, page.html]).toEqual([503, expect.stringContaining('CRIER_SMTP_URL')]);
  });

  test('pages work without scripts, are never framed or kept, and follow the colour scheme', async () => {
    const { headers, html } = await site.browser().get('/sign-in');
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer']);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(html).not.toMatch(/<script|\son\w+=|src=|href="http/);
    expect(html).toMatch(/<label>E-mail address<input type="email"[^>]* required autofocus/);
    expect(html).toContain('prefers-color-scheme:dark');
  });
});

describe('attacks', () => {
  test('nothing tells whether an address has an account: same bytes, same headers', async () => {
    world.workspaces.add({ email: ADA });
    const seen = await Promise.all(
      [ADA, 'nobody@example.com'].map(async (email) => {
        const { status, headers, html } = await askForLink(site.browser(), email);
        const all = [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
        return JSON.stringify([status, all, html]).replaceAll(email, 'ADDRESS');
      }),
    );
    expect(seen[1]).toBe(seen[0]);
    await site.linkTo('nobody@example.com');
  });

  test('the answer does not wait for the mail server', async () => {
    const gate = Promise.withResolvers<void>();
    Object.assign(site.mailer, { send: () => gate.promise });
    expect((await askForLink(site.browser(), ADA)).status).toBe(200);
    gate.resolve();
  });

  test('two forms of one link at once make one session', async () => {
    const browser = site.browser();
    await askForLink(browser, ADA);
    const form = formsOf((await browser.get(await site.linkTo(ADA))).html)[0]!;
    const answers = await Promise.all([1, 2, 3].map(() => browser.send(form)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 410, 410]);
    expect(await sessionsOf(ADA)).toHaveLength(1);
    expect((await browser.send(form)).status).toBe(403);
  });

  test('a session that was planted in a browser never becomes that of who signs in', async () => {
    const attacker = site.browser();
    await signIn(site, attacker, 'eve@example.com');
    const victim = site.browser();
    victim.cookies.set('crier_session', attacker.cookies.get('crier_session')!);
    await askForLink(site.browser(), ADA);
    const page = await victim.get(await site.linkTo(ADA));
    expect(page.html).toContain('that ends the session of eve@example.com');
    expect((await victim.send(formsOf(page.html)[0]!)).status).toBe(303);
    expect(victim.cookies.get('crier_session')).not.toBe(attacker.cookies.get('crier_session'));
    expect((await attacker.get('/account')).status).toBe(303);
    expect((await victim.get('/account')).html).toContain(ADA);
  });

  test('a session in the address is nobody’s, for pages and forms alike', async () => {
    const browser = site.browser();
    await signIn(site, browser, ADA);
    const session = browser.cookies.get('crier_session')!;
    const form = formsOf((await browser.get('/account')).html).find(({ action }) => action === '/sign-out')!;
    const query = new URLSearchParams({ crier_session: session, session, sid: session }).toString();
    const stranger = site.browser();
    for (const path of [`/account?${query}`, `/account;crier_session=${session}?${query}`])
      expect((await stranger.get(path)).html).not.toContain(ADA);
    expect((await stranger.post(`${form.action}?${query}`, form.fields)).status).toBe(403);
    expect([stranger.cookies.has('crier_session'), (await browser.get('/account')).status]).toEqual([false, 200]);
  });

  test('a link that an attacker asked for a victim brings the attacker nothing', async () => {
    const [attacker, victim] = [site.browser(), site.browser()];
    await askForLink(attacker, ADA, '/oauth/consent/of-the-attacker');
    const page = await victim.get(await site.linkTo(ADA));
    const signedIn = await victim.send(formsOf(page.html)[0]!);
    expect(locationOf(signedIn)).toEqual([303, `${PUBLIC_URL}/app`]);
    expect((await attacker.get('/account')).status).toBe(303);
  });

  test('a link of an attacker that a victim opens names the address before anything happens', async () => {
    await askForLink(site.browser(), 'eve@example.com');
    const victim = site.browser();
    await signIn(site, victim, ADA);
    const page = await victim.get(await site.linkTo('eve@example.com'));
    expect(page.html).toMatch(/sign in to Crier as <strong>eve@example.com/);
    expect((await victim.get('/account')).html).toContain(ADA);
  });

  test.each<[string, (form: { action: string; fields: Record<string, string> }) => void]>([
    ['no token', ({ fields }) => delete fields['form_token']],
    ['another token', ({ fields }) => (fields['form_token'] = 'x'.repeat(43))],
    ['an empty token', ({ fields }) => (fields['form_token'] = '')],
  ])('each form with %s is refused, and does nothing', async (_, spoil) => {
    const browser = site.browser();
    await signIn(site, browser, ADA);
    const link = async () => {
      await askForLink(site.browser(), GRACE);
      return formsOf((await browser.get(await site.linkTo(GRACE))).html);
    };
    const elsewhere = site.browser();
    await signIn(site, elsewhere, ADA);
    const account = formsOf((await browser.get('/account')).html);
    const stranger = site.browser();
    const asking = formsOf((await stranger.get('/sign-in')).html);
    const before = [site.mailer.mails.length, (await sessionsOf(ADA)).length];
    const actions = account.map(({ action }) => action).sort();
    expect(actions).toEqual(['/account/sessions/end', '/account/workspaces', '/sign-out']);
    for (const form of [...account, ...(await link()), ...asking]) {
      const spoilt = { action: form.action, fields: { ...form.fields, workspace: 'x', email: ADA } };
      spoil(spoilt);
      const sender = form.action === '/sign-in' ? stranger : browser;
      expect([form.action, (await sender.send(spoilt)).status]).toEqual([form.action, 403]);
    }
    expect([site.mailer.mails.length - 1, (await sessionsOf(ADA)).length]).toEqual(before);
    expect(world.workspaces.commands).toEqual([]);
  });

  test.each<[string, Record<string, string>]>([
    ['from a page of another site', { origin: 'https://evil.example' }],
    ['across sites, as the browser says', { 'sec-fetch-site': 'cross-site' }],
    ['from a neighbouring host', { 'sec-fetch-site': 'same-site' }],
    ['as plain text', { 'content-type': 'text/plain' }],
  ])('a form that is sent %s is refused', async (_, headers) => {
    const browser = site.browser();
    const form = formsOf((await browser.get('/sign-in')).html)[0]!;
    expect((await browser.post(form.action, { ...form.fields, email: ADA }, headers)).status).toBe(403);
    expect((await browser.post(form.action, { ...form.fields, email: ADA }, { origin: 'null' })).status).toBe(200);
    expect((await browser.post(form.action, { ...form.fields, email: ADA }, { origin: PUBLIC_URL })).status).toBe(200);
    for (const each of [site.browser(), browser]) await signIn(site, each, ADA);
    const account = formsOf((await browser.get('/account')).html);
    expect(account).toHaveLength(3);
    for (const { action, fields } of account)
      expect([action, (await browser.post(action, { ...fields, workspace: 'x' }, headers)).status]).toEqual([
        action,
        403,
      ]);
    expect([(await browser.get('/account')).status, world.workspaces.commands]).toEqual([200, []]);
  });

  test('the form of one browser, one link or one session is not taken for another', async () => {
    const [one, other] = [site.browser(), site.browser()];
    const form = formsOf((await one.get('/sign-in')).html)[0]!;
    await other.get('/sign-in');
    expect((await other.send(form, { email: ADA })).status).toBe(403);
    for (const email of [ADA, GRACE]) await askForLink(one, email);
    const [first, second] = [await site.linkTo(ADA), await site.linkTo(GRACE)];
    const fields = formsOf((await one.get(first)).html)[0]!.fields;
    expect((await one.send({ action: second, fields })).status).toBe(403);
    await signIn(site, other, ADA);
    expect((await one.send(formsOf((await other.get('/account')).html)[0]!)).status).toBe(403);
  });

  test('nobody ends the session of another account', async () => {
    const [ada, eve, eves] = [site.browser(), site.browser(), site.browser()];
    await signIn(site, ada, ADA);
    for (const browser of [eve, eves]) await signIn(site, browser, 'eve@example.com');
    const { sessionHash } = (await sessionsOf(ADA))[0]!;
    const end = formsOf((await eve.get('/account')).html).find(({ action }) => action === '/account/sessions/end')!;
    expect((await eve.send(end, { session: sessionHash })).status).toBe(303);
    expect((await ada.get('/account')).status).toBe(200);
    expect((await eve.send(end)).status).toBe(303);
    expect((await eves.get('/account')).status).toBe(303);
  });

  test('of one address at most ten links an hour are mailed, whoever asks, and nobody is told', async () => {
    for (let count = 0; count < 12; count++) {
      const browser = site.browser({ 'x-forwarded-for': `198.51.100.${count}` });
      expect((await askForLink(browser, count % 2 === 0 ? ADA : 'ADA@Example.com')).status).toBe(200);
    }
    await until(() => world.reporter.of('link-refused').length === 2, { what: 'two refusals' });
    expect(site.mailer.mails).toHaveLength(10);
    const later = site.browser({ 'x-forwarded-for': '198.51.100.99' });
    // An operator who moves the clock frees nothing.
    world.clock.moveWall(3_605_000);
    await askForLink(later, ADA);
    await until(() => world.reporter.of('link-refused').length === 3, { what: 'a third refusal' });
    await world.clock.advance(3_605_000);
    await askForLink(later, ADA);
    await site.linkTo(ADA, 11);
  });

  test('ten links that a stranger asked for keep nobody out of a browser that was signed in as that person before', async () => {
    const own = site.browser({ 'x-forwarded-for': '203.0.113.7' });
    await signIn(site, own, ADA);
    const account = await own.get('/account');
    await own.send(formsOf(account.html).find(({ action }) => action.endsWith('/sign-out'))!);
    for (let count = 0; count < 10; count++) await askForLink(site.browser({ 'x-forwarded-for': '198.51.100.1' }), ADA);
    await until(() => world.reporter.of('link-refused').length === 1, { what: 'a refusal' });
    expect(site.mailer.mails).toHaveLength(10);
    await askForLink(own, ADA);
    await site.linkTo(ADA, 11);
    // Of an account that was not signed in there, it has no count.
    for (let count = 0; count < 10; count++)
      await askForLink(site.browser({ 'x-forwarded-for': '198.51.100.1' }), GRACE);
    await askForLink(own, GRACE);
    await until(() => world.reporter.of('link-refused').length === 2, { what: 'a refusal' });
  });

  test('where no more mails may wait, the page says so', async () => {
    await site.mail.drain();
    const { status, html, headers } = await askForLink(site.browser(), ADA);
    expect([status, headers.get('retry-after')]).toEqual([503, '60']);
    expect(html).toContain('No link was mailed');
  });

  test('of one caller at most thirty links in ten minutes are taken, and the page says how long to wait', async () => {
    const browser = site.browser({ 'x-forwarded-for': '2001:db8::1' });
    const form = formsOf((await browser.get('/sign-in')).html)[0]!;
    for (let count = 0; count < 30; count++)
      expect((await browser.send(form, { email: `a${count}@example.com` })).status).toBe(200);
    const neighbour = site.browser({ 'x-forwarded-for': '2001:db8::2' });
    const refused = await askForLink(neighbour, ADA);
    expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500);
    expect(refused.html).toContain('10 minutes');
    expect((await askForLink(site.browser({ 'x-forwarded-for': '2001:db9::1' }), ADA)).status).toBe(200);
  });

  test.each([
    '',
    'ada',
    'a@b@c',
    'x,ada@example.com',
    '<ada@example.com>',
    'a"b@c',
    'ada@exa mple',
    'ada@-x;',
    'ad\u202ea@x.y',
  ])('what is not one mailbox gets no mail: %j', async (email) => {
    const page = await askForLink(site.browser(), email);
    expect([page.status, page.html]).toEqual([400, expect.stringContaining('no e-mail address')]);
  });

  test('the address in a page is text', async () => {
    const page = await askForLink(site.browser(), '"><script>alert(1)</script>');
    expect(page.html).not.toContain('<script');
  });

  test.each(['//evil.example', '/\\evil.example', 'https://evil.example', '/.//evil.example'])(
    'no sign-in leads to %s',
    async (returnTo) => {
      const browser = site.browser();
      await askForLink(browser, ADA, returnTo);
      const page = await browser.get(await site.linkTo(ADA));
      expect(locationOf(await browser.send(formsOf(page.html)[0]!))).toEqual([303, `${PUBLIC_URL}/app`]);
      const again = await browser.get(`/sign-in?${new URLSearchParams({ return_to: returnTo }).toString()}`);
      expect(locationOf(again)).toEqual([303, `${PUBLIC_URL}/app`]);
    },
  );

  test('no secret of a link or a session is in a row, an event or a page', async () => {
    const rows: string[] = [];
    const compareAndSet = world.store.compareAndSet.bind(world.store);
    const noting: TableStore['compareAndSet'] = (table, write) => {
      rows.push(JSON.stringify([write.partition, write.clustering, Buffer.from(write.next.body).toString('utf8')]));
      return compareAndSet(table, write);
    };
    Object.assign(world.store, { compareAndSet: noting });
    const browser = site.browser();
    await signIn(site, browser, ADA);
    const secrets = [(await site.linkTo(ADA)).split('/').at(-1)!, browser.cookies.get('crier_session')!.split('.')[1]!];
    const events = JSON.stringify(world.reporter.events);
    const { html } = await browser.get('/account');
    for (const secret of [...secrets, browser.cookies.get('crier_browser')!]) {
      expect(rows.join()).not.toContain(secret);
      expect(events).not.toContain(secret);
      expect(html).not.toContain(secret);
    }
    expect(rows.length).toBeGreaterThan(2);
    expect(events).not.toContain('ada');
  });
});

describe('an account', () => {
  test('shows its Workspaces with the role, and those it left no more', async () => {
    world.workspaces.add({ email: ADA, workspaceName: '<b>Tea</b>', role: 'viewer' });
    world.workspaces.add({ email: ADA, workspaceId: 'w2', workspaceName: 'Left', removed: true });
    const browser = site.browser();
    await signIn(site, browser, ADA);
    const { html } = await browser.get('/account');
    expect(html).toContain('<li><bdi>&lt;b&gt;Tea&lt;/b&gt;</bdi>, viewer</li>');
    expect(html).not.toContain('Left');
  });

  test('without a Workspace makes one where that is open, once, with a verified owner', async () => {
    const browser = site.browser();
    await signIn(site, browser, ADA);
    const form = formsOf((await browser.get('/account')).html).find(({ action }) => action === '/account/workspaces')!;
    expect((await browser.send(form, { workspace: '   ' })).status).toBe(422);
    const [first, second] = await Promise.all(
      [1, 2].map(() => browser.send(form, { workspace: 'Tea', name: 'Ada L' })),
    );
    expect([first!.status, second!.status]).toEqual([303, 303]);
    const made = world.workspaces.commands.filter(({ type }) => type === 'CreateWorkspace');
    expect(new Set(made.map(({ workspaceId }) => workspaceId)).size).toBe(1);
    expect(made[0]).toMatchObject({ name: 'Tea', owner: { name: 'Ada L', email: ADA, emailVerified: true } });
    expect((await browser.get('/account')).html).toContain('<li><bdi>Tea</bdi>, owner</li>');
  });

  test('makes ten Workspaces an hour at most, before any of them is to be seen', async () => {
    const browser = site.browser();
    await signIn(site, browser, ADA);
    world.workspaces.answer = () => ({ ok: true, kind: 'done' });
    const form = formsOf((await browser.get('/account')).html).find(({ action }) => action === '/account/workspaces')!;
    const make = async (count: number) => {
      const nonce = String(count).padStart(22, '0');
      return (await browser.send(form, { workspace: 'Tea House', nonce })).html;
    };
    for (let count = 0; count < 10; count++) await make(count);
    expect(await make(10)).toContain('You may make 10 Workspaces an hour. Please try again in 60 minutes.');
    expect(world.workspaces.commands).toHaveLength(10);
  });

  test('without a Workspace is told to ask for an invitation where that is not open', async () => {
    await using closed = await servePeople(world, { signUpOpen: false });
    const browser = closed.browser();
    await signIn(closed, browser, ADA);
    const { html } = await browser.get('/account');
    expect(html).toContain('invitation');
    expect(formsOf(html).map(({ action }) => action)).toEqual(['/sign-out']);
  });

  test('has at most 50 sessions: the oldest end', async () => {
    const { sessions } = site.people;
    const first = site.browser();
    await signIn(site, first, ADA);
    for (let count = 0; count < 49; count++) {
      world.clock.moveWall(1);
      expect(await sessions.begin(sessions.newSecret(), ADA, 'Firefox')).toBe(true);
    }
    expect((await first.get('/account')).status).toBe(200);
    world.clock.moveWall(1);
    await sessions.begin(sessions.newSecret(), ADA, 'Firefox');
    expect([(await sessions.list(accountIdOf(ADA))).length, (await first.get('/account')).status]).toEqual([50, 303]);
  });

  test('a session lasts 30 days by the clock of Crier, and is noted once an hour', async () => {
    const browser = site.browser();
    await signIn(site, browser, ADA);
    world.clock.moveWall(29 * 86_400_000);
    expect((await browser.get('/account')).status).toBe(200);
    expect((await sessionsOf(ADA))[0]?.lastSeenAt).toBe(world.clock.now());
    world.clock.moveWall(86_400_000);
    expect((await browser.get('/account')).status).toBe(303);
  });

  test.each([
    ['goes on there, so that somebody else can sign in', '/oauth/consent/of-an-app', '/oauth/consent/of-an-app'],
    ['is not sent anywhere else', '//evil.test/', '/sign-in'],
  ])('who signs out where an app asks %s', async (_how, asked, path) => {
    const browser = site.browser();
    await signIn(site, browser, ADA);
    const form = formsOf((await browser.get('/account')).html).find(({ action }) => action === '/sign-out')!;
    expect(locationOf(await browser.send(form, { return_to: asked }))).toEqual([303, PUBLIC_URL + path]);
    expect((await browser.get('/account')).status).toBe(303);
  });

  test('signing out ends the session, also for who kept its cookie', async () => {
    const browser = site.browser();
    await signIn(site, browser, ADA);
    const kept = browser.cookies.get('crier_session')!;
    const form = formsOf((await browser.get('/account')).html).find(({ action }) => action === '/sign-out')!;
    expect(locationOf(await browser.send(form))).toEqual([303, `${PUBLIC_URL}/sign-in`]);
    expect(browser.cookies.has('crier_session')).toBe(false);
    browser.cookies.set('crier_session', kept);
    expect((await browser.get('/account')).status).toBe(303);
  });
});

describe('an invitation', () => {
  const INVITATION = {
    workspaceId: 'w9',
    workspaceName: 'Tea <House>',
    invitationId: 'i1',
    email: ADA,
    name: null,
    role: 'viewer',
    invitedBy: 'Grace\r\nsee https://evil.example\u202e',
    expiresAt: Date.UTC(2030, 0, 8),
  } as const;
  const invite = (more: object = {}) => {
    const links = new SignInLinks({ ...world, publicUrl: PUBLIC_URL });
    return createMailInvitation({ ...world, links, mail: site.mail })({ ...INVITATION, ...more });
  };

  test('is mailed with who invites, where to, as what and until when, and without what names could do', async () => {
    await invite();
    const path = await site.linkTo(ADA);
    const [{ subject, text, html }] = site.mailer.mails as [Mail];
    for (const words of ['as a viewer', '8 January 2030 at 00:00 UTC', path]) expect(text).toContain(words);
    expect(text).toContain('Grace see https evil.example invites');
    expect([subject, html]).toEqual(['Join “Tea <House>” on Crier', expect.stringContaining('Tea &lt;House&gt;')]);
    expect(JSON.stringify(site.mailer.mails)).not.toMatch(/https?:\/\/evil|\u202e/);
  });

  test('is read without joining, and one button joins and signs in, for seven days', async () => {
    await invite();
    world.clock.moveWall(7 * 86_400_000 - 1);
    const browser = site.browser();
    const page = await browser.get(await site.linkTo(ADA));
    for (const words of ['<strong><bdi>Tea &lt;House&gt;</bdi></strong>', 'as a viewer', `<strong>${ADA}</strong>`])
      expect(page.html).toContain(words);
    expect(world.workspaces.commands).toEqual([]);
    expect(locationOf(await browser.send(formsOf(page.html)[0]!))).toEqual([303, `${PUBLIC_URL}/app`]);
    expect(world.workspaces.commands).toMatchObject([
      { type: 'AcceptInvitation', workspaceId: 'w9', invitationId: 'i1', email: ADA, name: ADA },
    ]);
    expect((await browser.get('/account')).html).toContain(', viewer</li>');
    expect((await site.browser().get(await site.linkTo(ADA))).status).toBe(410);
  });

  test('that is not open any more says so, and nobody is signed in', async () => {
    await invite();
    const message = 'This invitation is not open any more. Ask for another one.';
    world.workspaces.answer = () => ({ ok: false, code: 'not_found', message });
    const browser = site.browser();
    const answer = await browser.send(formsOf((await browser.get(await site.linkTo(ADA))).html)[0]!);
    expect([answer.status, answer.html]).toEqual([409, expect.stringContaining(message)]);
    expect((await browser.get('/account')).status).toBe(303);
  });

  test('that can not be mailed says so to who invites', async () => {
    site.mailer.failure = new PortError('refused', 'no such mailbox');
    await expect(invite()).rejects.toThrow('no such mailbox');
    expect(world.reporter.of('link-not-mailed')).toMatchObject([{ facts: { purpose: 'invitation', kind: 'refused' } }]);
  });
});

test.each(['garbage', `${'0'.repeat(64)}.${'a'.repeat(43)}`, `${accountIdOf(ADA)}.${'a'.repeat(43)}`, '..', ''])(
  'a made-up cookie is nobody: %s',
  async (value) => {
    const browser = site.browser();
    browser.cookies.set('crier_session', value);
    expect((await browser.get('/account')).status).toBe(303);
  },
);

test('over https the cookies are bound to the host', async () => {
  await using secure = await servePeople(world, { publicUrl: 'https://crier.test' });
  const browser = secure.browser();
  await signIn(secure, browser, ADA);
  expect([...browser.cookies.keys()].sort()).toEqual([
    '__Host-crier_browser',
    '__Host-crier_known',
    '__Host-crier_session',
  ]);
});

test('a store that is away is a page that says to try again, and no defect', async () => {
  const away = world.through({
    before: () => Promise.reject(new PortError('unavailable', 'the store is away')),
    after: async () => {},
  });
  await using broken = await servePeople(away);
  const page = await broken.browser().get(`/sign-in/links/${'a'.repeat(43)}`);
  expect([page.status, page.html]).toEqual([503, expect.stringContaining('try again')]);
  expect(world.reporter.failures()).toEqual([]);
});

test.each(['PUT', 'DELETE', 'POST'])('other methods are refused with what is allowed: %s', async (method) => {
  const { status, headers } = await site.browser().ask(method, '/account');
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('a mail that can not be sent for now is sent a little later; one that is refused is reported', async () => {
  site.mailer.failure = new PortError('unavailable', 'the mail server is away');
  await askForLink(site.browser(), ADA);
  await until(() => world.reporter.of('mail-failed').length === 1, { what: 'a failed attempt' });
  site.mailer.failure = null;
  await world.clock.advance(1_000);
  await site.linkTo(ADA);
  site.mailer.failure = new PortError('refused', 'no such mailbox');
  await askForLink(site.browser(), GRACE);
  await until(() => world.reporter.of('link-not-mailed').length === 1, { what: 'a report' });
  expect(site.mailer.mails).toHaveLength(1);
});

test('a draining process still sends what it promised', async () => {
  const gate = Promise.withResolvers<void>();
  const send = site.mailer.send;
  Object.assign(site.mailer, { send: async (mail: never) => (await gate.promise, send(mail)) });
  await askForLink(site.browser(), ADA);
  let isDrained = false;
  const drained = site.mail.drain().then(() => (isDrained = true));
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(isDrained).toBe(false);
  gate.resolve();
  await drained;
  expect(site.mailer.mails).toHaveLength(1);
});
