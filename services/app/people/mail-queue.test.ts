import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import type { Mail } from '#ports/mailer.ts';
import { until } from '#testing/until.ts';
import { MailQueue } from './mail-queue.ts';

test('invitations of a Workspace that hang, however many, delay no mail by which people sign in', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const sent: string[] = [];
  const mailer = {
    send: async ({ to }: Mail) => {
      if (to.startsWith('invited')) await released;
      sent.push(to);
    },
    close: async () => {},
  };
  const queue = new MailQueue({ mailer, clock: createMemoryClock(), reporter: createMemoryReporter() });
  const letterTo = (to: string): Mail => ({ to, subject: 'A letter', text: 'Its text' }) as Mail;
  const invited = Array.from({ length: 200 }, (_, index) =>
    queue.send(letterTo(`invited${index}@example.test`), 'invitation'),
  );
  const { promise: done, resolve: end } = Promise.withResolvers<void>();
  queue.add('192.0.2.1', async () => {
    await queue.send(letterTo('person@example.test'), 'sign-in');
    end();
  });
  await done;
  expect(sent).toEqual(['person@example.test']);
  release();
  await Promise.all(invited);
  await queue.stop();
});

test('letters of one range of addresses that hang keep no letter of another from being sent, nor from waiting', async () => {
  const queue = new MailQueue({
    mailer: { send: async () => {}, close: async () => {} },
    clock: createMemoryClock(),
    reporter: createMemoryReporter(),
  });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const taken = Array.from({ length: 2_000 }, () => queue.add('192.0.2.1', () => released));
  // Four of eight run, and as many wait as room is left.
  expect(taken.filter(Boolean).length).toBe(504);
  const sent: string[] = [];
  const all = ['198.51.100.1', '198.51.100.2', '198.51.100.1'].map((holder) =>
    queue.add(holder, async () => void sent.push(holder)),
  );
  expect(all).toEqual([true, true, true]);
  await until(() => sent.length === 3, { what: 'the letters of the others' });
  release();
  await queue.drain();
  await queue.stop();
});
