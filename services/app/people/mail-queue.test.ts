import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { Pools } from '#concurrency/pools.ts';
import type { Mail, Mailer } from '#ports/mailer.ts';
import { until } from '#testing/until.ts';
import { MailQueue } from './mail-queue.ts';

function open(send: Mailer['send'] = async () => {}) {
  const clock = createMemoryClock();
  const reporter = createMemoryReporter();
  const pools = new Pools({ clock, reporter });
  const queue = new MailQueue({ mailer: { send, close: async () => {} }, pools, clock, reporter });
  return { queue, pools, reporter, clock };
}

const letterTo = (to: string): Mail => ({ to, subject: 'A letter', text: 'Its text' }) as Mail;

test('invitations of a Workspace that hang, however many, delay no mail by which people sign in, and no other Workspace', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const [begun, sent]: [string[], string[]] = [[], []];
  const { queue, clock, reporter } = open(async ({ to }) => {
    begun.push(to);
    if (to.startsWith('invited')) await released;
    sent.push(to);
  });
  const invited = Array.from({ length: 200 }, (_, index) =>
    queue.sendForWorkspace('many', letterTo(`invited${index}@example.test`), 'invitation'),
  );
  queue.addForClient('192.0.2.1', () => queue.send(letterTo('person@example.test'), 'sign-in').then(() => undefined));
  expect(await queue.sendForWorkspace('few', letterTo('guest@example.test'), 'invitation')).toBeNull();
  await until(() => sent.length === 2, { what: 'the two letters of others' });
  expect(sent.toSorted()).toEqual(['guest@example.test', 'person@example.test']);
  expect(begun.filter((to) => to.startsWith('invited'))).toEqual(['invited0@example.test', 'invited1@example.test']);

  // An invitation that gets no permit of the pool within five seconds is refused, and its mail is never sent.
  await clock.advance(4_999);
  expect(reporter.of('pool-saturated')).toEqual([]);
  await clock.advance(1);
  const refused = await Promise.all(invited.slice(2));
  expect(refused.every((failure) => failure?.kind === 'unavailable')).toBe(true);
  expect(reporter.of('pool-saturated')[0]?.facts).toMatchObject({
    ...{ pool: 'letters', limit: 'workspace', workspaceId: 'many' },
  });
  const drained = queue.drain();
  release();
  await drained;
  expect(await Promise.all(invited.slice(0, 2))).toEqual([null, null]);
  expect(sent.length).toBe(4);
  expect(await queue.sendForWorkspace('few', letterTo('late@example.test'), 'invitation')).toMatchObject({
    kind: 'unavailable',
  });
  await queue.stop();
});

test('letters of one range of addresses that hang keep no letter of another from being sent, nor from waiting', async () => {
  const { queue, pools, reporter } = open();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const taken = Array.from({ length: 2_000 }, () => queue.addForClient('192.0.2.1', () => released));
  // Four of eight run, and as many wait as room is left.
  expect(taken.filter((noRoom) => noRoom === null).length).toBe(504);
  // Who was refused is told whose mails are too many, and when to come again; operators see it as of every pool.
  expect(taken.at(-1)).toEqual({ granted: false, by: 'client', retryAfterMs: 60_000 });
  expect(reporter.of('pool-saturated')[0]?.facts).toMatchObject({
    ...{ pool: 'sign-in-mails', limit: 'client', client: '192.0.2.1' },
  });
  expect(pools.top(1).find(({ pool }) => pool === 'sign-in-mails')).toMatchObject({
    ...{ tenants: 'clients', held: 4, waiting: 500, top: [{ id: '192.0.2.1', held: 4, waiting: 500 }] },
  });
  const sent: string[] = [];
  const all = ['198.51.100.1', '198.51.100.2', '198.51.100.1'].map((client) =>
    queue.addForClient(client, async () => void sent.push(client)),
  );
  expect(all).toEqual([null, null, null]);
  await until(() => sent.length === 3, { what: 'the letters of the others' });
  release();
  await queue.drain();
  await queue.stop();
});

test('beside a Workspace with many letters that hang, another has as many on their way as it may have alone', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const { queue } = open(async ({ to }) => {
    begun.push(to);
    await released;
  });
  const send = (workspace: string) => queue.sendForWorkspace(workspace, letterTo(workspace), 'invitation');
  const sent = Promise.all(['many', 'many', 'many', 'few', 'few', 'few'].map(send));
  await until(() => begun.length === 4, { what: 'two letters of each', withinMs: 10_000 });
  expect(begun.toSorted()).toEqual(['few', 'few', 'many', 'many']);
  release();
  expect((await sent).every((failure) => failure === null)).toBe(true);
  await queue.stop();
});

test('a mail server that hangs at the letters about endpoints of many Workspaces delays no mail to sign in', async () => {
  const { queue } = open();
  const hanging = Promise.withResolvers<void>();
  for (let index = 0; index < 100; index++) queue.addForWorkspace(`workspace ${index}`, () => hanging.promise);
  let isSent = false;
  queue.addForClient('192.0.2.1', async () => void (isSent = true));
  await until(() => isSent, { what: 'the mail to sign in', withinMs: 10_000 });
  hanging.resolve();
  await queue.drain();
  await queue.stop();
});

test('once it drains nothing more is taken, what waits is sent; once it is stopped, what waits is given up', async () => {
  const { queue } = open();
  const sent: number[] = [];
  const hanging = Promise.withResolvers<void>();
  for (let index = 0; index < 6; index++)
    queue.addForClient('192.0.2.1', async () => {
      await hanging.promise;
      sent.push(index);
    });
  const drained = queue.drain();
  expect(queue.addForClient('192.0.2.2', async () => {})).toEqual({ granted: false, by: 'all', retryAfterMs: 60_000 });
  hanging.resolve();
  await drained;
  expect(sent).toEqual([0, 1, 2, 3, 4, 5]);
  const { queue: other } = open();
  const forever = Promise.withResolvers<void>();
  const begun: number[] = [];
  for (let index = 0; index < 6; index++) other.addForClient('192.0.2.1', () => (begun.push(index), forever.promise));
  await other.stop();
  forever.resolve();
  await other.drain();
  expect(begun).toEqual([0, 1, 2, 3]);
});
