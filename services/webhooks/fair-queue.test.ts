import { describe, expect, it } from 'vitest';
import { Turns, type TurnLimits, type Waiting } from './fair-queue.ts';

interface One extends Waiting {
  readonly name: string;
}

const LIMITS: TurnLimits = { atOnce: 8, atOnceOfHost: 8, waitingOfEndpoint: 100, waiting: 1_000, idleEndpoints: 10 };

function turnsOf(limits: Partial<TurnLimits> = {}): Turns<One> {
  return new Turns({ ...LIMITS, ...limits });
}

function one(endpointId: string, number = 0, about: Partial<One> = {}): One {
  return { endpointId, host: `${endpointId}.test`, isFresh: true, name: `${endpointId}${number}`, ...about };
}

/** Begins all that may begin. */
function begin(turns: Turns<One>): One[] {
  const begun: One[] = [];
  for (let next = turns.next(); next !== null; next = turns.next()) begun.push(next);
  return begun;
}

/** Makes the endpoint's share one, and it troubled. */
function trouble(turns: Turns<One>, endpointId: string, about: Partial<One> = {}): void {
  for (let count = 0; count < 5; count++) {
    turns.offer(one(endpointId, count, about));
    for (const begun of begin(turns)) turns.done(begun, false);
  }
}

const names = (all: readonly One[]): readonly string[] => all.map(({ name }) => name);

describe('turns', () => {
  it('go round the endpoints, however much waits for one of them', () => {
    const turns = turnsOf({ atOnce: 4 });
    for (let number = 0; number < 50; number++) turns.offer(one('a', number));
    turns.offer(one('b'));
    turns.offer(one('c'));
    expect(names(begin(turns))).toEqual(['a0', 'b0', 'c0', 'a1']);
  });

  it('of one endpoint are never more than its share at once', () => {
    const turns = turnsOf();
    for (let number = 0; number < 50; number++) turns.offer(one('a', number));
    expect(begin(turns)).toHaveLength(4);
    expect([turns.running, turns.waiting]).toEqual([4, 46]);
  });

  it('are for what is fresh first, and now and then for what is tried again', () => {
    const turns = turnsOf({ atOnce: 1 });
    for (let number = 0; number < 4; number++) turns.offer(one('a', number, { isFresh: false, name: `again${number}` }));
    for (let number = 0; number < 20; number++) turns.offer(one('a', number, { name: `fresh${number}` }));
    const order: string[] = [];
    for (let [next] = begin(turns); next !== undefined; [next] = begin(turns)) {
      order.push(next.name);
      turns.done(next, true);
    }
    expect(order.slice(0, 9)).toEqual(['fresh0', 'fresh1', 'fresh2', 'fresh3', 'fresh4', 'fresh5', 'fresh6', 'again0', 'fresh7']);
    expect(order).toHaveLength(24);
  });

  it('go on when one ends, until nothing waits', () => {
    const turns = turnsOf({ atOnce: 3, atOnceOfHost: 2 });
    const all = ['a', 'b', 'c', 'd', 'e'].flatMap((endpoint) => Array.from({ length: 7 }, (_, number) => one(endpoint, number, { host: 'shared.test' })));
    for (const each of all) expect(turns.offer(each)).toBe(true);
    const running = begin(turns);
    const ended: string[] = [];
    for (let each = running.shift(); each !== undefined; each = running.shift()) {
      turns.done(each, ended.length % 3 === 0);
      ended.push(each.name);
      running.push(...begin(turns));
      expect(turns.running).toBeLessThanOrEqual(2);
    }
    expect(ended.sort()).toEqual([...names(all)].sort());
  });
});

describe('endpoints in trouble', () => {
  it('take at most half of the slots, and those that answer have the rest at once', () => {
    const turns = turnsOf();
    const bad = Array.from({ length: 10 }, (_, index) => `bad${index}-`);
    for (const endpoint of bad) trouble(turns, endpoint);
    for (const endpoint of bad) turns.offer(one(endpoint));
    expect(begin(turns)).toHaveLength(4);
    for (let number = 0; number < 10; number++) turns.offer(one('good', number));
    expect(names(begin(turns))).toEqual(['good0', 'good1', 'good2', 'good3']);
  });

  it('take at most half of a host that they share with others', () => {
    const turns = turnsOf({ atOnce: 100, atOnceOfHost: 4 });
    const shared = { host: 'shared.test' };
    for (const endpoint of ['x', 'y', 'z']) trouble(turns, endpoint, shared);
    for (const endpoint of ['x', 'y', 'z']) turns.offer(one(endpoint, 0, shared));
    expect(begin(turns)).toHaveLength(2);
    for (const endpoint of ['a', 'b']) turns.offer(one(endpoint, 0, shared));
    expect(names(begin(turns))).toEqual(['a0', 'b0']);
  });

  it('that wait are not forgotten when only others end', () => {
    const turns = turnsOf({ atOnce: 2 });
    for (const endpoint of ['x', 'y']) trouble(turns, endpoint);
    for (const endpoint of ['x', 'y']) turns.offer(one(endpoint));
    const [first, ...none] = begin(turns);
    expect(none).toEqual([]);
    turns.done(first!, false);
    expect(names(begin(turns))).toEqual([first!.name === 'x0' ? 'y0' : 'x0']);
  });
});

describe('room', () => {
  it('ends for an endpoint of which too much waits, and for no other', () => {
    const turns = turnsOf({ waitingOfEndpoint: 2 });
    expect([0, 1, 2].map((number) => turns.offer(one('a', number)))).toEqual([true, true, false]);
    expect(turns.offer(one('a', 3, { isFresh: false }))).toBe(true);
    expect(turns.offer(one('b'))).toBe(true);
  });

  it('ends for everybody when too much waits in all', () => {
    const turns = turnsOf({ waiting: 2 });
    expect(['a', 'b', 'c'].map((endpoint) => turns.offer(one(endpoint)))).toEqual([true, true, false]);
  });

  it('is not taken by endpoints that once were: they are forgotten, and begin anew', () => {
    const turns = turnsOf({ idleEndpoints: 3 });
    trouble(turns, 'bad');
    expect(turns.isTroubled('bad')).toBe(true);
    for (const endpoint of ['a', 'b', 'c', 'd', 'e']) {
      turns.offer(one(endpoint));
      for (const begun of begin(turns)) turns.done(begun, true);
    }
    expect(turns.isTroubled('bad')).toBe(false);
  });
});

it('what says nothing of its endpoint changes no share', () => {
  const turns = turnsOf();
  for (let number = 0; number < 9; number++) turns.offer(one('a', number));
  for (const begun of begin(turns)) turns.done(begun, null);
  expect(begin(turns)).toHaveLength(4);
  expect(() => turns.done(one('a'), true)).toThrow('without a turn');
});
