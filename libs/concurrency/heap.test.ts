import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Heap } from './heap.ts';
import { IndexedHeap } from './indexed-heap.ts';

const sorted = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b);

function drained(heap: Heap<number>): number[] {
  const drawn: number[] = [];
  while (heap.size > 0) drawn.push(heap.pop()!);
  return drawn;
}

test('items come out in order, and those before a bound are visited, each once', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 })), fc.integer({ min: 0, max: 50 }), (numbers, bound) => {
      const heap = new Heap<number>((a, b) => a < b);
      for (const number of numbers) heap.push(number);
      const visited: number[] = [];
      heap.visit(
        (number) => number < bound,
        (number) => visited.push(number),
      );
      expect(sorted(visited)).toEqual(sorted(numbers.filter((number) => number < bound)));
      expect(drained(heap)).toEqual(sorted(numbers));
      expect([heap.peek(), heap.pop()]).toEqual([undefined, undefined]);
    }),
  );
});

test('items that are kept come out in order, and no others', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 })), fc.integer({ min: 1, max: 5 }), (numbers, divisor) => {
      const heap = new Heap<number>((a, b) => a < b);
      for (const number of numbers) heap.push(number);
      heap.keep((number) => number % divisor === 0);
      expect(drained(heap)).toEqual(sorted(numbers.filter((number) => number % divisor === 0)));
    }),
  );
});

test('items that change their order, or leave, keep all others in order', () => {
  const step = fc.record({ at: fc.nat(), to: fc.option(fc.integer({ min: 0, max: 50 })) });
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1 }), fc.array(step), (numbers, steps) => {
      const items = numbers.map((order) => ({ order }));
      const heap = new IndexedHeap<{ order: number }>((a, b) => a.order < b.order);
      for (const item of items) heap.put(item);
      for (const { at, to } of steps) {
        const item = items[at % items.length]!;
        if (to === null) heap.delete(item);
        else {
          item.order = to;
          heap.put(item);
        }
      }
      const left = items.filter((item) => heap.has(item));
      expect(heap.size).toBe(left.length);
      const drawn: number[] = [];
      for (let item = heap.peek(); item !== undefined; item = heap.peek()) {
        drawn.push(item.order);
        heap.delete(item);
      }
      expect(drawn).toEqual(sorted(left.map(({ order }) => order)));
    }),
  );
});
