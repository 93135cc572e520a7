import { describe, expect, it } from 'vitest';
import { ChangeBatches, type ChangeBatch } from './change-batches.ts';

/** Time that passes when a test says so. */
class ScriptedTime {
  now = 0;
  #timers: { at: number; callback: () => void }[] = [];

  after = (ms: number, callback: () => void) => {
    const timer = { at: this.now + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  };

  async pass(ms: number): Promise<void> {
    await settled();
    const end = this.now + ms;
    for (;;) {
      const [next] = this.#timers.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at);
      if (next === undefined) break;
      this.now = next.at;
      this.#timers = this.#timers.filter((other) => other !== next);
      next.callback();
      await settled();
    }
    this.now = end;
    await settled();
  }
}

/** Promises that wait for nothing but each other have gone on. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function changed(...postIds: string[]) {
  return { kind: 'changed', postIds, channels: false, all: false } as const;
}

function recorded() {
  const time = new ScriptedTime();
  const read: { at: number; batch: ChangeBatch }[] = [];
  const answers: (() => void)[] = [];
  const slow = { isSlow: false };
  const batches = new ChangeBatches({
    after: time.after,
    read: (batch) => {
      read.push({ at: time.now, batch });
      return slow.isSlow ? new Promise((resolve) => answers.push(resolve)) : Promise.resolve();
    },
  });
  return { time, read, answers, slow, batches };
}

describe('batches of changes', () => {
  it('reads the changes of 150 ms at once, each Post once', async () => {
    const { time, read, batches } = recorded();
    batches.add(changed('a', 'b'));
    await time.pass(100);
    batches.add(changed('b', 'c'));
    await time.pass(149);
    expect(read).toEqual([]);
    await time.pass(1);
    expect(read).toEqual([{ at: 250, batch: { postIds: ['a', 'b', 'c'], channels: false, all: false } }]);
  });

  it('reads within 400 ms under 100 changes a second that never pause, and loses none', async () => {
    const { time, read, batches } = recorded();
    const ids = Array.from({ length: 300 }, (_, index) => `post-${index}`);
    for (const id of ids) {
      batches.add(changed(id));
      await time.pass(10);
    }
    await time.pass(400);
    const gaps = read.map(({ at }, index) => at - (read[index - 1]?.at ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(420);
    expect(read.length).toBeLessThan(12);
    expect(read.flatMap(({ batch }) => batch.postIds)).toEqual(ids);
  });

  it('has one read at a time, and collects what comes meanwhile for the next', async () => {
    const { time, read, answers, slow, batches } = recorded();
    slow.isSlow = true;
    batches.add(changed('a'));
    await time.pass(200);
    batches.add(changed('b'));
    batches.add(changed('c'));
    await time.pass(5_000);
    expect(read.map(({ batch }) => batch.postIds)).toEqual([['a']]);
    answers[0]!();
    await time.pass(200);
    expect(read.map(({ batch }) => batch.postIds)).toEqual([['a'], ['b', 'c']]);
  });

  it('reads all that is shown when changes were missed, or are more than one call names', async () => {
    const { time, read, batches } = recorded();
    batches.add({ kind: 'stale' });
    await time.pass(150);
    batches.add(changed(...Array.from({ length: 101 }, (_, index) => `post-${index}`)));
    await time.pass(150);
    expect(read.map(({ batch }) => batch)).toEqual([
      { postIds: [], channels: true, all: true },
      { postIds: [], channels: false, all: true },
    ]);
  });

  it('reads nothing once it is stopped', async () => {
    const { time, read, batches } = recorded();
    batches.add(changed('a'));
    batches.stop();
    await time.pass(1_000);
    expect(read).toEqual([]);
  });
});
