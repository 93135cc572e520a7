import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pools } from '#concurrency/pools.ts';
import { createFrontApp } from '#http-server/front-door.ts';
import type { Mail, Mailer } from '#ports/mailer.ts';
import { formsOf, TestBrowser, type ServedPage } from '#testing/test-browser.ts';
import { until } from '#testing/until.ts';
import { MailQueue } from './mail-queue.ts';
import { PUBLIC_URL, type PeopleWorld } from './people.fixture.ts';
import { StrangerLimits } from '#use-cases/stranger-limits.ts';
import { addStrangerGate } from './stranger-gate.ts';
import { createPeople, type People, type PeopleOptions } from './people.ts';

/** Keeps mail; `failure`: what the next sending rejects with. */
export class FakeMailer implements Mailer {
  readonly mails: Mail[] = [];
  failure: Error | null = null;

  readonly send = async (mail: Mail): Promise<void> => {
    if (this.failure !== null) throw this.failure;
    this.mails.push(mail);
  };

  readonly close = async (): Promise<void> => {};
}

export interface PeopleSite extends AsyncDisposable {
  readonly mailer: FakeMailer;
  readonly mail: MailQueue;
  readonly people: People;
  browser(headers?: Readonly<Record<string, string>>): TestBrowser;
  /** The path of the newest link that was mailed to the address. */
  linkTo(address: string, count?: number): Promise<string>;
}

/** The pages for people, served on a port of their own. */
export async function servePeople(
  world: PeopleWorld,
  { strangersPerMinute = 0, ...more }: Partial<PeopleOptions> & { readonly strangersPerMinute?: number } = {},
): Promise<PeopleSite> {
  const mailer = new FakeMailer();
  const mail = new MailQueue({ ...world, mailer, pools: new Pools(world) });
  const people = createPeople({
    ...world,
    publicUrl: PUBLIC_URL,
    mail,
    memberships: world.workspaces.list,
    sendCommand: world.workspaces.send,
    signUpOpen: true,
    ...more,
  });
  const app = createFrontApp({ trustedProxies: ['loopback'] });
  addStrangerGate(app, { ...world, ...people, strangers: new StrangerLimits(world.clock, strangersPerMinute) });
  people.addTo(app);
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    mailer,
    mail,
    people,
    browser: (headers) => new TestBrowser(origin, headers),
    async linkTo(address, count = 1) {
      const mails = () => mailer.mails.filter(({ to }) => to === address);
      await until(() => mails().length >= count, { what: `mail ${count} to ${address}` });
      return /\/sign-in\/links\/[\w-]+/.exec(mails().at(-1)!.text)![0];
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await mail.stop();
    },
  };
}

/** The form of `/sign-in`, sent for an address. */
export async function askForLink(browser: TestBrowser, email: string, returnTo?: string): Promise<ServedPage> {
  const query = returnTo === undefined ? '' : `?${new URLSearchParams({ return_to: returnTo }).toString()}`;
  const page = await browser.get(`/sign-in${query}`);
  return browser.send(formsOf(page.html)[0]!, { email });
}

/** Signs the browser in by a mailed link. */
export async function signIn(site: PeopleSite, browser: TestBrowser, email: string): Promise<ServedPage> {
  const count = site.mailer.mails.filter(({ to }) => to === email).length + 1;
  await askForLink(browser, email);
  const page = await browser.get(await site.linkTo(email, count));
  return browser.send(formsOf(page.html)[0]!);
}
