import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Places, shareOf, type Place } from './places.ts';

const never = new AbortController().signal;
const isTaken = <K extends string>(place: Place<K>): place is Extract<Place<K>, { taken: true }> => place.taken;
const takeAll = (places: Places<'workspace'>, workspace: string) =>
  Array.from({ length: 100 }, () => places.take({ workspace })).filter(isTaken);

test('one holder has its share, and each that comes after it leaves a place for the next', () => {
  const places = new Places({ places: 32, mostOf: { workspace: shareOf(32, 4) } });
  const counts = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((workspace) => takeAll(places, workspace).length);
  expect(counts).toEqual([8, 8, 8, 4, 2, 1, 1, 0]);
});

test('a place that is left is free once, and the reason of a refusal is told', () => {
  const places = new Places({ places: 4, mostOf: { workspace: 2, host: 1 } });
  const place = places.take({ workspace: 'a', host: 'x' });
  expect([places.take({ workspace: 'a', host: 'x' }), place.taken]).toEqual([{ taken: false, by: 'host' }, true]);
  places.take({ workspace: 'a', host: 'y' });
  expect(places.take({ workspace: 'a', host: 'z' })).toEqual({ taken: false, by: 'workspace' });
  if (place.taken) [1, 2].forEach(() => place.leave());
  expect([places.take({ workspace: 'a', host: 'x' }).taken, places.take({ workspace: 'a', host: 'z' })]).toEqual([
    true,
    { taken: false, by: 'workspace' },
  ]);
  expect([
    places.take({ workspace: 'b', host: 'z' }).taken,
    places.take({ workspace: 'c', host: 'w' }).taken,
    places.take({ workspace: 'd', host: 'v' }),
  ]).toEqual([true, true, { taken: false, by: 'all' }]);
});

test('of those who wait the one is next that has least, and of one holder the first that came', async () => {
  const places = new Places({ places: 2, mostOf: { workspace: 2 }, mostWaiting: 10 });
  const [first, second] = [places.take({ workspace: 'a' }), places.take({ workspace: 'b' })];
  const order: string[] = [];
  const enter = (workspace: string, name: string) =>
    places.enter({ workspace }, never).then((place) => (order.push(name), place));
  const waiting = [enter('a', 'a1'), enter('a', 'a2'), enter('c', 'c1')];
  if (first.taken) first.leave();
  await waiting[0];
  if (second.taken) second.leave();
  await waiting[2];
  expect(order).toEqual(['a1', 'c1']);
  const place = await waiting[0]!;
  if (place.taken) place.leave();
  await waiting[1];
  expect(order).toEqual(['a1', 'c1', 'a2']);
});

test('who gives up waiting takes no place, and nobody waits where there is no room for it', async () => {
  const places = new Places({ places: 1, mostOf: { workspace: 1 }, mostWaiting: 1 });
  const place = places.take({ workspace: 'a' });
  const ending = new AbortController();
  const waiting = places.enter({ workspace: 'b' }, ending.signal);
  expect(await places.enter({ workspace: 'c' }, never)).toEqual({ taken: false, by: 'all' });
  ending.abort();
  expect(await waiting).toEqual({ taken: false, by: 'all' });
  expect(await places.enter({ workspace: 'c' }, ending.signal)).toEqual({ taken: false, by: 'all' });
  if (place.taken) place.leave();
  expect((await places.enter({ workspace: 'c' }, never)).taken).toBe(true);
});

test('whatever comes and goes, no holder has more than its share and nobody waits for a place that is free', async () => {
  const step = fc.record({
    workspace: fc.constantFrom('a', 'b', 'c'),
    host: fc.constantFrom('x', 'y', 'z'),
    leaves: fc.nat(9),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const places = new Places({ places: 6, mostOf: { workspace: 3, host: 2 }, mostWaiting: 100 });
      const held: { readonly workspace: string; readonly host: string; readonly leave: () => void }[] = [];
      const most = { workspace: 0, host: 0, all: 0 };
      const count = (): void => {
        for (const kind of ['workspace', 'host'] as const)
          most[kind] = Math.max(
            most[kind],
            ...[...Map.groupBy(held, (one) => one[kind]).values()].map((of) => of.length),
          );
        most.all = Math.max(most.all, held.length);
      };
      let entered = 0;
      for (const { workspace, host, leaves } of steps) {
        void places.enter({ workspace, host }, never).then((place) => {
          entered += 1;
          if (place.taken) held.push({ workspace, host, leave: place.leave });
        });
        await Promise.resolve();
        count();
        if (leaves < held.length) held.splice(leaves, 1)[0]!.leave();
        await Promise.resolve();
        count();
      }
      for (let one = held.pop(); one !== undefined; one = held.pop()) {
        one.leave();
        await Promise.resolve();
        await Promise.resolve();
      }
      expect([most.workspace <= 3, most.host <= 2, most.all <= 6, entered]).toEqual([true, true, true, steps.length]);
    }),
    { numRuns: 300 },
  );
});
