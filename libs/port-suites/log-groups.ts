import { expect, test, vi } from 'vitest';
import { FIRST, numbered, record, SECOND, type LogHarness } from './log-harness.ts';
import { eventually, nameOf, Reader } from './log-reader.ts';

const SOURCE = { topic: FIRST.name, partition: 0 };
const keysFrom = (prefix: string, from: number, to: number) =>
  numbered(prefix, to)
    .slice(from)
    .map(({ key }) => key);

/** Groups, acknowledgements and several members: which member gets which records, and which records are redelivered. */
export function describeGroups(harness: () => LogHarness): void {
  test('records that were not acknowledged are redelivered after a restart', async () => {
    const first = await Reader.open(harness().log, { group: 'g', topics: [FIRST.name] });
    await harness().log.append(FIRST.name, numbered('k', 20, 0));
    await first.until(() => expect(first.records).toHaveLength(20));
    const second = await Reader.open(await harness().restart(), { group: 'g', topics: [FIRST.name] });
    await second.until(() => expect(second.keys(SOURCE)).toEqual(keysFrom('k', 0, 20)));
  });

  test('records that were acknowledged before a close are not redelivered, and those after them are', async () => {
    const { log } = harness();
    const first = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    const positions = await log.append(FIRST.name, numbered('k', 20, 0));
    await first.until(() => expect(first.records).toHaveLength(20));
    first.subscription.ack(SOURCE, positions[11]?.offset ?? -1);
    const second = await Reader.open(await harness().restart(), { group: 'g', topics: [FIRST.name] });
    await second.until(() => expect(second.keys(SOURCE)).toEqual(keysFrom('k', 12, 20)));
  });

  test('an acknowledgement never moves back', async () => {
    const { log } = harness();
    const first = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    const positions = await log.append(FIRST.name, numbered('k', 20, 0));
    await first.until(() => expect(first.records).toHaveLength(20));
    first.subscription.ack(SOURCE, positions[15]?.offset ?? -1);
    first.subscription.ack(SOURCE, positions[3]?.offset ?? -1);
    await first.subscription.close();
    const second = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    await second.until(() => expect(second.keys(SOURCE)).toEqual(keysFrom('k', 16, 20)));
  });

  test('acknowledgements of a crashed member reach its successor soon, if not at once', async () => {
    const neighbour = await harness().neighbour();
    const first = await Reader.open(neighbour, { group: 'g', topics: [FIRST.name], acknowledge: true });
    await harness().log.append(FIRST.name, numbered('k', 20, 0));
    await first.until(() => expect(first.records).toHaveLength(20));
    await harness().crash(first.subscription);
    const second = await Reader.open(harness().log, { group: 'g', topics: [FIRST.name] });
    await harness().log.append(FIRST.name, [record('marker', 0)]);
    await second.until(() => expect(second.keys(SOURCE)).toContain('marker'));
    const again = second.keys(SOURCE).slice(0, -1);
    // Redelivered records are an unbroken end of the partition: a lost acknowledgement repeats records and never skips
    // any.
    expect(again).toEqual(keysFrom('k', 20 - again.length, 20));
  });

  test('a member says that it has joined, with and without a partition, and costs the log nothing to ask', async () => {
    const members = await Promise.all(
      [1, 2, 3].map(() => Reader.open(harness().log, { group: 'g', topics: [SECOND.name] })),
    );
    await eventually(() => {
      for (const { subscription } of members)
        expect(subscription.membership()).toMatchObject({ state: 'joined', detail: null });
    });
    for (const { subscription } of members) expect(subscription.membership().idleMs).toBeLessThan(30_000);
  });

  test('records that were not delivered yet are counted without asking', async () => {
    const { log } = harness();
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    await log.append(FIRST.name, numbered('first', 3, 0));
    await reader.until(() => expect(reader.records).toHaveLength(3));
    expect(reader.subscription.undelivered()).toBe(0);
    reader.subscription.pause([SOURCE]);
    await log.append(FIRST.name, numbered('later', 20, 0));
    await reader.until(() => expect(reader.subscription.undelivered()).toBe(20));
    expect(reader.records).toHaveLength(3);
    reader.subscription.resume([SOURCE]);
    await reader.until(() => expect([reader.records.length, reader.subscription.undelivered()]).toEqual([23, 0]));
  });

  test('groups read the same records independently', async () => {
    const { log } = harness();
    const [one, two] = await Promise.all(
      ['one', 'two'].map((group) => Reader.open(log, { group, topics: [FIRST.name], acknowledge: true })),
    );
    await log.append(FIRST.name, numbered('k', 60));
    await eventually(() => expect([one?.records.length, two?.records.length]).toEqual([60, 60]));
    await one?.subscription.close();
    await log.append(FIRST.name, numbered('more', 10));
    await eventually(() => expect(two?.records).toHaveLength(70));
    expect(one?.records).toHaveLength(60);
  });

  test('two members share the partitions, and when one closes the other takes over its partitions', async () => {
    const { log } = harness();
    const one = await Reader.open(log, { group: 'g', topics: [FIRST.name, SECOND.name], acknowledge: true });
    await one.untilOwns(6);
    const two = await Reader.open(log, { group: 'g', topics: [FIRST.name, SECOND.name], acknowledge: true });
    await eventually(() => expect([one.owned.size, two.owned.size]).toEqual([3, 3]));
    expect(new Set([...one.owned, ...two.owned]).size).toBe(6);
    await log.append(FIRST.name, numbered('shared', 100));
    await eventually(() => expect(new Set([...one.keys(), ...two.keys()]).size).toBe(100));
    await one.subscription.close();
    await two.untilOwns(6);
    await log.append(FIRST.name, numbered('after', 100));
    await two.until(() => expect(two.keys()).toEqual(expect.arrayContaining(keysFrom('after', 0, 100))));
  });

  test('the partitions of a crashed member go to the others, from its last durable acknowledgement', async () => {
    const { log } = harness();
    const one = await Reader.open(log, { group: 'g', topics: [FIRST.name], acknowledge: true });
    const two = await Reader.open(await harness().neighbour(), { group: 'g', topics: [FIRST.name] });
    await eventually(() => expect([one.owned.size, two.owned.size]).toEqual([2, 2]));
    await log.append(FIRST.name, numbered('k', 100));
    await eventually(() => expect(new Set([...one.keys(), ...two.keys()]).size).toBe(100));
    await harness().crash(two.subscription);
    await one.untilOwns(4);
    await one.until(() => expect(new Set(one.keys()).size).toBe(100));
  });

  test('members join and leave while records flow, and none is missing', async () => {
    const { log } = harness();
    const seen = new Set<string>();
    const handOver = (reader: Reader) => {
      for (const { key } of reader.records) seen.add(key);
    };
    const one = await Reader.open(log, { group: 'g', topics: [FIRST.name], acknowledge: true, onRecords: handOver });
    await one.untilOwns(4);
    const flow = (async () => {
      for (let round = 0; round < 60; round++) await log.append(FIRST.name, numbered(`r${round}-`, 20));
    })();
    const two = await Reader.open(log, { group: 'g', topics: [FIRST.name], acknowledge: true, onRecords: handOver });
    await two.untilOwns(2);
    await two.subscription.close();
    const three = await Reader.open(log, { group: 'g', topics: [FIRST.name], acknowledge: true, onRecords: handOver });
    await three.untilOwns(2);
    await flow;
    await eventually(() => expect(seen.size).toBe(1_200));
  });

  test('a partition is revoked only from a member that has it, and assigned only to one that has not', async () => {
    const { log } = harness();
    const one = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    await one.untilOwns(4);
    const two = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    await two.untilOwns(2);
    await two.subscription.close();
    await one.untilOwns(4);
    for (let partition = 0; partition < FIRST.partitions; partition++) {
      const name = nameOf({ topic: FIRST.name, partition });
      const steps = one.history.filter((step) => step.endsWith(` ${name}`)).map((step) => step.split(' ')[0]);
      expect(steps).toEqual(steps.map((_, index) => (index % 2 === 0 ? 'assigned' : 'revoked')));
    }
  });

  test('the progress of a group is known by partition, with who has each, and that of a group of nobody too', async () => {
    const { log } = harness();
    const reading = { group: 'g', topic: FIRST.name };
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    await reader.untilOwns(4);
    const positions = await log.append(FIRST.name, numbered('k', 7, 2));
    await reader.until(() => expect(reader.of({ topic: FIRST.name, partition: 2 })).toHaveLength(7));
    reader.subscription.ack({ topic: FIRST.name, partition: 2 }, positions[4]!.offset);
    const end = positions[6]!.offset + 1;
    await vi.waitFor(
      async () => {
        const known = await log.progress([reading, { group: 'strangers', topic: SECOND.name }]);
        expect(known.filter(({ group }) => group === 'g').map(({ partition }) => partition)).toEqual([0, 1, 2, 3]);
        expect(known.find(({ group, partition }) => group === 'g' && partition === 2)).toMatchObject({
          next: end - 2,
          end,
          owner: expect.any(String),
        });
        const strange = known.filter(({ group }) => group === 'strangers');
        expect(strange.map(({ owner, next, end: last }) => [owner, last - next])).toEqual([
          [null, 0],
          [null, 0],
        ]);
      },
      { timeout: 60_000, interval: 50 },
    );
    await expect(log.progress([{ group: 'g', topic: 'no.such.topic' }])).rejects.toMatchObject({ name: 'PortError' });
  });

  test('an acknowledgement after a revocation is harmless', async () => {
    const { log } = harness();
    const one = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    await one.untilOwns(4);
    const positions = await log.append(
      FIRST.name,
      [0, 1, 2, 3].map((partition) => record(`k${partition}`, partition)),
    );
    await one.until(() => expect(one.records).toHaveLength(4));
    const two = await Reader.open(log, { group: 'g', topics: [FIRST.name], acknowledge: true });
    await eventually(() => expect([one.owned.size, two.owned.size]).toEqual([2, 2]));
    for (const { partition, offset } of positions) one.subscription.ack({ topic: FIRST.name, partition }, offset);
    await log.append(
      FIRST.name,
      [0, 1, 2, 3].map((partition) => record(`later${partition}`, partition)),
    );
    await eventually(() => expect(new Set([...one.keys(), ...two.keys()]).size).toBe(8));
  });
}
