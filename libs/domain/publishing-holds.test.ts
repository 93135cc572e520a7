import { describe, expect, test } from 'vitest';
import { heldMs, isHeld, type HeldPeriod, type HoldScope } from './publishing-holds.ts';
import { CLOCK_SKEW_MS } from './workspace/clock-skew.ts';

const MINUTE = 60_000;
const SUBJECT = { network: 'x', workspaceId: 'w' } as const;
const ALL: HoldScope = { network: null, workspaceId: null };
const since = (from: number, until: number | null, scope: HoldScope = ALL): HeldPeriod => ({ ...scope, from, until });

describe('a hold', () => {
  test.each<[string, HoldScope, boolean]>([
    ['of everything', ALL, true],
    ['of its Network', { network: 'x', workspaceId: null }, true],
    ['of another Network', { network: 'threads', workspaceId: null }, false],
    ['of its Workspace', { network: null, workspaceId: 'w' }, true],
    ['of another Workspace', { network: null, workspaceId: 'v' }, false],
    ['of its Network in its Workspace', { network: 'x', workspaceId: 'w' }, true],
    ['of its Network in another Workspace', { network: 'x', workspaceId: 'v' }, false],
    ['of another Network in its Workspace', { network: 'threads', workspaceId: 'w' }, false],
  ])('%s', (_name, scope, expected) => {
    expect(isHeld([since(0, null, scope)], SUBJECT)).toBe(expected);
    expect(isHeld([since(0, 5, scope)], SUBJECT)).toBe(false);
    expect(heldMs([since(MINUTE, 2 * MINUTE, scope)], SUBJECT, { from: 0, to: 9 * MINUTE }) > 0).toBe(expected);
  });
});

describe('the time of holds', () => {
  const between = { from: 10 * MINUTE, to: 100 * MINUTE };

  test.each<[string, readonly HeldPeriod[], number]>([
    ['none', [], 0],
    ['one that goes on, since before', [since(0, null)], 90 * MINUTE],
    ['one that goes on', [since(40 * MINUTE, null)], 60 * MINUTE + CLOCK_SKEW_MS],
    ['one that is over', [since(40 * MINUTE, 50 * MINUTE)], 10 * MINUTE + 2 * CLOCK_SKEW_MS],
    ['one that was over before', [since(0, 5 * MINUTE)], 0],
    [
      'two that overlap',
      [since(40 * MINUTE, 60 * MINUTE), since(50 * MINUTE, 70 * MINUTE)],
      30 * MINUTE + 2 * CLOCK_SKEW_MS,
    ],
    [
      'one within another',
      [since(40 * MINUTE, 80 * MINUTE), since(50 * MINUTE, 60 * MINUTE)],
      40 * MINUTE + 2 * CLOCK_SKEW_MS,
    ],
    ['two apart', [since(80 * MINUTE, 90 * MINUTE), since(20 * MINUTE, 30 * MINUTE)], 20 * MINUTE + 4 * CLOCK_SKEW_MS],
  ])('%s counts once, within the two instants', (_name, periods, expected) => {
    expect(heldMs(periods, SUBJECT, between)).toBe(expected);
    expect(heldMs([...periods].reverse(), SUBJECT, between)).toBe(expected);
  });
});
