import { describe, expect, test } from 'vitest';
import { FIRST, numbered, record, SECOND, type LogHarness } from '#port-suites/log-harness.ts';
import { logSuite } from '#port-suites/log.ts';
import { takenBackSuite } from '#port-suites/log-appended.ts';
import { eventually, Reader } from '#port-suites/log-reader.ts';
import type { GroupMember } from '../in-process/group-member.ts';
import { createMemoryLog } from './log.ts';

const TOPICS = [FIRST, SECOND];
const SOURCE = { topic: FIRST.name, partition: 0 };

const open = (syncs: 'at_once' | 'later') => async (): Promise<LogHarness> => {
  const log = createMemoryLog({ topics: TOPICS, syncs });
  return {
    log,
    restart: async () => {
      await log.close();
      return log.client('restarted');
    },
    crash: async (subscription) => (subscription as GroupMember).crash(),
    neighbour: async () => log.client('neighbour'),
    dispose: () => log.close(),
  };
};

logSuite('memory', open('at_once'));
logSuite('memory, synced later', open('later'));

takenBackSuite('memory, synced later', async () => {
  const log = createMemoryLog({ topics: TOPICS, syncs: 'later' });
  return {
    log,
    refuse: async () => {
      log.control.failNextAppend('full');
      return () => {};
    },
    dispose: () => log.close(),
  };
});

/** Collects steps so that the test chooses which one runs next. */
function manualSchedule() {
  const steps: { readonly label: string; readonly run: () => void }[] = [];
  const take = (prefix: string) => {
    const at = steps.findIndex(({ label }) => label.startsWith(prefix));
    if (at === -1) throw new Error(`nothing like "${prefix}" among ${steps.map(({ label }) => label).join(', ')}`);
    steps.splice(at, 1)[0]?.run();
  };
  const takeAll = () => {
    while (steps.length > 0) steps.shift()?.run();
  };
  return { schedule: (label: string, run: () => void) => void steps.push({ label, run }), take, takeAll, steps };
}

describe("a memory log under a test's control", () => {
  test('an append whose acknowledgement is lost is stored, and its outcome is unknown to the caller', async () => {
    const log = createMemoryLog({ topics: TOPICS });
    log.control.failNextAppend('ack-lost');
    await expect(log.append(FIRST.name, [record('k', 0)])).rejects.toMatchObject({ kind: 'unknown' });
    expect(log.control.records(SOURCE).map(({ key }) => key)).toEqual(['k']);
  });

  test('a lost append is not stored and looks the same to the caller', async () => {
    const log = createMemoryLog({ topics: TOPICS });
    log.control.failNextAppend('lost', FIRST.name);
    await expect(log.append(FIRST.name, [record('k', 0)])).rejects.toMatchObject({ kind: 'unknown' });
    expect(log.control.records(SOURCE)).toEqual([]);
  });

  test('a retried append stands twice in the log, both before what its caller appends next', async () => {
    const log = createMemoryLog({ topics: TOPICS });
    log.control.failNextAppend('twice');
    const [[position]] = await Promise.all([
      log.append(FIRST.name, [record('a', 0)]),
      log.append(FIRST.name, [record('b', 0)]),
    ]);
    expect(log.control.records(SOURCE).map(({ key }) => key)).toEqual(['a', 'a', 'b']);
    expect(position?.offset).toBe(1);
  });

  test('a crash takes back what its client appended and did not sync, and nothing else', async () => {
    const { schedule, take, takeAll } = manualSchedule();
    const log = createMemoryLog({ topics: TOPICS, syncs: 'later', hooks: { schedule } });
    const [crashing, living] = [log.client('crashing'), log.client('living')];
    const early = await Reader.open(log, { group: 'g', topics: [FIRST.name], reads: 'appended' });
    takeAll();
    void crashing.append(FIRST.name, [record('gone', 0)]);
    const kept = living.append(FIRST.name, [record('kept', 0)]);
    take('append crashing');
    take('append living');
    take('deliver g');
    expect(early.keys()).toEqual(['gone', 'kept']);
    expect(log.control.records(SOURCE)).toEqual([]);
    log.control.crash('crashing');
    expect(early.owned.has(`${SOURCE.topic}/0`)).toBe(false);
    takeAll();
    const [position] = await kept;
    expect(log.control.records(SOURCE).map(({ key, offset }) => [key, offset])).toEqual([['kept', position?.offset]]);
    expect(early.keys()).toEqual(['gone', 'kept', 'kept']);
  });

  test('redelivery starts after the last durable acknowledgement', async () => {
    const log = createMemoryLog({ topics: TOPICS });
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    await log.append(FIRST.name, numbered('k', 4, 0));
    await reader.until(() => expect(reader.records).toHaveLength(4));
    reader.subscription.ack(SOURCE, 1);
    await eventually(() => expect(log.control.acknowledged('g', SOURCE)).toBe(1));
    log.control.redeliver('g', SOURCE);
    await reader.until(() => expect(reader.keys()).toEqual(['k0', 'k1', 'k2', 'k3', 'k2', 'k3']));
  });

  test('one record can be delivered once more', async () => {
    const log = createMemoryLog({ topics: TOPICS });
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name], acknowledge: true });
    await log.append(FIRST.name, numbered('k', 3, 0));
    await reader.until(() => expect(reader.records).toHaveLength(3));
    log.control.duplicate('g', SOURCE, 0);
    await reader.until(() => expect(reader.keys()).toEqual(['k0', 'k1', 'k2', 'k0']));
  });

  test('a record that is delivered once more does not come before undelivered ones in front of it', async () => {
    const manual = manualSchedule();
    const log = createMemoryLog({ topics: TOPICS, hooks: manual });
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    manual.takeAll();
    log.control.hold('g', SOURCE);
    void log.append(FIRST.name, numbered('k', 3, 0));
    manual.takeAll();
    log.control.duplicate('g', SOURCE, 2);
    manual.takeAll();
    log.control.release('g', SOURCE);
    manual.takeAll();
    expect(reader.keys()).toEqual(['k0', 'k1', 'k2']);
  });

  test('the records of a held partition come late, and none is lost', async () => {
    const log = createMemoryLog({ topics: TOPICS });
    const reader = await Reader.open(log, { group: 'g', topics: [FIRST.name] });
    await reader.untilOwns(4);
    log.control.hold('g', SOURCE);
    await log.append(FIRST.name, [record('late', 0), record('punctual', 1)]);
    await reader.until(() => expect(reader.keys()).toEqual(['punctual']));
    log.control.release('g', SOURCE);
    await reader.until(() => expect(reader.keys()).toEqual(['punctual', 'late']));
  });

  test("with two owners at once both receive, and only the newer one's acknowledgements count", async () => {
    const log = createMemoryLog({ topics: TOPICS });
    const old = await Reader.open(log.client('old'), { group: 'g', topics: [FIRST.name] });
    await old.untilOwns(4);
    const young = await Reader.open(log.client('young'), { group: 'g', topics: [FIRST.name] });
    await young.untilOwns(2);
    const contested = {
      topic: FIRST.name,
      partition: [0, 1, 2, 3].find((partition) => old.owned.has(`${FIRST.name}/${partition}`)) ?? -1,
    };
    log.control.overlap('g', contested, 'young');
    await young.untilOwns(3);
    expect(old.owned.size).toBe(2);
    await log.append(FIRST.name, numbered('k', 3, contested.partition));
    await eventually(() =>
      expect([old.keys(contested), young.keys(contested)]).toEqual([
        ['k0', 'k1', 'k2'],
        ['k0', 'k1', 'k2'],
      ]),
    );
    old.subscription.ack(contested, 2);
    young.subscription.ack(contested, 0);
    await eventually(() => expect(log.control.acknowledged('g', contested)).toBe(0));
    log.control.rebalance('g');
    await eventually(() => expect(old.owned.size + young.owned.size).toBe(4));
  });

  test('a crashed client gets no callback and loses acknowledgements that were not durable yet', async () => {
    const manual = manualSchedule();
    const log = createMemoryLog({ topics: TOPICS, hooks: manual });
    const doomed = await Reader.open(log.client('doomed'), { group: 'g', topics: [FIRST.name] });
    void log.append(FIRST.name, [record('k', 0)]);
    manual.takeAll();
    expect(doomed.keys()).toEqual(['k']);
    doomed.subscription.ack(SOURCE, 0);
    log.control.crash('doomed');
    const heir = await Reader.open(log.client('heir'), { group: 'g', topics: [FIRST.name] });
    manual.takeAll();
    expect(heir.keys()).toEqual(['k']);
    void log.append(FIRST.name, [record('later', 0)]);
    manual.takeAll();
    expect(doomed.keys()).toEqual(['k']);
  });

  test('the schedule can let a new owner begin before the old one is notified of the loss', async () => {
    const manual = manualSchedule();
    const log = createMemoryLog({ topics: TOPICS, hooks: manual });
    const old = await Reader.open(log.client('old'), { group: 'g', topics: [FIRST.name] });
    manual.takeAll();
    const young = await Reader.open(log.client('young'), { group: 'g', topics: [FIRST.name] });
    manual.take('assign g young');
    expect([old.owned.size, young.owned.size]).toEqual([4, 2]);
    manual.takeAll();
    expect([old.owned.size, young.owned.size]).toEqual([2, 2]);
  });

  test.each(['revoke g asleep', 'assign g asleep'])(
    'a member that slept while another had its partition learns that it lost it: first %s',
    async (first) => {
      const manual = manualSchedule();
      const log = createMemoryLog({ topics: TOPICS, hooks: manual });
      const told: string[] = [];
      log.client('asleep').subscribe({
        ...{ group: 'g', topics: [FIRST.name], onRecords: () => {} },
        onAssigned: (partitions) => told.push(`assigned ${partitions.length}`),
        onRevoked: (partitions) => told.push(`revoked ${partitions.length}`),
      });
      manual.takeAll();
      await Reader.open(log.client('heir'), { group: 'g', topics: [FIRST.name] });
      manual.take('assign g heir');
      log.control.crash('heir');
      manual.take(first);
      manual.takeAll();
      expect(told).toEqual(['assigned 4', 'revoked 2', 'assigned 2']);
    },
  );

  test('no schedule reorders the appends of one client', async () => {
    const manual = manualSchedule();
    const log = createMemoryLog({ topics: TOPICS, hooks: manual });
    const appends = ['a', 'b', 'c'].map((key) => log.append(FIRST.name, [record(key, 0)]));
    while (manual.steps.length > 0) manual.steps.pop()?.run();
    await Promise.all(appends);
    expect(log.control.records(SOURCE).map(({ key }) => key)).toEqual(['a', 'b', 'c']);
  });
});
