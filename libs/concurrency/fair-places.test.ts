import { describe, expect, test } from 'vitest';
import { FairPlaces } from './fair-places.ts';

/** Work that ends when it is told to, in the order in which it was let in. */
class Desk {
  readonly places: FairPlaces;
  readonly entered: string[] = [];
  readonly #ends: (() => void)[] = [];

  constructor(all: number) {
    this.places = new FairPlaces(all);
  }

  ask(key: string, times = 1, signal?: AbortSignal): readonly Promise<void>[] {
    return Array.from({ length: times }, () =>
      this.places.run(
        key,
        () => {
          this.entered.push(key);
          return new Promise<void>((end) => this.#ends.push(end));
        },
        signal,
      ),
    );
  }

  /** Of those at work, who came first. */
  async end(times = 1): Promise<void> {
    for (let time = 0; time < times; time++) {
      this.#ends.shift()!();
      await new Promise(setImmediate);
    }
  }

  count(key: string): number {
    return this.entered.filter((each) => each === key).length;
  }
}

describe('places that keys share', () => {
  test('one key alone gets three quarters of them', () => {
    const desk = new Desk(16);
    desk.ask('a', 100);
    expect(desk.places.held('a')).toBe(12);
  });

  test.each([1, 2, 3])('of %i there are, one key alone gets all but where a newcomer could be let in', (all) => {
    const desk = new Desk(all);
    desk.ask('a', 10);
    expect(desk.places.held('a')).toBe(Math.min(all, 3));
  });

  test('a newcomer is let in at once, however many wait and however long others stay', async () => {
    const desk = new Desk(16);
    desk.ask('a', 10_000);
    await new Promise(setImmediate);
    desk.ask('b');
    await new Promise(setImmediate);
    expect(desk.count('b')).toBe(1);
  });

  test('a single place goes from key to key in turn, whoever has more waiting', async () => {
    const desk = new Desk(1);
    desk.ask('a', 5);
    desk.ask('b', 2);
    desk.ask('c', 1);
    await new Promise(setImmediate);
    await desk.end(7);
    expect(desk.entered.join('')).toBe('abcabaaa');
  });

  test('who gives up waiting takes nobody along and leaves no place taken', async () => {
    const desk = new Desk(1);
    const giving = new AbortController();
    desk.ask('a');
    const given = desk.ask('b', 1, giving.signal);
    desk.ask('b');
    giving.abort(new Error('not wanted'));
    await expect(given[0]).rejects.toThrow('not wanted');
    await desk.end(2);
    expect(desk.entered).toEqual(['a', 'b']);
    expect([desk.places.held('a'), desk.places.held('b')]).toEqual([0, 0]);
    await expect(desk.ask('b', 1, giving.signal)[0]).rejects.toThrow('not wanted');
  });

  test('work that fails gives its place back', async () => {
    const places = new FairPlaces(1);
    await expect(places.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await places.run('a', async () => 'yes')).toBe('yes');
  });
});
