import { afterAll, beforeAll, expect, test } from 'vitest';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { formsOf, TestBrowser } from '#testing/test-browser.ts';
import { until } from '#testing/until.ts';

let crier: CrierUnderTest;
beforeAll(async () => {
  crier = await CrierUnderTest.start({ name: 'sign-in' });
});
afterAll(() => crier[Symbol.asyncDispose]());

const browser = () => new TestBrowser(crier.ready.baseUrl!);
const pathOf = (url: string) => new URL(url).pathname;

async function linkTo(address: string, count: number): Promise<string> {
  const mailbox = `${crier.ready.sandboxUrl}/sandbox/mail?to=${encodeURIComponent(address)}`;
  const mails = await until(
    async () => {
      const { messages } = (await (await fetch(mailbox)).json()) as { messages: { text: string }[] };
      return messages.length >= count ? messages : null;
    },
    { what: `mail to ${address}` },
  );
  return pathOf(/http\S+\/sign-in\/links\/\S+/.exec(mails.at(-1)!.text)![0]);
}

test('the printed link signs in as the owner of the demo Workspace, once', async () => {
  const { email, signInUrl } = crier.ready.demo!;
  // The ready file may be there before what is printed beside it was read.
  await expect.poll(() => crier.stdout()).toContain(signInUrl);
  const owner = browser();
  const page = await owner.get(pathOf(signInUrl!));
  expect([page.status, page.html]).toEqual([200, expect.stringContaining(email)]);
  const signedIn = await owner.send(formsOf(page.html)[0]!);
  expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, `${crier.ready.baseUrl}/app`]);
  expect((await owner.get('/account')).html).toContain('<li><bdi>Demo</bdi>, owner</li>');
  expect((await browser().get(pathOf(signInUrl!))).status).toBe(410);
});

test('a new person signs in by mail, makes a Workspace, and stays signed in when the process is killed', async () => {
  const email = 'grace@example.com';
  const person = browser();
  expect((await person.get('/')).headers.get('location')).toBe(`${crier.ready.baseUrl}/app`);
  const taken = await person.send(formsOf((await person.get('/sign-in')).html)[0]!, { email });
  expect(taken.status).toBe(200);
  const path = await linkTo(email, 1);
  await crier.restart('kill');
  const signedIn = await person.send(formsOf((await person.get(path)).html)[0]!);
  expect(signedIn.status).toBe(303);
  const make = formsOf((await person.get('/account')).html).find(({ action }) => action === '/account/workspaces')!;
  expect((await person.send(make, { workspace: 'Tea House' })).status).toBe(303);
  await crier.restart('kill');
  expect((await person.get('/account')).html).toContain('<li><bdi>Tea House</bdi>, owner</li>');
  expect((await person.get(path)).status).toBe(410);
});

test('an invitation of an operator is mailed, and accepting it makes the Member', async () => {
  const { workspaceId } = crier.ready.demo!;
  const email = 'ada@example.com';
  await crier.admin().call('members.invite', { workspaceId, email, name: 'Ada', role: 'viewer' });
  const guest = browser();
  const page = await guest.get(await linkTo(email, 1));
  expect(page.html).toMatch(/<strong><bdi>Demo<\/bdi><\/strong> as a viewer/);
  expect((await guest.send(formsOf(page.html)[0]!)).status).toBe(303);
  expect((await guest.get('/account')).html).toContain('<li><bdi>Demo</bdi>, viewer</li>');
  const { members } = await crier.admin().call('workspaces.get', { workspaceId });
  expect(members).toContainEqual(expect.objectContaining({ name: 'Ada', email, role: 'viewer', emailVerified: true }));
});

test('no secret of a link or a session is in the log', async () => {
  const printed = crier.output();
  const secrets = [...printed.matchAll(/\/sign-in\/links\/([\w-]{43})/g)].map(([, token]) => token!);
  const log = printed
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .join('\n');
  expect(log).toContain('link-mailed');
  for (const secret of [...secrets, await linkTo('grace@example.com', 1).then((path) => path.split('/').at(-1)!)])
    expect(log).not.toContain(secret);
  expect(log).not.toContain('grace@example.com');
});
