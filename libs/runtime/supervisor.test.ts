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
      { service: 'a', trouble: 'not started yet' },
      { service: 'b', trouble: 'not started yet' },
    ]);
    await supervisor.start();
    expect(supervisor.health()).toEqual([
      { service: 'a', trouble: null },
      { service: 'b', trouble: 'the log is away' },
    ]);
  });

  test('takes no service, and no second start, once it was started', async () => {
    const supervisor = supervisorOf([]);
    await supervisor.start();
    expect(() => supervisor.add([])).toThrow('services are added while running');
    await expect(supervisor.start()).rejects.toThrow('start while running');
  });
});
