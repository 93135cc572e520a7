import { describe, expect, test } from 'vitest';
import type { HeldPeriod } from '#domain/publishing-holds.ts';
import { PortError } from '#ports/errors.ts';
import type { Brake } from '#tables/repositories/publishing-brake.ts';
import { ownArm } from './arms.ts';
import { openPublishHarness, TEXT, type PublishHarness } from './publish-harness.fixture.ts';

/** A brake that a test works. */
function lever(): { readonly brake: Brake; hold(from: number): void; release(at: number): void } {
  let periods: readonly HeldPeriod[] = [];
  const known = async () => ({ holds: [], periods, restoration: null });
  return {
    brake: { known, knownFromNowOn: known },
    hold: (from) => void (periods = [{ network: null, workspaceId: null, from, until: null }]),
    release: (at) => void (periods = periods.map((period) => ({ ...period, until: at }))),
  };
}

const next = (attempts: PublishHarness) => ({ ...attempts.job, attempt: attempts.job.attempt + 1 });

describe.each(['x', 'threads', 'facebook'] as const)('%s', (network) => {
  test('held at any step before the irreversible call: nothing goes live, and the next attempt publishes it once', async () => {
    const steps: string[] = [];
    const whole = await openPublishHarness(network);
    const free = whole.worker(async (step) => void steps.push(step));
    await free.run(whole.job);
    await whole.settle(free);
    expect(await whole.live()).toEqual([TEXT]);
    const irreversible = steps.findLastIndex((step) => step.startsWith('before POST'));
    for (const [index, name] of steps.entries()) {
      const attempts = await openPublishHarness(network);
      const { brake, hold, release } = lever();
      let count = 0;
      const machine = attempts.worker(
        async () => {
          if (count++ === index) hold(attempts.clock.now());
        },
        { brake },
      );
      await machine.run(attempts.job);
      await attempts.settle(machine);
      const wasSent = attempts.givenBack.length === 0;
      expect(wasSent, name).toBe(index >= irreversible);
      expect((await attempts.live()).length, name).toBe(wasSent ? 1 : 0);
      if (wasSent) continue;
      // A repeat of the job, once nothing is held, must not send what may be cancelled by now.
      release(attempts.clock.now());
      await machine.run(attempts.job);
      await attempts.settle(machine);
      expect(await attempts.live(), name).toEqual([]);
      await machine.run(next(attempts));
      await attempts.settle(machine);
      expect(await attempts.live(), name).toEqual([TEXT]);
      expect(attempts.concluded.at(-1)).toMatchObject({ attempt: 2, verdict: { kind: 'published' } });
    }
  });

  test('once the irreversible call may have been made, its end is found out and told while all is held', async () => {
    const attempts = await openPublishHarness(network);
    const { brake, hold } = lever();
    await attempts.fault('drop_after_commit');
    const machine = attempts.worker(
      async (step) => {
        if (/^before POST /.test(step) && (await attempts.ledger.readArm(attempts.job.variantId))?.stage === 'armed')
          hold(attempts.clock.now());
      },
      { brake },
    );
    await machine.run(attempts.job);
    await attempts.settle(machine);
    expect(attempts.concluded.map(({ verdict }) => verdict.kind)).toEqual(['published']);
    expect(await attempts.live()).toEqual([TEXT]);
  });
});

test('once the Workspace was told that an attempt is given back, no repeat of its job sends it', async () => {
  const attempts = await openPublishHarness('x');
  const { brake, hold, release } = lever();
  hold(attempts.clock.now());
  const repeating = attempts.worker(undefined, { brake });
  const held = attempts.worker(
    async (step) => {
      if (step !== 'after giveBack') return;
      release(attempts.clock.now());
      await repeating.run(attempts.job);
      await attempts.settle(repeating);
    },
    { brake },
  );
  await held.run(attempts.job);
  expect(attempts.givenBack).toContain(1);
  expect(await attempts.live()).toEqual([]);
});

test('what may be live is not given back while publishing is held, and goes on after the release', async () => {
  const attempts = await openPublishHarness('x');
  const { brake, hold, release } = lever();
  const inDoubt = { ...ownArm(null, attempts.job), failures: 1, mayBeLive: true } as const;
  await attempts.ledger.moveArm(attempts.job.variantId, null, inDoubt, 'in doubt');
  hold(attempts.clock.now());
  const machine = attempts.worker(undefined, { brake });
  const again = { ...attempts.job, why: 'continue' } as const;
  await machine.run(again);
  await attempts.clock.advance(10 * 3_600_000);
  await machine.run(again);
  expect([attempts.givenBack, attempts.concluded, await attempts.live()]).toEqual([[], [], []]);
  release(attempts.clock.now());
  await attempts.settle(machine);
  expect(await attempts.live()).toEqual([TEXT]);
});

test('an attempt that is held by an older reading alone is not given back: it would lose its place', async () => {
  const attempts = await openPublishHarness('x');
  const { brake, hold, release } = lever();
  hold(attempts.clock.now());
  const older = await brake.known(0);
  release(attempts.clock.now());
  const machine = attempts.worker(undefined, { brake: { ...brake, known: async () => older } });
  await machine.run(attempts.job);
  expect(attempts.givenBack).toEqual([]);
  expect(await attempts.live()).toEqual([TEXT]);
});

test('who can not read what is held sends nothing', async () => {
  const attempts = await openPublishHarness('x');
  const away = () => Promise.reject(new PortError('unavailable', 'the store is away'));
  const brake: Brake = { known: away, knownFromNowOn: away };
  await expect(attempts.worker(undefined, { brake }).run(attempts.job)).rejects.toMatchObject({ kind: 'unavailable' });
  let asked = 0;
  const later: Brake = {
    ...brake,
    known: async () => {
      if (asked++ > 0) throw new PortError('unavailable', 'the store is away');
      return { holds: [], periods: [], restoration: null };
    },
  };
  await expect(attempts.worker(undefined, { brake: later }).run(attempts.job)).rejects.toMatchObject({
    kind: 'unavailable',
  });
  expect(await attempts.live()).toEqual([]);
});

test('the missed window stands still for what is on its way, too', async () => {
  const attempts = await openPublishHarness('x');
  const { brake, hold, release } = lever();
  hold(attempts.clock.now());
  const machine = attempts.worker(undefined, { brake });
  await machine.run(attempts.job);
  expect(attempts.givenBack).toEqual([1]);
  await attempts.clock.advance(10 * 3_600_000);
  release(attempts.clock.now());
  await machine.run(next(attempts));
  await attempts.settle(machine);
  expect(await attempts.live()).toEqual([TEXT]);
});
