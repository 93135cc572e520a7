import { describe, expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import type { GroupMembership } from '#ports/log.ts';
import { createHealth, hangingReaders, type HealthOptions } from './health.ts';
import type { ServiceState } from './supervisor.ts';

const well = { check: async () => {} };
const away = { check: () => Promise.reject(new Error('no broker answers')) };

const stateOf = (state: Partial<ServiceState>): ServiceState => ({
  ...{ service: 'workspace', trouble: null, membership: null },
  ...state,
});
const member = (membership: Partial<GroupMembership>): ServiceState =>
  stateOf({ membership: { state: 'joined', detail: null, idleMs: 0, ...membership } });

function healthOf(options: Partial<HealthOptions>) {
  const clock = createMemoryClock();
  return {
    clock,
    health: createHealth({
      running: () => true,
      services: () => [stateOf({ service: 'ingress' })],
      servesRequests: false,
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
      { services: () => [stateOf({ service: 'scheduler', trouble: 'scheduler: behind' })] },
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

  test.each([true, false])(
    'is not ready before every reader of the log has joined (serves requests: %s)',
    async (serves) => {
      const joining = member({ state: 'joining', detail: 'Not authorized to access group' });
      const { ready, checks } = await healthOf({
        services: () => [member({}), joining],
        servesRequests: serves,
      }).health();
      expect(ready).toBe(false);
      expect(checks.at(-1)!.trouble).toBe('has not joined its group yet: Not authorized to access group');
    },
  );

  test.each([
    [true, 'stays ready, as reads go on'],
    [false, 'is not ready'],
  ])('while the log is away, a process that serves requests: %s, %s, and says so', async (serves) => {
    const lost = member({ state: 'away', detail: 'no broker answers' });
    const { ready, checks } = await healthOf({ log: away, services: () => [lost], servesRequests: serves }).health();
    expect(ready).toBe(serves);
    expect(checks.flatMap(({ trouble }) => trouble ?? [])).toEqual([
      'no broker answers',
      'lost touch with the log, and tries again: no broker answers',
    ]);
  });

  test('a reader that serves requests beside it does not excuse trouble of the store', async () => {
    expect((await healthOf({ store: away, servesRequests: true }).health()).ready).toBe(false);
  });

  test('readers whose loops have not turned for a minute hang', () => {
    const states = [member({ idleMs: 59_999 }), stateOf({}), { ...member({ idleMs: 61_500 }), service: 'publisher-x' }];
    expect(hangingReaders(states)).toEqual(['publisher-x has not read its topics for 61 s']);
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
    const { checks } = await healthOf({ services: () => [stateOf({ service: 'workspace', trouble })] }).health();
    expect(checks.at(-1)!.trouble).toMatch(/^a command for workspace \.\.\. of \.\.\. x+\.\.\.$/);
    expect(checks.at(-1)!.trouble!.length).toBeLessThan(310);
  });
});
