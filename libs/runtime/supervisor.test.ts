import { describe, expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import type { Service } from './service.ts';
import { Supervisor } from './supervisor.ts';

function services(...names: readonly string[]) {
  const calls: string[] = [];
  const record = (call: string) => async (): Promise<void> => void calls.push(call);
  const all = names.map((name): Service => ({
    name,
    start: record(`start ${name}`),
    drain: record(`drain ${name}`),
    stop: record(`stop ${name}`),
    trouble: () => null,
  }));
  return { calls, all };
}

const clock = createMemoryClock();
const reporter = createMemoryReporter();

function supervisorOf(services: readonly Service[]): Supervisor {
  const supervisor = new Supervisor({ clock, reporter });
  supervisor.add(services);
  return supervisor;
}

describe('a supervisor', () => {
  test('starts services in order, drains and stops them in reverse, once however often it is called', async () => {
    const { calls, all } = services('a', 'b');
    const supervisor = supervisorOf(all);
    await supervisor.start();
    expect(supervisor.running).toBe(true);
    await Promise.all([supervisor.drain(), supervisor.drain()]);
    await supervisor.stop();
    expect(calls).toEqual(['start a', 'start b', 'drain b', 'drain a', 'stop b', 'stop a']);
    expect([supervisor.running, clock.armed()]).toEqual([false, 0]);
  });

  test("a service that can not start stops the others, and its error is the start's", async () => {
    const { calls, all } = services('a', 'b', 'c');
    const failing = all.map((service) =>
      service.name === 'b'
        ? {
            ...service,
            start: async () => {
              throw new Error('port taken');
            },
          }
        : service,
    );
    await expect(supervisorOf(failing).start()).rejects.toThrow('port taken');
    expect(calls).toEqual(['start a', 'stop b', 'stop a']);
  });

  test('stopped while it starts, it starts no further service', async () => {
    const { calls, all } = services('a', 'b');
    const { promise: ready, resolve: release } = Promise.withResolvers<void>();
    const slow = all.map((service) => (service.name === 'a' ? { ...service, start: () => ready } : service));
    const supervisor = supervisorOf(slow);
    const starting = supervisor.start();
    await supervisor.stop();
    release();
    await starting;
    expect(calls).toEqual(['stop a']);
    expect(supervisor.running).toBe(false);
  });

  test('a service that never drains is stopped after 25 s, and so are the others', async () => {
    const { calls, all } = services('a', 'b');
    const stuck = all.map((service) =>
      service.name === 'b' ? { ...service, drain: () => new Promise<void>(() => {}) } : service,
    );
    const supervisor = supervisorOf(stuck);
    await supervisor.start();
    const draining = supervisor.drain();
    await clock.advance(25_000);
    await draining;
    expect(calls.slice(-2)).toEqual(['stop b', 'stop a']);
  });

  test('readers of the log end together, between the listeners before them and what they need', async () => {
    const { calls, all } = services('engine', 'reader 1', 'reader 2', 'listener');
    const left = Promise.withResolvers<void>();
    const joined = { state: 'joined', detail: null, idleMs: 0 } as const;
    const readers = all.map((service): Service =>
      service.name.startsWith('reader')
        ? { ...service, drain: () => service.drain().then(() => left.promise), membership: () => joined }
        : service,
    );
    const supervisor = supervisorOf(readers);
    await supervisor.start();
    const draining = supervisor.drain();
    await clock.advance(1);
    expect(calls.slice(4)).toEqual(['drain listener', 'drain reader 2', 'drain reader 1']);
    left.resolve();
    await draining;
    expect(calls.slice(7, 8)).toEqual(['drain engine']);
  });

  test('services that do not stop hold the end up for three seconds, however many they are', async () => {
    const { all } = services('a', 'b', 'c');
    const never = (): Promise<void> => new Promise(() => {});
    const supervisor = supervisorOf(all.map((service) => ({ ...service, drain: never, stop: never })));
    await supervisor.start();
    let ended = false;
    const draining = supervisor.drain().then(() => (ended = true));
    await clock.advance(25_000);
    await clock.advance(2_999);
    expect(ended).toBe(false);
    await clock.advance(1);
    await draining;
    expect(clock.armed()).toBe(0);
  });

  test('asked to end, it serves on for the delay and is not running, then drains', async () => {
    const { calls, all } = services('a');
    const supervisor = new Supervisor({ clock, reporter, drainDelayMs: 5_000 });
    supervisor.add(all);
    await supervisor.start();
    const draining = supervisor.drain();
    await clock.advance(4_999);
    expect([supervisor.running, calls]).toEqual([false, ['start a']]);
    await clock.advance(1);
    await draining;
    expect(calls).toEqual(['start a', 'drain a', 'stop a']);
    expect(clock.armed()).toBe(0);
  });

  test('services are told at the beginning of the delay, and not where there is none', async () => {
    for (const drainDelayMs of [0, 5_000]) {
      const { calls, all } = services('a');
      const supervisor = new Supervisor({ clock, reporter, drainDelayMs });
      supervisor.add(all.map((service) => ({ ...service, leave: () => void calls.push('leave a') })));
      await supervisor.start();
      const draining = supervisor.drain();
      expect(calls.includes('leave a')).toBe(drainDelayMs > 0);
      await clock.advance(drainDelayMs);
      await draining;
    }
  });

  test('stopped during the delay, it does not drain', async () => {
    const { calls, all } = services('a');
    const supervisor = new Supervisor({ clock, reporter, drainDelayMs: 5_000 });
    supervisor.add(all);
    await supervisor.start();
    const draining = supervisor.drain();
    await supervisor.stop();
    await draining;
    expect([calls, clock.armed()]).toEqual([['start a', 'stop a'], 0]);
  });

  test('a drain takes as long as it may', async () => {
    const { calls, all } = services('a');
    const stuck = all.map((service) => ({ ...service, drain: () => new Promise<void>(() => {}) }));
    const supervisor = new Supervisor({ clock, reporter, drainMs: 3_000 });
    supervisor.add(stuck);
    await supervisor.start();
    const draining = supervisor.drain();
    await clock.advance(2_999);
    expect(calls).toEqual(['start a']);
    await clock.advance(1);
    await draining;
    expect(calls).toEqual(['start a', 'stop a']);
  });

  test('a service that fails to end is reported, and the others still end', async () => {
    const { calls, all } = services('a', 'b');
    const failing = all.map((service) =>
      service.name === 'b'
        ? {
            ...service,
            drain: async () => {
              throw new Error('odd');
            },
            stop: async () => {
              throw new Error('odd');
            },
          }
        : service,
    );
    const supervisor = supervisorOf(failing);
    await supervisor.start();
    await supervisor.drain();
    expect(calls).toEqual(['start a', 'start b', 'drain a', 'stop a']);
    expect(reporter.of('service-stop-failed')).toHaveLength(2);
  });

  test('health names each service that is in trouble, or not started yet', async () => {
    const { all } = services('a', 'b');
    const supervisor = supervisorOf([all[0]!, { ...all[1]!, trouble: () => 'the log is away' }]);
    expect(supervisor.health()).toEqual([
      { service: 'a', trouble: 'not started yet', membership: null },
      { service: 'b', trouble: 'not started yet', membership: null },
    ]);
    await supervisor.start();
    expect(supervisor.health()).toEqual([
      { service: 'a', trouble: null, membership: null },
      { service: 'b', trouble: 'the log is away', membership: null },
    ]);
  });

  test('takes no service, and no second start, once it was started', async () => {
    const supervisor = supervisorOf([]);
    await supervisor.start();
    expect(() => supervisor.add([])).toThrow('services are added while running');
    await expect(supervisor.start()).rejects.toThrow('start while running');
  });
});
