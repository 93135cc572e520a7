import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Log } from '#ports/log.ts';
import { FIRST, numbered, record, type LogHarness } from './log-harness.ts';
import { Reader } from './log-reader.ts';

const SOURCE = { topic: FIRST.name, partition: 0 };

/** Subscribers that read what is appended, in a log where nothing fails. */
export function describeAppended(harness: () => LogHarness): void {
  test('who reads what is appended has every record once, in order, and all are durable once acknowledged', async () => {
    const { log } = harness();
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name], reads: 'appended' });
    const calls = numbered('k', 100, 0).map((each) => log.append(FIRST.name, [each]));
    const positions = (await Promise.all(calls)).flat();
    await reader.until(() => expect(reader.keys()).toEqual(numbered('k', 100).map(({ key }) => key)));
    expect(reader.records.map(({ offset }) => offset)).toEqual(positions.map(({ offset }) => offset));
    expect(await reader.subscription.isDurable(SOURCE, positions.at(-1)!.offset)).toBe(true);
    reader.subscription.ack(SOURCE, positions.at(-1)!.offset);
  });

  test('of a partition that is not assigned any more nothing is durable', async () => {
    const { log } = harness();
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name], reads: 'appended' });
    const [position] = await log.append(FIRST.name, [record('k', 0)]);
    await reader.until(() => expect(reader.keys()).toEqual(['k']));
    await reader.subscription.close();
    expect(await reader.subscription.isDurable(SOURCE, position!.offset)).toBe(false);
  });
}

/** A log whose next append to partition 0 is not stored. */
export interface FailingLogHarness {
  readonly log: Log;
  /** Until the function that it returns is called. */
  refuse(): Promise<() => void>;
  dispose(): Promise<void>;
}

/** What a log must do that delivers records before they are durable, when it can't store them. */
export function takenBackSuite(name: string, open: () => Promise<FailingLogHarness>): void {
  describe(`${name}: records that are taken back`, () => {
    let harness: FailingLogHarness;
    beforeEach(async () => {
      harness = await open();
    });
    afterEach(async () => {
      await harness.dispose();
    });

    test('are revoked before their append rejects, and what comes after them is read on', async () => {
      const { log } = harness;
      const early = await Reader.open(log, { group: 'early', topics: [FIRST.name], reads: 'appended' });
      const late = await Reader.open(log, { group: 'late', topics: [FIRST.name] });
      await Promise.all([early.untilOwns(4), late.untilOwns(4)]);
      const [kept] = await log.append(FIRST.name, [record('kept', 0)]);
      await early.until(() => expect(early.keys()).toEqual(['kept']));
      expect(await early.subscription.isDurable(SOURCE, kept!.offset)).toBe(true);
      early.subscription.ack(SOURCE, kept!.offset);
      early.history.length = 0;

      const accept = await harness.refuse();
      const gone = { key: 'gone', value: new Uint8Array(100_000), partition: 0 };
      const atRejection = await log.append(FIRST.name, [gone]).catch((error: unknown) => ({
        error,
        history: [...early.history],
        keys: early.keys(),
      }));
      expect(atRejection).toMatchObject({
        error: { name: 'PortError', kind: 'unavailable' },
        history: expect.arrayContaining(['revoked suite.first.v1/0']) as unknown,
        keys: ['kept', 'gone'],
      });
      accept();
      const [after] = await log.append(FIRST.name, [record('after', 0)]);
      await early.until(() => expect(early.keys()).toEqual(['kept', 'gone', 'after']));
      await late.until(() => expect(late.keys()).toEqual(['kept', 'after']));
      expect(early.history).toEqual(['revoked suite.first.v1/0', 'assigned suite.first.v1/0']);
      expect(new Set(early.records.map(({ offset }) => offset)).size).toBe(3);
      expect(await early.subscription.isDurable(SOURCE, after!.offset)).toBe(true);
    });

    test('who waits for one to be durable is told that it is not', async () => {
      const { log } = harness;
      const told: boolean[] = [];
      const reader = await Reader.open(log, {
        group: 'g',
        topics: [FIRST.name],
        reads: 'appended',
        onRecords: ({ subscription }, source, records) =>
          void subscription.isDurable(source, records.at(-1)!.offset).then((isDurable) => told.push(isDurable)),
      });
      await reader.untilOwns(4);
      await harness.refuse();
      const gone = { key: 'gone', value: new Uint8Array(100_000), partition: 0 };
      await expect(log.append(FIRST.name, [gone])).rejects.toMatchObject({ kind: 'unavailable' });
      await reader.until(() => expect(told).toEqual([false]));
    });

    test('an acknowledgement of a record that is not durable is a defect', async () => {
      const { log } = harness;
      const thrown: unknown[] = [];
      const reader = await Reader.open(log, {
        group: 'g',
        topics: [FIRST.name],
        reads: 'appended',
        onRecords: ({ subscription }, source, records) => {
          try {
            subscription.ack(source, records.at(-1)!.offset);
          } catch (error) {
            thrown.push(error);
          }
        },
      });
      await reader.untilOwns(4);
      await log.append(FIRST.name, [record('k', 0)]);
      expect(thrown.map(String)).toEqual([expect.stringContaining('is acknowledged before it is durable')]);
    });
  });
}
