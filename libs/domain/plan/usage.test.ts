import { describe, expect, it } from 'vitest';
import { aWorkspace, DAY } from '#testing/scenario.ts';
import { periodOf } from './month.ts';
import { upgradeFor } from './upgrade.ts';
import { renderUsage } from './usage.ts';

it('usage shows the Plan, the month in UTC, and what counts against it', () => {
  const workspace = aWorkspace({ plan: 'free', credits: 3 });
  workspace.channel('x');
  workspace.must({ type: 'DisconnectChannel', channelId: workspace.channel('threads'), memberId: null });
  workspace.post();
  const usage = {
    plan: 'free',
    period: { from: '2026-11-01T00:00:00.000Z', to: '2026-12-01T00:00:00.000Z' },
    limits: { channels: 6, postsPerMonth: 60, storageBytes: 1024 ** 3, members: 2 },
    used: { channels: 1, postsPerMonth: 1, storageBytes: 0, members: 1 },
    xCredits: { available: 2, reserved: 1 },
  };
  expect(renderUsage(workspace.workspace, workspace.now)).toEqual(usage);
  expect(renderUsage(workspace.workspace, workspace.now + 15 * DAY).used.postsPerMonth).toBe(0);
});

it('December ends with the year', () => {
  expect(periodOf('2026-12')).toEqual({ from: Date.UTC(2026, 11, 1), to: Date.UTC(2027, 0, 1) });
});

describe('the Plan that lifts a limit', () => {
  const now = { plan: 'free', comingPlan: null } as const;
  it.each([
    ['members', 3, { plan: 'pro', limit: 'members', label: 'Pro: 10 Members' }],
    ['members', 11, { plan: 'agency', limit: 'members', label: 'Agency: no limit of Members' }],
    ['storageBytes', 51 * 1024 ** 3, { plan: 'agency', limit: 'storageBytes', label: 'Agency: 2,048 GiB of storage' }],
    ['channels', 501, null],
  ] as const)('%s for %i: the smallest with room, or none', (limit, amount, upgrade) => {
    expect(upgradeFor(now, limit, amount)).toEqual(upgrade);
  });

  it('is the one being kept during a pending Downgrade', () => {
    const pending = { plan: 'agency', comingPlan: { plan: 'free', effectiveAt: 0 } } as const;
    expect(upgradeFor(pending, 'channels', 7)).toMatchObject({ plan: 'agency' });
  });
});
