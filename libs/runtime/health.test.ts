import { describe, expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createHealth, type HealthOptions } from './health.ts';

const well = { check: async () => {} };

function healthOf(options: Partial<HealthOptions>) {
  const clock = createMemoryClock();
  return {
    clock,
    health: createHealth({
      running: () => true,
      services: () => [{ service: 'ingress', trouble: null }],
      store: well,
      log: well,
      clock,
      ...options,
    }),
  };
}

describe('health', () => {
  test('is ready when all are well', async () => {
    const { health, clock } = healthOf({});
    expect(await health()).toEqual({
      ready: true,
      checks: ['process', 'store', 'log', 'ingress'].map((name) => ({ name, trouble: null })),
    });
    expect(clock.armed()).toBe(0);
  });

  test.each<[string, Partial<HealthOptions>, object]>([
    ['the process is draining', { running: () => false }, { name: 'process', trouble: 'starting or draining' }],
    [
      'a service is in trouble',
      { services: () => [{ service: 'scheduler', trouble: 'scheduler: behind' }] },
      { name: 'scheduler', trouble: 'scheduler: behind' },
    ],
    [
      'the store rejects',
      { store: { check: () => Promise.reject(new Error('no node')) } },
      { name: 'store', trouble: 'no node' },
    ],
    [
      'the log throws',
      {
        log: {
          check: () => {
            throw new Error('closed');
          },
        },
      },
      { name: 'log', trouble: 'closed' },
    ],
  ])('is not ready when %s', async (_, options, check) => {
    const { ready, checks } = await healthOf(options).health();
    expect(ready).toBe(false);
    expect(checks).toContainEqual(check);
  });

  test('an engine that hangs is in trouble after two seconds', async () => {
    const { health, clock } = healthOf({ store: { check: () => new Promise(() => {}) } });
    const asked = health();
    await clock.advance(2_000);
    expect(await asked).toMatchObject({
      ready: false,
      checks: expect.arrayContaining([{ name: 'store', trouble: 'no answer within 2000 ms' }]),
    });
  });

  test('calls during a check share its result', async () => {
    let checks = 0;
    const { health } = healthOf({ store: { check: async () => void checks++ } });
    await Promise.all([health(), health(), health()]);
    expect(checks).toBe(1);
    await health();
    expect(checks).toBe(2);
  });

  test('names no tenant in a trouble', async () => {
    const trouble = `a command for workspace 019ab1ff-1111-7abc-8def-0123456789ab of ada@example.test: ${'x'.repeat(500)}`;
    const { checks } = await healthOf({ services: () => [{ service: 'workspace', trouble }] }).health();
    expect(checks.at(-1)!.trouble).toMatch(/^a command for workspace \.\.\. of \.\.\. x+\.\.\.$/);
    expect(checks.at(-1)!.trouble!.length).toBeLessThan(310);
  });
});
