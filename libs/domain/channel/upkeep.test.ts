import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NETWORKS } from '../network.ts';
import { nextUpkeepAt } from './upkeep.ts';

const DAY = 86_400_000;
const CONNECTED = Date.UTC(2026, 10, 21, 9);
const channel = fc.record({
  network: fc.constantFrom(...NETWORKS),
  channelId: fc.uuid({ version: 7 }),
  connectedAt: fc.constant(CONNECTED),
});

test('each instant follows the one before by the same time, whenever it is reckoned', () => {
  fc.assert(
    fc.property(channel, fc.integer({ min: 0, max: 400 * DAY }), (about, later) => {
      const next = nextUpkeepAt(about, CONNECTED + later);
      expect(next).toBeGreaterThan(CONNECTED + later);
      const first = nextUpkeepAt(about, CONNECTED);
      expect((next - CONNECTED) % (first - CONNECTED)).toBe(0);
      expect(nextUpkeepAt(about, next - 1)).toBe(next);
    }),
  );
});

test('Channels connected together are spread over a fifth of the time', () => {
  const at = (channelId: string) =>
    (nextUpkeepAt({ network: 'facebook', channelId, connectedAt: CONNECTED }, CONNECTED) - CONNECTED) / DAY;
  expect(at('01a20000-0000-7000-8000-000000000000')).toBe(1);
  expect(at('01a20000-0000-7000-8000-00000000ffff')).toBeCloseTo(0.8, 3);
});
