import { expect, test } from 'vitest';
import type { DeliverEvent } from '#messages/messages.ts';
import { PendingAttempt } from './pending-attempt.ts';

const job: DeliverEvent = {
  type: 'DeliverEvent',
  workspaceId: 'w',
  endpointId: 'e',
  deliveryId: 'd',
  round: '',
  roundSince: 0,
  attempt: 1,
  dueAt: 0,
  putOff: 0,
};
const pendingAttempt = () => new PendingAttempt(job, 'e.test');

test('an attempt settles only after it has begun, and once', async () => {
  const pending = pendingAttempt();
  expect(() => pending.settle('done')).toThrow('a pending attempt can not go from waiting to settled');
  pending.begin();
  expect(() => pending.begin()).toThrow('a pending attempt can not go from running to running');
  pending.settle('done');
  await pending.settled;
  expect(() => pending.fail(new Error('late'))).toThrow('a pending attempt can not go from settled to settled');
});

test('a failure that nothing waits for is no unhandled rejection', async () => {
  const pending = pendingAttempt();
  pending.begin();
  pending.fail(new Error('away'));
  await expect(pending.settled).rejects.toThrow('away');
});

test('one timer guards it until a job uses that up, and a timer that could not be set guards nothing', async () => {
  const pending = pendingAttempt();
  let timers = 0;
  const setTimer = async (): Promise<void> => void timers++;
  const noTimer = (): Promise<void> => Promise.reject(new Error('away'));
  await expect(pending.guard(job, noTimer)).rejects.toThrow('away');
  await pending.guard(job, setTimer);
  await pending.guard(job, setTimer);
  expect(timers).toBe(1);
  await pending.guard({ ...job, putOff: 1 }, setTimer);
  expect(timers).toBe(2);
});
