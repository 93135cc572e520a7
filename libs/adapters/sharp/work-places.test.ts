import { expect, test } from 'vitest';
import { WorkPlaces } from './work-places.ts';

const settledOf = async (promise: Promise<unknown>): Promise<boolean> => {
  let isSettled = false;
  void promise.then(
    () => (isSettled = true),
    () => (isSettled = true),
  );
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  return isSettled;
};

test('a Workspace that is alone has a place for each processor', async () => {
  const places = new WorkPlaces({ isAlone: () => true, mostAlone: 2 });
  const first = await places.take('one');
  await places.take('one');
  const third = places.take('one');
  expect(await settledOf(third)).toBe(false);
  first();
  expect(await settledOf(third)).toBe(true);
});

test('each of several Workspaces has one place, and more again once it is alone', async () => {
  let isAlone = false;
  const places = new WorkPlaces({ isAlone: () => isAlone, mostAlone: 2 });
  const first = await places.take('one');
  await places.take('other');
  const further = [places.take('one'), places.take('one'), places.take('one')] as const;
  expect(await Promise.all(further.map(settledOf))).toEqual([false, false, false]);
  first();
  expect(await Promise.all(further.map(settledOf))).toEqual([true, false, false]);
  isAlone = true;
  (await further[0])();
  expect(await Promise.all(further.map(settledOf))).toEqual([true, true, true]);
});

test('one that no longer waits takes no place', async () => {
  const places = new WorkPlaces({ isAlone: () => false });
  const first = await places.take('one');
  const ending = new AbortController();
  const aborted = places.take('one', ending.signal);
  const last = places.take('one');
  ending.abort(new Error('cancelled'));
  await expect(aborted).rejects.toThrow('cancelled');
  first();
  expect(await settledOf(last)).toBe(true);
  await expect(places.take('one', AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
});
