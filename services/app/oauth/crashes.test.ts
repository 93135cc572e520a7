import type * as oauth from 'oauth4webapi';
import { afterEach, expect, test } from 'vitest';
import type { TableHooks } from '#adapters/memory/table-store.ts';
import { PortError } from '#ports/errors.ts';
import { SeededRandom } from '#testing/seeded-random.ts';
import { fieldsOf } from './browser.fixture.ts';
import { BASE, OAuthHarness, type Tokens } from './oauth-harness.fixture.ts';

const CHALLENGE = 'x'.repeat(43);
const running: OAuthHarness[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

/** A process that dies after so many calls of its store: what was applied stays, and nothing more is. */
class Mortal implements TableHooks {
  #left = Infinity;
  calls = 0;

  dieAfter(calls: number): void {
    this.#left = calls;
    this.calls = 0;
  }

  get isDead(): boolean {
    return this.#left <= 0;
  }

  async before(): Promise<void> {
    if (this.isDead) throw new PortError('unavailable', 'the process is dead');
  }

  async after(): Promise<void> {
    this.calls += 1;
    this.#left -= 1;
    if (this.isDead) throw new PortError('unknown', 'the process died');
  }
}

/** A replica that may die, and one that stays. */
async function replicas(): Promise<{ mortal: Mortal; dying: OAuthHarness; survivor: OAuthHarness }> {
  const mortal = new Mortal();
  const dying = await OAuthHarness.start({ hooks: mortal });
  const survivor = await OAuthHarness.start({ of: dying, seed: 2 });
  running.push(dying, survivor);
  return { mortal, dying, survivor };
}

const outcomeOf = <T>(work: Promise<T>): Promise<T | null> => work.catch(() => null);

/** Runs the story with a death after each call in turn, until one run ends without. Answers with how often. */
async function atEachStep(story: (calls: number) => Promise<{ died: boolean }>): Promise<number> {
  for (let calls = 1; ; calls++) {
    const { died } = await story(calls);
    if (!died) return calls - 1;
  }
}

const canConnectAnew = async (server: OAuthHarness, client: oauth.Client) =>
  (await server.redeem(client, await server.approve(client))).access !== '';

test('no code is good twice and nobody is locked out, whenever the process dies while a code is redeemed', async () => {
  let redeemedAfterDeath = 0;
  const { mortal, dying, survivor } = await replicas();
  const client = await dying.register();
  const steps = await atEachStep(async (calls) => {
    mortal.dieAfter(Infinity);
    const approved = await dying.approve(client);
    mortal.dieAfter(calls);
    const first = await outcomeOf(dying.redeem(client, approved));
    const died = mortal.isDead;
    const second = await outcomeOf(survivor.redeem(client, approved));
    expect([first, second].filter((tokens) => tokens !== null).length).toBeLessThanOrEqual(1);
    if (died && second !== null) redeemedAfterDeath += 1;
    expect(await canConnectAnew(survivor, client)).toBe(true);
    return { died };
  });
  // Before the code is used up the repetition succeeds; afterwards the person approves again.
  expect(steps).toBeGreaterThan(5);
  expect(redeemedAfterDeath).toBeGreaterThan(1);
});

test('a refresh is repeated with success, whenever the process dies while a token is refreshed', async () => {
  const { mortal, dying, survivor } = await replicas();
  const client = await dying.register();
  const steps = await atEachStep(async (calls) => {
    mortal.dieAfter(Infinity);
    const tokens = await dying.redeem(client, await dying.approve(client));
    mortal.dieAfter(calls);
    await outcomeOf(dying.refresh(client, tokens.refresh));
    const died = mortal.isDead;
    const repeated = await survivor.refresh(client, tokens.refresh);
    await survivor.refresh(client, repeated.refresh);
    return { died };
  });
  expect(steps).toBeGreaterThan(5);
});

test('a consent is repeated as the same approval, or begun anew, whenever the process dies while it is given', async () => {
  let repeated = 0;
  const { mortal, dying, survivor } = await replicas();
  const client = await dying.register();
  const steps = await atEachStep(async (calls) => {
    mortal.dieAfter(Infinity);
    const known = dying.approvals.size;
    const browser = dying.browser();
    const page = await dying.reachConsent(browser, dying.authorizeUrl(client, CHALLENGE));
    const form = fieldsOf(await (await browser.get(page)).text());
    form.set('decision', 'approve');
    mortal.dieAfter(calls);
    const decided = await browser.post(page, form);
    const resume = decided.headers.get('location');
    if (decided.status === 303) await browser.get(resume!);
    const died = mortal.isDead;

    const elsewhere = survivor.browser();
    for (const [name, { value }] of browser.cookies()) elsewhere.setCookie(name, value);
    const again = await elsewhere.post(page, form);
    if (died && again.status === 303) {
      const answer = await elsewhere.get(again.headers.get('location')!);
      expect(new URL(answer.headers.get('location')!).searchParams.has('code')).toBe(true);
      repeated += 1;
    } else {
      expect(again.status).toBe(400);
    }
    expect(dying.approvals.size).toBe(known + 1);
    expect(await canConnectAnew(survivor, client)).toBe(true);
    return { died };
  });
  expect(steps).toBeGreaterThan(5);
  expect(repeated).toBeGreaterThan(2);
});

/** Two replicas whose calls of the store are put in ever other orders. */
async function interleaved(): Promise<readonly [OAuthHarness, OAuthHarness]> {
  const random = new SeededRandom(15);
  const turns = (count: number): Promise<void> =>
    count === 0 ? Promise.resolve() : new Promise((resolve) => setImmediate(() => resolve(turns(count - 1))));
  const hooks: TableHooks = {
    before: () => turns(Math.floor(random.between(0, 4))),
    after: () => turns(Math.floor(random.between(0, 4))),
  };
  const one = await OAuthHarness.start({ hooks });
  const other = await OAuthHarness.start({ hooks, of: one, seed: 2 });
  running.push(one, other);
  return [one, other];
}

test('of codes redeemed at once on two replicas, in any order of their steps, none is good twice', async () => {
  const [one, other] = await interleaved();
  const client: oauth.Client = await one.register();
  for (let round = 0; round < 8; round++) {
    const approved = await one.approve(client);
    const approvalId = [...one.approvals.keys()].at(-1)!;
    const tries = [one, other, one].map((server) => outcomeOf(server.redeem(client, approved)));
    const good = (await Promise.all(tries)).filter((tokens): tokens is Tokens => tokens !== null);
    expect(good.length).toBeLessThanOrEqual(1);
    // The second use told that somebody has the code who should not: whoever was first loses the approval, too.
    expect(one.approvals.get(approvalId)!.revoked).toBe(true);
  }
});

test('a consent that a browser hands in several times at once comes to one code', async () => {
  const [one] = await interleaved();
  const client = await one.register();
  for (let round = 0; round < 4; round++) {
    const browser = one.browser();
    const page = await one.reachConsent(browser, one.authorizeUrl(client, CHALLENGE));
    const form = fieldsOf(await (await browser.get(page)).text());
    form.set('decision', 'approve');
    const resume = (await browser.post(page, form)).headers.get('location')!;
    const answers = await Promise.all([1, 2, 3].map(() => browser.get(resume)));
    const callbacks = answers.map(({ headers }) => headers.get('location')).filter((to) => to !== null);
    expect(callbacks.filter((to) => new URL(to).searchParams.has('code'))).toHaveLength(1);
  }
});

test('a program that registers while the store goes away at any moment is told to try again', async () => {
  const { mortal, dying } = await replicas();
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ redirect_uris: ['https://app.test/callback'] });
  const seen: string[] = [];
  for (let calls = 0; seen.at(-1) !== '201 registered'; calls++) {
    mortal.dieAfter(calls);
    const answer = await dying.fetch(`${BASE}/oauth/register`, { method: 'POST', headers, body });
    const { error = 'registered' } = (await answer.json()) as { readonly error?: string };
    seen.push(`${answer.status} ${error}`);
  }
  expect(seen.length).toBeGreaterThan(2);
  expect(new Set(seen)).toEqual(new Set(['503 temporarily_unavailable', '201 registered']));
});
