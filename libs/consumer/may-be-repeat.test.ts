import { expect, test } from 'vitest';
import { PortError } from '#ports/errors.ts';
import type { HandlerContext } from './consumer-options.ts';
import { openConsumerHarness } from './consumer-harness.fixture.ts';

const LATER_MS = 60_000;

/** A consumer whose handler notes `mayBeRepeat` of each record, which is a number. */
async function open() {
  const harness = openConsumerHarness();
  const told: (readonly [number: number, mayBeRepeat: boolean])[] = [];
  const owner = (name: string, fails: readonly number[] = []) => {
    const failing = new Set(fails);
    return harness.consumer(name, {
      handle: async (_key, messages, { mayBeRepeat }: HandlerContext) => {
        const { seenAt } = messages[0] as { readonly seenAt: number };
        told.push([seenAt, mayBeRepeat]);
        if (failing.delete(seenAt)) throw new PortError('unavailable', 'the store is away');
      },
      maxBatch: 1,
    });
  };
  const handled = (count: number) => harness.until(() => told.length === count, `${count} tries`);
  return { harness, told, owner, handled };
}

test('a record that comes to the first owner is new, and in its second try a repeat', async () => {
  const { harness, told, owner, handled } = await open();
  await owner('first', [2]);
  await harness.append('a', 1, 2, 3);
  await handled(4);
  expect(told).toEqual([
    [1, false],
    [2, false],
    [2, true],
    [3, false],
  ]);
});

test('what the last owner may have had when it vanished is a repeat; what comes later is new', async () => {
  const { harness, told, owner, handled } = await open();
  await owner('first');
  await harness.append('a', 1);
  await handled(1);
  harness.log.control.crash('first');
  await owner('second');
  await harness.append('b', 2);
  await harness.until(() => told.some(([number]) => number === 2), 'the record that came to the second owner');
  await harness.clock.advance(LATER_MS);
  await harness.append('c', 3);
  await harness.until(() => told.some(([number]) => number === 3), 'the record that came later');
  expect(told.filter(([number]) => number === 2)).toEqual([[2, true]]);
  expect(told.at(-1)).toEqual([3, false]);
});
