import { describe, expect, it } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { FairPool } from '#concurrency/fair-pool.ts';
import { FairQueue, type FairQueueLimits, type QueuedDelivery } from './fair-queue.ts';

interface One extends QueuedDelivery {
  readonly name: string;
}

const LIMITS: FairQueueLimits = {
  atOnce: 8,
  atOnceOfHost: 8,
  waitingOfEndpoint: 100,
  waiting: 1_000,
  idleEndpoints: 10,
};

/** `timesFree` of the pool: without it one Workspace may take all. */
function turnsOf(about: Partial<FairQueueLimits> = {}, timesFree = Infinity): FairQueue<One> {
  const limits = { ...LIMITS, ...about };
  const permits = limits.atOnce;
  const pool = new FairPool({ permits, maxOf: { workspace: permits }, timesFree, clock: createMemoryClock() });
  return new FairQueue({ limits, pool, onTurn: () => {} });
}

/** Those that waited for the turns of their Workspaces have them. */
const turnsCome = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function one(endpointId: string, number = 0, about: Partial<One> = {}): One {
  return {
    endpointId,
    workspaceId: `of ${endpointId}`,
    host: `${endpointId}.test`,
    isFresh: true,
    name: `${endpointId}${number}`,
    ...about,
  };
}

/** Begins all that may begin. */
function begin(queue: FairQueue<One>): One[] {
  const begun: One[] = [];
  for (let next = queue.next(); next !== null; next = queue.next()) begun.push(next);
  return begun;
}

/** Makes the endpoint's share one, and it troubled. */
function trouble(queue: FairQueue<One>, endpointId: string, about: Partial<One> = {}): void {
  for (let count = 0; count < 5; count++) {
    queue.offer(one(endpointId, count, about));
    for (const begun of begin(queue)) queue.done(begun, false);
  }
}

const names = (all: readonly One[]): readonly string[] => all.map(({ name }) => name);

describe('turns', () => {
  it('go round the endpoints, however much waits for one of them', () => {
    const queue = turnsOf({ atOnce: 4 });
    for (let number = 0; number < 50; number++) queue.offer(one('a', number));
    queue.offer(one('b'));
    queue.offer(one('c'));
    expect(names(begin(queue))).toEqual(['a0', 'b0', 'c0', 'a1']);
  });

  it('of one endpoint are never more than its share at once', () => {
    const queue = turnsOf();
    for (let number = 0; number < 50; number++) queue.offer(one('a', number));
    expect(begin(queue)).toHaveLength(4);
    expect([queue.running, queue.waiting]).toEqual([4, 46]);
  });

  it('are for what is fresh first, and now and then for what is tried again', async () => {
    const queue = turnsOf({ atOnce: 1 });
    for (let number = 0; number < 4; number++)
      queue.offer(one('a', number, { isFresh: false, name: `again${number}` }));
    for (let number = 0; number < 20; number++) queue.offer(one('a', number, { name: `fresh${number}` }));
    const order: string[] = [];
    for (let [next] = begin(queue); next !== undefined; [next] = begin(queue)) {
      order.push(next.name);
      queue.done(next, true);
      await turnsCome();
    }
    expect(order.slice(0, 9)).toEqual([
      'fresh0',
      'fresh1',
      'fresh2',
      'fresh3',
      'fresh4',
      'fresh5',
      'fresh6',
      'again0',
      'fresh7',
    ]);
    expect(order).toHaveLength(24);
  });

  it('go on when one ends, until nothing waits', async () => {
    const queue = turnsOf({ atOnce: 3, atOnceOfHost: 2 });
    const all = ['a', 'b', 'c', 'd', 'e'].flatMap((endpoint) =>
      Array.from({ length: 7 }, (_, number) => one(endpoint, number, { host: 'shared.test' })),
    );
    for (const each of all) expect(queue.offer(each)).toBe(true);
    const running = begin(queue);
    const ended: string[] = [];
    for (let each = running.shift(); each !== undefined; each = running.shift()) {
      queue.done(each, ended.length % 3 === 0);
      ended.push(each.name);
      await turnsCome();
      running.push(...begin(queue));
      expect(queue.running).toBeLessThanOrEqual(2);
    }
    expect(ended.sort()).toEqual([...names(all)].sort());
  });
});

describe('Workspaces', () => {
  const hostile = (endpoint: number, number: number): One => one(`bad${endpoint}-`, number, { workspaceId: 'hostile' });

  it('with ten endpoints that keep all they get leave half of the slots to others', () => {
    const queue = turnsOf({ atOnce: 16, atOnceOfHost: 16 }, 1);
    for (let endpoint = 0; endpoint < 10; endpoint++)
      for (let number = 0; number < 4; number++) queue.offer(hostile(endpoint, number));
    expect(begin(queue)).toHaveLength(8);
    queue.offer(one('victim'));
    expect(names(begin(queue))).toEqual(['victim0']);
  });

  it('take turns, however many endpoints each has', async () => {
    const queue = turnsOf({ atOnce: 2 });
    for (let endpoint = 0; endpoint < 10; endpoint++) queue.offer(hostile(endpoint, 0));
    const running = begin(queue);
    queue.offer(one('a'));
    queue.offer(one('b'));
    begin(queue);
    const order: string[] = [];
    for (let each = running.shift(); each !== undefined; each = running.shift()) {
      order.push(each.name);
      queue.done(each, true);
      await turnsCome();
      running.push(...begin(queue));
    }
    expect(order).toHaveLength(12);
    expect(order.slice(2, 5)).toEqual(expect.arrayContaining(['a0', 'b0']));
  });

  it('that wait keep their turn where an endpoint has no slot for it', async () => {
    const queue = turnsOf({ atOnce: 2, atOnceOfHost: 1 });
    const shared = { host: 'shared.test' };
    queue.offer(one('a', 0, shared));
    queue.offer(one('c'));
    const [first, second] = begin(queue);
    // Both wait for a permit; by the time that b has one, its host is taken.
    queue.offer(one('b', 0, shared));
    queue.offer(one('d'));
    expect(begin(queue)).toEqual([]);
    queue.done(second!, true);
    await turnsCome();
    expect(names(begin(queue))).toEqual(['d0']);
    queue.done(first!, true);
    await turnsCome();
    expect(names(begin(queue))).toEqual(['b0']);
  });
});

describe('endpoints in trouble', () => {
  it('take at most half of the slots, and those that answer have the rest at once', () => {
    const queue = turnsOf();
    const bad = Array.from({ length: 10 }, (_, index) => `bad${index}-`);
    for (const endpoint of bad) trouble(queue, endpoint);
    for (const endpoint of bad) queue.offer(one(endpoint));
    expect(begin(queue)).toHaveLength(4);
    for (let number = 0; number < 10; number++) queue.offer(one('good', number));
    expect(names(begin(queue))).toEqual(['good0', 'good1', 'good2', 'good3']);
  });

  it('take at most half of a host that they share with others', () => {
    const queue = turnsOf({ atOnce: 100, atOnceOfHost: 4 });
    const shared = { host: 'shared.test' };
    for (const endpoint of ['x', 'y', 'z']) trouble(queue, endpoint, shared);
    for (const endpoint of ['x', 'y', 'z']) queue.offer(one(endpoint, 0, shared));
    expect(begin(queue)).toHaveLength(2);
    for (const endpoint of ['a', 'b']) queue.offer(one(endpoint, 0, shared));
    expect(names(begin(queue))).toEqual(['a0', 'b0']);
  });

  it('that wait are not forgotten when only others end', () => {
    const queue = turnsOf({ atOnce: 2 });
    for (const endpoint of ['x', 'y']) trouble(queue, endpoint);
    for (const endpoint of ['x', 'y']) queue.offer(one(endpoint));
    const [first, ...none] = begin(queue);
    expect(none).toEqual([]);
    queue.done(first!, false);
    expect(names(begin(queue))).toEqual([first!.name === 'x0' ? 'y0' : 'x0']);
  });
});

describe('room', () => {
  it('ends for an endpoint of which too much waits, and for no other', () => {
    const queue = turnsOf({ waitingOfEndpoint: 2 });
    expect([0, 1, 2].map((number) => queue.offer(one('a', number)))).toEqual([true, true, false]);
    expect(queue.offer(one('a', 3, { isFresh: false }))).toBe(true);
    expect(queue.offer(one('b'))).toBe(true);
  });

  it('ends for everybody when too much waits in all', () => {
    const queue = turnsOf({ waiting: 2 });
    expect(['a', 'b', 'c'].map((endpoint) => queue.offer(one(endpoint)))).toEqual([true, true, false]);
  });

  it('is not taken by endpoints that once were: they are forgotten, and begin anew', () => {
    const queue = turnsOf({ idleEndpoints: 3 });
    trouble(queue, 'bad');
    expect(queue.isTroubled('bad')).toBe(true);
    for (const endpoint of ['a', 'b', 'c', 'd', 'e']) {
      queue.offer(one(endpoint));
      for (const begun of begin(queue)) queue.done(begun, true);
    }
    expect(queue.isTroubled('bad')).toBe(false);
  });
});

it('an attempt without a result of its endpoint changes no limit', () => {
  const queue = turnsOf();
  for (let number = 0; number < 9; number++) queue.offer(one('a', number));
  for (const begun of begin(queue)) queue.done(begun, null);
  expect(begin(queue)).toHaveLength(4);
  expect(() => queue.done(one('a'), true)).toThrow('without a turn');
});

describe('a delivery', () => {
  it('has one turn, and ends it once', () => {
    const queue = turnsOf();
    const delivery = one('a');
    expect(() => queue.done(delivery, true)).toThrow('without a turn');
    queue.offer(delivery);
    begin(queue);
    queue.done(delivery, true);
    expect(() => queue.done(delivery, true)).toThrow('without a turn');
  });

  it('that runs is given no second turn', () => {
    const queue = turnsOf();
    const delivery = one('a');
    queue.offer(delivery);
    begin(queue);
    queue.offer(delivery);
    expect(() => queue.next()).toThrow('was given a second turn');
  });
});
