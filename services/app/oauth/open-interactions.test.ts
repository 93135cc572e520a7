import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { INTERACTION_MS, OpenInteractions } from './open-interactions.ts';

function opened() {
  const clock = createMemoryClock();
  const forgotten: string[] = [];
  const open = new OpenInteractions({ clock, forget: async (id) => void forgotten.push(id) });
  let count = 0;
  const begin = async (caller: string | null, clientId = 'an app', id = `${caller} ${(count += 1)}`) => {
    await open.begun({ id, clientId, caller });
    return id;
  };
  const times = async (number: number, work: (index: number) => Promise<unknown>) => {
    for (let index = 0; index < number; index++) await work(index);
  };
  return { clock, open, forgotten, begin, times };
}

test('a caller has 50 open at most: the next one forgets their oldest, and nobody else loses one', async () => {
  const { open, forgotten, begin, times } = opened();
  const mine = await begin('me');
  const first = await begin('them');
  await times(49, () => begin('them'));
  expect(forgotten).toEqual([]);
  await begin('them');
  expect([forgotten, open.size]).toEqual([[first], 51]);
  await times(500, () => begin('them'));
  expect([forgotten.length, forgotten.includes(mine), open.size]).toEqual([501, false, 51]);
});

test('an app has 2,000 open at most, over all callers; others of the same callers stay', async () => {
  const { open, forgotten, begin, times } = opened();
  const first = await begin('caller 0', 'flooded');
  await begin('caller 0', 'another');
  await times(1_999, (index) => begin(`caller ${Math.floor(index / 40)}`, 'flooded'));
  expect(forgotten).toEqual([]);
  await begin('somebody', 'flooded');
  expect([forgotten, open.size]).toEqual([[first], 2_001]);
});

test('what was decided about, or is over, makes room', async () => {
  const { clock, open, forgotten, begin, times } = opened();
  const ids: string[] = [];
  await times(50, async () => ids.push(await begin('me')));
  open.ended(ids[7]!);
  open.ended(ids[7]!);
  await begin('me');
  expect([forgotten, open.size]).toEqual([[], 50]);
  await clock.advance(INTERACTION_MS);
  await begin('me');
  expect([forgotten, open.size]).toEqual([[], 1]);
});

test('many callers and apps together are bounded, too', async () => {
  const { open, begin, times } = opened();
  await times(20_100, (index) => begin(index % 2 === 0 ? null : `caller ${index}`, `app ${index % 100}`));
  expect(open.size).toBe(20_000);
});
