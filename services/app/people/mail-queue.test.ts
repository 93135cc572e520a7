import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import type { Mail } from '#ports/mailer.ts';
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
  queue.add(async () => {
    await queue.send(letterTo('person@example.test'), 'sign-in');
    end();
  });
  await done;
  expect(sent).toEqual(['person@example.test']);
  release();
  await Promise.all(invited);
  await queue.stop();
});
