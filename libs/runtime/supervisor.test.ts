import { describe, expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import type { Service } from './service.ts';
import { Supervisor } from './supervisor.ts';

function services(...names: readonly string[]) {
  const calls: string[] = [];
  const say = (call: string) => async (): Promise<void> => void calls.push(call);
  const made = names.map((name): Service => ({
    name,
    start: say(`start ${name}`),
    drain: say(`drain ${name}`),
    stop: say(`stop ${name}`),
    trouble: () => null,
  }));
  return { calls, made };
}

const clock = createMemoryClock();
const reporter = createMemoryReporter();
const parts = { clock, reporter };

describe('a supervisor', () => {
  test('starts in order, drains and stops in reverse, once however often it is asked', async () => {
    const { calls, made } = services('a', 'b');
    const supervisor = new Supervisor(made, parts);
    await supervisor.start();
    expect(supervisor.running).toBe(true);
    await Promise.all([supervisor.drain(), supervisor.drain()]);
    await supervisor.stop();
    expect(calls).toEqual(['start a', 'start b', 'drain b', 'drain a', 'stop b', 'stop a']);
    expect([supervisor.running, clock.armed()]).toEqual([false, 0]);
  });

  test("one that can not start stops the others, and its error is the start's", async () => {
    const { calls, made } = services('a', 'b', 'c');
    const failing = made.map((service) =>
      service.name === 'b'
        ? {
            ...service,
            start: async () => {
              throw new Error('port taken');
            },
          }
        : service,
    );
    await expect(new Supervisor(failing, parts).start()).rejects.toThrow('port taken');
    expect(calls).toEqual(['start a', 'stop b', 'stop a']);
  });

  test('told to stop while starting, it starts no more', async () => {
    const { calls, made } = services('a', 'b');
    const { promise: ready, resolve: release } = Promise.withResolvers<void>();
    const slow = made.map((service) => (service.name === 'a' ? { ...service, start: () => ready } : service));
    const supervisor = new Supervisor(slow, parts);
    const starting = supervisor.start();
    await supervisor.stop();
    release();
    await starting;
    expect(calls).toEqual(['stop a']);
    expect(supervisor.running).toBe(false);
  });

  test('one that never drains is let go of in time, and the others are stopped', async () => {
    const { calls, made } = services('a', 'b');
    const stuck = made.map((service) =>
      service.name === 'b' ? { ...service, drain: () => new Promise<void>(() => {}) } : service,
    );
    const supervisor = new Supervisor(stuck, parts);
    await supervisor.start();
    const draining = supervisor.drain();
    await clock.advance(25_000);
    await draining;
    expect(calls.slice(-2)).toEqual(['stop b', 'stop a']);
  });

  test('one that fails to end is reported and holds back no other', async () => {
    const { calls, made } = services('a', 'b');
    const failing = made.map((service) =>
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
    const supervisor = new Supervisor(failing, parts);
    await supervisor.start();
    await supervisor.drain();
    expect(calls).toEqual(['start a', 'start b', 'drain a', 'stop a']);
    expect(reporter.of('service-end-failed')).toHaveLength(2);
  });

  test('health names each service that is not well, or not started yet', async () => {
    const { made } = services('a', 'b');
    const supervisor = new Supervisor([made[0]!, { ...made[1]!, trouble: () => 'the log is away' }], parts);
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
});
