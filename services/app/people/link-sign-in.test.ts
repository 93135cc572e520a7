import { beforeEach, describe, expect, test } from 'vitest';
import type { TableHooks } from '#adapters/memory/table-store.ts';
import { accountIdOf } from '#domain/account.ts';
import { PortError } from '#ports/errors.ts';
import { ADA, createPeopleWorld, signInOf, type PeopleWorld } from './people.fixture.ts';
import type { SignInOutcome } from './link-sign-in.ts';
import type { NewLink } from './sign-in-links.ts';

const MINUTE_MS = 60_000;
const BROWSER = { browserHash: 'hers', browser: 'Firefox on Linux', address: '192.0.2.7' };

let world: PeopleWorld;
beforeEach(() => {
  world = createPeopleWorld();
});

const linkOf = (more: Partial<NewLink> = {}): NewLink => ({
  email: ADA,
  purpose: 'sign-in',
  browserHash: 'hers',
  returnPath: '/oauth/consent/1',
  expiresAt: world.clock.now() + 15 * MINUTE_MS,
  invitation: null,
  ...more,
});
const INVITATION = {
  workspaceId: 'w9',
  workspaceName: 'Tea House',
  invitationId: 'i1',
  memberId: 'm9',
  role: 'viewer',
  name: 'Ada',
} as const;
const made = async (more: Partial<NewLink> = {}) => (await signInOf(world).links.make(linkOf(more))).split('/').at(-1)!;
const open = (token: string, browser = BROWSER) => signInOf(world).signIn.byLink(token, browser);
const cookieOf = (outcome: SignInOutcome) =>
  outcome.kind === 'signed-in' ? `crier_session=${accountIdOf(outcome.email)}.${outcome.secret.value}` : '';
const signedInBy = (outcome: SignInOutcome) =>
  signInOf(world).sessions.current({ headers: { cookie: cookieOf(outcome) } });

test('a link signs in once, and goes on only in the browser that asked', async () => {
  const [hers, elsewhere] = [await made(), await made()];
  const outcome = await open(hers);
  expect(outcome).toMatchObject({ kind: 'signed-in', email: ADA, returnPath: '/oauth/consent/1' });
  expect(await signedInBy(outcome)).toMatchObject({ accountId: accountIdOf(ADA), email: ADA });
  expect(await open(elsewhere, { ...BROWSER, browserHash: 'another' })).toMatchObject({ returnPath: '/app' });
  for (const token of [hers, elsewhere]) expect((await open(token)).kind).toBe('used');
  expect((await open('a'.repeat(43))).kind).toBe('unknown');
  expect((await open('short')).kind).toBe('unknown');
});

test('of two forms that are sent at once, one signs in', async () => {
  const token = await made();
  const outcomes = await Promise.all([1, 2, 3, 4].map(() => open(token)));
  expect(outcomes.filter(({ kind }) => kind === 'signed-in')).toHaveLength(1);
  expect(await signInOf(world).sessions.list(accountIdOf(ADA))).toHaveLength(1);
});

test('a link is good for its time and not a millisecond longer, by the clock of Crier', async () => {
  const [early, late] = [await made(), await made()];
  world.clock.moveWall(15 * MINUTE_MS - 1);
  expect((await open(early)).kind).toBe('signed-in');
  world.clock.moveWall(1);
  expect((await open(late)).kind).toBe('expired');
});

test('a link stays used when its session was ended', async () => {
  const token = await made();
  const outcome = await open(token);
  const current = await signedInBy(outcome);
  await signInOf(world).sessions.end(current!.accountId, current!.sessionHash, 'sign-out');
  expect(await signedInBy(outcome)).toBeNull();
  expect((await open(token)).kind).toBe('used');
});

test('signing in verifies the address in every Workspace that does not know it yet', async () => {
  world.workspaces.add({ email: ADA, workspaceId: 'w1', memberId: 'm1', emailVerified: true });
  world.workspaces.add({ email: ADA, workspaceId: 'w2', memberId: 'm2', emailVerified: false });
  world.workspaces.add({ email: ADA, workspaceId: 'w3', memberId: 'm3', emailVerified: false, removed: true });
  expect((await open(await made())).kind).toBe('signed-in');
  expect(world.workspaces.commands).toEqual([{ type: 'VerifyEmail', workspaceId: 'w2', memberId: 'm2' }]);
});

test('a link whose Workspace gave no answer in time stays good', async () => {
  world.workspaces.answer = () => ({ ok: false, code: 'outcome_unknown', message: 'not known yet' });
  const token = await made({ purpose: 'invitation', invitation: INVITATION });
  await expect(open(token)).rejects.toThrow(PortError);
  world.workspaces.answer = null;
  expect((await open(token)).kind).toBe('signed-in');
});

test('signs in although a Workspace does not answer VerifyEmail, which is sent again later', async () => {
  world.workspaces.add({ email: ADA, workspaceId: 'w1', memberId: 'm1', emailVerified: false });
  world.workspaces.add({ email: ADA, workspaceId: 'w2', memberId: 'm2', emailVerified: true });
  world.workspaces.answer = () => ({ ok: false, code: 'outcome_unknown', message: 'not known yet' });
  expect((await open(await made())).kind).toBe('signed-in');
  world.workspaces.answer = null;
  expect((await open(await made())).kind).toBe('signed-in');
  expect(await world.workspaces.list(accountIdOf(ADA))).toMatchObject([{ emailVerified: true }, {}]);
});

test('an invitation that a Workspace refuses signs nobody in, and its link stays as it was', async () => {
  const token = await made({ purpose: 'invitation', invitation: INVITATION, browserHash: null });
  world.workspaces.answer = () => ({ ok: false, code: 'plan_limit', message: 'The Plan has no room.' });
  expect(await open(token)).toEqual({ kind: 'refused', message: 'The Plan has no room.' });
  world.workspaces.answer = null;
  expect(await open(token)).toMatchObject({ kind: 'signed-in', returnPath: '/app' });
  expect(world.workspaces.addresses, 'for the audit').toEqual([BROWSER.address, BROWSER.address]);
  expect(await world.workspaces.list(accountIdOf(ADA))).toMatchObject([{ workspaceId: 'w9', memberId: 'm9' }]);
});

describe('a process that dies between any two steps', () => {
  class Killed extends Error {}

  /** The installation in a process that ends before, or right after, its nth call of the store. */
  function dyingAt(call: number, when: 'before' | 'after'): PeopleWorld {
    let calls = 0;
    let dead = false;
    const die = (now: boolean): Promise<void> => {
      dead ||= now;
      return dead ? Promise.reject(new Killed()) : Promise.resolve();
    };
    const hooks: TableHooks = {
      before: () => die(++calls === call && when === 'before'),
      after: () => die(calls === call && when === 'after'),
    };
    return world.through(hooks);
  }

  const steps = [1, 2, 3, 4, 5, 6, 7].flatMap((call) => [[call, 'before'] as const, [call, 'after'] as const]);

  test.each(steps)(
    'at call %i, %s it: sending the form again signs in, or the session is there',
    async (call, when) => {
      const token = await made({ purpose: 'invitation', invitation: INVITATION });
      const first = await signInOf(dyingAt(call, when))
        .signIn.byLink(token, BROWSER)
        .catch(() => null);
      const again = first ?? (await open(token));
      const sessions = await signInOf(world).sessions.list(accountIdOf(ADA));
      // Only the answer was lost: then the session was made, the link is used, and a new one may be asked for.
      if (again.kind === 'used') expect(sessions).toHaveLength(1);
      else expect(await signedInBy(again)).not.toBeNull();
      expect(sessions).toHaveLength(1);
      expect(await world.workspaces.list(accountIdOf(ADA))).toHaveLength(1);
      expect((await open(token)).kind).toBe('used');
    },
  );

  test('again and again keeps nobody out', async () => {
    const token = await made();
    for (let call = 1; call <= 8; call++)
      for (const when of ['before', 'after'] as const)
        await signInOf(dyingAt(call, when))
          .signIn.byLink(token, BROWSER)
          .catch(() => null);
    const last = await open(token);
    const sessions = await signInOf(world).sessions.list(accountIdOf(ADA));
    expect([last.kind, sessions.length]).toEqual([expect.stringMatching(/^(signed-in|used)$/), 1]);
  });

  test('a request that was slow to make its session is refused when another one signed in meanwhile', async () => {
    const token = await made();
    const gate = Promise.withResolvers<void>();
    let writes = 0;
    const slow = world.through({
      before: async ({ name, table }) => {
        if (name === 'compareAndSet' && table.name === 'sessions' && (writes += 1) === 1) await gate.promise;
      },
      after: async () => {},
    });
    const first = signInOf(slow).signIn.byLink(token, BROWSER);
    while (writes === 0) await new Promise((resolve) => setImmediate(resolve));
    expect((await open(token)).kind).toBe('signed-in');
    gate.resolve();
    expect((await first).kind).toBe('used');
    expect(await signInOf(world).sessions.list(accountIdOf(ADA))).toHaveLength(1);
  });
});
