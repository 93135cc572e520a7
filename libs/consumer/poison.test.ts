import { describe, expect, test } from 'vitest';
import type { TableHooks, TableOperation } from '#adapters/memory/table-store.ts';
import { PortError } from '#ports/errors.ts';
import { readHandling, writeHandling } from '#tables/repositories/handling.ts';
import { SeededRandom } from '#testing/seeded-random.ts';
import { GROUP, openConsumerHarness, SOURCE, type ConsumerHarness } from './consumer-harness.fixture.ts';
import type { KeyedConsumer } from './keyed-consumer.ts';
import type { KeyedConsumerOptions } from './consumer-options.ts';

const acknowledgedAll = (harness: ConsumerHarness) => () =>
  harness.acknowledged() === harness.log.control.records(SOURCE).length - 1;
const never = <T>(): Promise<T> => new Promise(() => {});

interface Life {
  readonly consumer: KeyedConsumer;
  readonly isDead: () => boolean;
  readonly kill: () => void;
}

/**
 * One owner after another over one log and one store. No promise of a dead owner settles any more.
 */
class Lives {
  readonly harness = openConsumerHarness();
  /** Numbers whose handling ends the process. */
  readonly deadly = new Set<number>();
  /** How long a record of a key takes. */
  readonly takesMs = new Map<string, number>();
  readonly begun: (readonly [life: number, key: string, number: number])[] = [];
  readonly ended: (readonly [life: number, key: string, number: number])[] = [];
  storeCalls = 0;
  /** How long reading what the last owner left takes. */
  storeAnswersAfterMs = 0;
  #count = 0;

  async next(options: Partial<KeyedConsumerOptions> = {}): Promise<Life> {
    const life = ++this.#count;
    let dead = false;
    const kill = (): void => {
      dead = true;
      this.harness.log.control.crash(`life ${life}`);
    };
    const hook = async ({ name, table }: { name: string; table: { name: string } }): Promise<void> => {
      if (name === 'compareAndSet' && table.name === 'handling') this.storeCalls++;
      if (name === 'read' && table.name === 'handling' && this.storeAnswersAfterMs > 0)
        await this.harness.clock.sleep(this.storeAnswersAfterMs);
      if (dead) await never();
    };
    const consumer = await this.harness.consumer(
      `life ${life}`,
      {
        handle: async (key, messages) => {
          for (const { seenAt } of messages as readonly { seenAt: number }[]) {
            this.begun.push([life, key, seenAt]);
            if (this.deadly.has(seenAt)) kill();
            if (dead) await never();
            await this.harness.clock.sleep(this.takesMs.get(key) ?? 0);
            if (dead) await never();
            this.ended.push([life, key, seenAt]);
          }
        },
        ...options,
      },
      {
        before: hook,
        after: async () => {
          if (dead) await never();
        },
      },
    );
    return { consumer, isDead: () => dead, kill };
  }

  /** Starts an owner and waits for its end, `times` times. */
  async die(times: number): Promise<void> {
    for (let time = 0; time < times; time++) {
      const { isDead } = await this.next();
      await this.harness.until(isDead, `death ${time + 1}`);
    }
  }

  handled(key: string): readonly number[] {
    return [...new Set(this.ended.filter(([, of]) => of === key).map(([, , number]) => number))];
  }
}

describe('a record whose handling ends the process', () => {
  /** One of 30 keys; its neighbours are in the same batch as it, before it and after it. */
  async function poisoned(): Promise<Lives> {
    const lives = new Lives();
    for (let key = 0; key < 15; key++) await lives.harness.append(`innocent ${key}`, 1, 2);
    await lives.harness.append('poisoned', 10, 666, 11);
    for (let key = 15; key < 30; key++) await lives.harness.append(`innocent ${key}`, 1, 2);
    lives.deadly.add(666);
    return lives;
  }

  test('is parked once three owners that were known to handle it have vanished, and its key alone', async () => {
    const lives = await poisoned();
    await lives.die(4);
    const { isDead } = await lives.next();
    await lives.harness.until(acknowledgedAll(lives.harness), 'all acknowledged');
    expect(isDead()).toBe(false);
    expect(await lives.harness.parked()).toMatchObject([
      { key: 'poisoned', wish: 'none', error: expect.stringContaining('last three processes') },
    ]);
    for (let key = 0; key < 30; key++) expect(lives.handled(`innocent ${key}`)).toEqual([1, 2]);
    expect(lives.handled('poisoned'), 'what came before it in the same batch').toEqual([10]);
    expect(lives.harness.reporter.of('key-parked').map(({ facts }) => facts['cause'])).toEqual(['vanished_owners']);
  });

  test('is parked also where records arrive before the store has answered what the last owner left', async () => {
    const lives = await poisoned();
    lives.storeAnswersAfterMs = 500;
    await lives.die(4);
    const { isDead } = await lives.next();
    await lives.harness.until(acknowledgedAll(lives.harness), 'all acknowledged');
    expect(isDead()).toBe(false);
    expect((await lives.harness.parked()).map(({ key }) => key)).toEqual(['poisoned']);
  });

  test('is parked after three deaths where every begin is marked, as for files', async () => {
    const lives = await poisoned();
    const options: Partial<KeyedConsumerOptions> = { marks: 'by_handler' };
    const handle: KeyedConsumerOptions['handle'] = async (key, messages, { marked }) => {
      for (const { seenAt } of messages as readonly { seenAt: number }[])
        await marked(async () => {
          lives.begun.push([0, key, seenAt]);
          if (lives.deadly.has(seenAt)) current!.kill();
          if (current!.isDead()) await never();
          lives.ended.push([0, key, seenAt]);
        });
    };
    let current: Life | null = null;
    for (let death = 0; death < 3; death++) {
      current = await lives.next({ ...options, handle });
      await lives.harness.until(() => current!.isDead(), `death ${death + 1}`);
    }
    current = await lives.next({ ...options, handle });
    await lives.harness.until(acknowledgedAll(lives.harness), 'all acknowledged');
    expect((await lives.harness.parked()).map(({ key }) => key)).toEqual(['poisoned']);
    expect(lives.begun.filter(([, , number]) => number === 666)).toHaveLength(3);
  });

  test('has a fresh count once an operator wants it tried again, and is parked anew; skipping leaves out this record alone', async () => {
    const lives = await poisoned();
    await lives.die(4);
    await lives.next();
    await lives.harness.until(acknowledgedAll(lives.harness), 'parked');
    await lives.harness.wish('poisoned', 'retry');
    const deaths = lives.begun.filter(([, , number]) => number === 666).length;
    await lives.harness.until(
      () => lives.begun.filter(([, , number]) => number === 666).length > deaths,
      'tried again',
    );
    await lives.die(2);
    const { isDead } = await lives.next();
    await lives.harness.until(async () => (await lives.harness.parked())[0]?.wish === 'none', 'parked again');
    expect(isDead()).toBe(false);
    expect(lives.begun.filter(([, , number]) => number === 666)).toHaveLength(deaths + 3);
    await lives.harness.wish('poisoned', 'skip');
    await lives.harness.until(async () => (await lives.harness.parked()).length === 0, 'freed');
    expect(lives.handled('poisoned')).toEqual([10, 11]);
  });

  test('two of them are both found, and no other key is parked', async () => {
    const lives = await poisoned();
    await lives.harness.append('also poisoned', 667, 12);
    lives.deadly.add(667);
    for (let life = 0; life < 12; life++) {
      const { isDead } = await lives.next();
      await lives.harness.until(() => isDead() || acknowledgedAll(lives.harness)(), 'dead or done');
      if (!isDead()) break;
    }
    await lives.harness.until(acknowledgedAll(lives.harness), 'all acknowledged');
    expect((await lives.harness.parked()).map(({ key }) => key).toSorted()).toEqual(['also poisoned', 'poisoned']);
  });
});

describe('an owner that ends through no fault of what it handles', () => {
  test.each([1, 2, 3, 4, 5])(
    'killed ten times in a row, at any moment, it leaves nothing parked (seed %i)',
    async (seed) => {
      const lives = new Lives();
      const random = new SeededRandom(seed);
      for (let key = 0; key < 40; key++) {
        await lives.harness.append(`key ${key}`, 1, 2, 3);
        lives.takesMs.set(`key ${key}`, key % 10 === 0 ? 900 : 20);
      }
      for (let kill = 0; kill < 10; kill++) {
        const life = await lives.next();
        await lives.harness.clock.advance(Math.floor(random.between(0, 4_000)));
        life.kill();
      }
      await lives.next();
      await lives.harness.until(acknowledgedAll(lives.harness), 'all acknowledged');
      expect(await lives.harness.parked()).toEqual([]);
    },
  );

  test.each(['stop', 'drain'] as const)(
    'ended (%s) ten times while it handles the same record, it leaves no suspect',
    async (how) => {
      const lives = new Lives();
      await lives.harness.append('long', 1);
      await lives.harness.append('other', 2);
      lives.takesMs.set('long', how === 'stop' ? 60_000 : 2_000);
      for (let end = 0; end < 10; end++) {
        const { consumer } = await lives.next();
        await lives.harness.clock.advance(1_000);
        const ended = consumer[how]();
        await lives.harness.clock.advance(5_000);
        await ended;
        await consumer.stop();
      }
      lives.takesMs.clear();
      await lives.next();
      await lives.harness.until(acknowledgedAll(lives.harness), 'all acknowledged');
      expect(await lives.harness.parked()).toEqual([]);
      expect(lives.harness.reporter.of('owner-vanished')).toEqual([]);
    },
  );

  test('that was handled and acknowledged before its third owner vanished condemns no later record of its key', async () => {
    const { harness } = new Lives();
    const source = { ...SOURCE, group: GROUP };
    await harness.append('key', 1);
    const first = await harness.consumer('first');
    await harness.until(acknowledgedAll(harness), 'handled');
    await first.drain();
    const { version } = await readHandling(harness.store, source);
    const keys = { key: { vanished: 2, suspected: [0, 0], running: [0, 0] } } as const;
    await writeHandling(harness.store, source, { version, handling: { owned: true, keys }, token: 'vanished' });
    await harness.append('key', 2);
    await harness.append('key', 3);
    await harness.consumer('next');
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect(await harness.parked()).toEqual([]);
    expect((await readHandling(harness.store, source)).keys).toEqual({});
  });

  test('whose mark was written although nobody could tell it goes on marking, and is not taken for one that vanished', async () => {
    const { harness } = new Lives();
    const isOfMarks = ({ name, table }: TableOperation, wanted: string): boolean =>
      name === wanted && table.name === 'handling';
    let [unanswered, unsettled] = [0, 0];
    const hooks: TableHooks = {
      before: async (operation) => {
        if (isOfMarks(operation, 'read') && unanswered === 1 && unsettled++ === 0)
          throw new PortError('unavailable', 'no answer to the read that was to settle it');
      },
      after: async (operation) => {
        if (isOfMarks(operation, 'compareAndSet') && unanswered++ === 0)
          throw new PortError('unknown', 'no answer to the write');
      },
    };
    await harness.append('key', 1);
    const first = await harness.consumer('first', {}, hooks);
    await harness.until(acknowledgedAll(harness), 'handled');
    expect([unanswered > 1, unsettled]).toEqual([true, 1]);
    await first.drain();
    await harness.append('key', 2);
    await harness.consumer('second');
    await harness.until(acknowledgedAll(harness), 'handled by the next owner');
    expect(harness.reporter.of('owner-vanished')).toEqual([]);
  });

  test('a partition that gets another owner ten times while a record is handled leaves no suspect', async () => {
    const lives = new Lives();
    await lives.harness.append('long', 1);
    lives.takesMs.set('long', 60_000);
    let before = await lives.next();
    await lives.harness.until(() => lives.begun.length === 1, 'the first owner handles it');
    for (let hand = 0; hand < 10; hand++) {
      const life = await lives.next();
      lives.harness.log.control.overlap(GROUP, SOURCE, `life ${hand + 2}`);
      lives.harness.log.control.rebalance(GROUP);
      await lives.harness.until(() => lives.begun.length === hand + 2, 'the next owner handles it');
      expect([before.consumer.owned().length, life.consumer.owned().length]).toEqual([0, 1]);
      before.kill();
      before = life;
    }
    await before.consumer.stop();
    expect(lives.begun).toHaveLength(11);
    lives.takesMs.clear();
    await lives.next();
    await lives.harness.until(acknowledgedAll(lives.harness), 'all acknowledged');
    expect(await lives.harness.parked()).toEqual([]);
  });
});

describe('what it costs', () => {
  test('an owner that ends well writes once when it begins and once when it releases the partition; for an idle partition it writes nothing', async () => {
    const lives = new Lives();
    const first = await lives.next();
    await lives.harness.clock.advance(60_000);
    expect(lives.storeCalls).toBe(0);
    for (let key = 0; key < 200; key++) await lives.harness.append(`key ${key}`, 1, 2, 3);
    await lives.harness.until(acknowledgedAll(lives.harness), 'all acknowledged');
    await first.consumer.drain();
    expect(lives.storeCalls).toBe(2);
  });

  test('after an owner vanished, marks of many keys share their writes, and end with what it left', async ({
    annotate,
  }) => {
    const lives = new Lives();
    for (let key = 0; key < 500; key++) await lives.harness.append(`key ${key}`, 1);
    const first = await lives.next({ handle: never });
    await lives.harness.clock.advance(10);
    first.kill();
    lives.storeCalls = 0;
    await lives.next();
    await lives.harness.until(acknowledgedAll(lives.harness), 'all acknowledged');
    await annotate(`${lives.storeCalls} writes for 500 keys of a partition, 8 at once`);
    expect(lives.storeCalls).toBeLessThan(300);
    await lives.harness.clock.advance(60_000);
    const before = lives.storeCalls;
    for (let key = 0; key < 100; key++) await lives.harness.append(`new ${key}`, 1);
    await lives.harness.until(acknowledgedAll(lives.harness), 'all acknowledged');
    expect(lives.storeCalls).toBe(before);
  });

  test('one suspect that takes an hour holds up neither the others nor other suspects', async () => {
    const lives = new Lives();
    for (let key = 0; key < 6; key++) await lives.harness.append(`key ${key}`, 1);
    lives.takesMs.set('key 0', 3_600_000);
    // Twice: the second time all six are known to have been at work.
    for (let death = 0; death < 2; death++) {
      const life = await lives.next({ handle: never });
      await lives.harness.clock.advance(100);
      life.kill();
    }
    await lives.next();
    await lives.harness.append('new', 1);
    await lives.harness.until(() => lives.handled('new').length === 1, 'the new one');
    const from = lives.harness.clock.monotonic();
    await lives.harness.until(
      () => [1, 2, 3, 4, 5].every((key) => lives.handled(`key ${key}`).length === 1),
      'the other suspects',
    );
    expect(lives.harness.clock.monotonic() - from).toBeLessThan(60_000);
  });
});
