import { TRPCError } from '@trpc/server';
import { describe, expect, test } from 'vitest';
import type { Network } from '#domain/network.ts';
import { ensureDemo, type DemoFile, type DemoMemory } from './demo.ts';
import { openAdminHarness, type AdminHarness } from './admin-harness.fixture.ts';
import type { AdminCaller } from './router.ts';

const BOTH: readonly Network[] = ['x', 'threads'];

function memoryFile(): DemoFile & { kept: DemoMemory | null; saves: number } {
  return {
    kept: null,
    saves: 0,
    async load() {
      return this.kept;
    },
    async save(memory) {
      this.saves++;
      this.kept = structuredClone(memory);
    },
  };
}

const refused: string[] = [];
const demoOf = (harness: AdminHarness, file: DemoFile, networks = BOTH, caller = harness.caller) =>
  ensureDemo({
    ...{ caller, networks, file, ids: harness.options.ids, clock: harness.clock },
    onRefused: (network, message) => void refused.push(`${network}: ${message}`),
  });

async function expectWhole(harness: AdminHarness, demo: Awaited<ReturnType<typeof ensureDemo>>): Promise<void> {
  const { workspaceId, memberId } = demo;
  const workspace = await harness.caller.workspaces.get({ workspaceId });
  expect(workspace).toMatchObject({
    plan: 'agency',
    xCredits: { available: 1_000, reserved: 0 },
    members: [{ memberId, emailVerified: true }],
  });
  expect(workspace.keys).toMatchObject([
    { permissions: ['posts:schedule', 'posts:publish', 'webhooks:manage'], revoked: false },
  ]);
  expect(Object.fromEntries(workspace.channels.map(({ network, channelId }) => [network, channelId]))).toEqual(
    demo.channels,
  );
  expect(workspace.channels.map(({ state }) => state)).toEqual(['connected', 'connected']);
}

describe('the demo Workspace', () => {
  test('is made once, and a later start changes nothing', async () => {
    await using harness = await openAdminHarness();
    const file = memoryFile();
    const demo = await demoOf(harness, file);
    await expectWhole(harness, demo);
    const saves = file.saves;
    expect(await demoOf(harness, file, BOTH, {} as AdminCaller)).toEqual(demo);
    expect(file.saves).toBe(saves);
  });

  test('gets a Channel on a Network that was added later, and leaves disconnected Channels as they are', async () => {
    await using harness = await openAdminHarness();
    const file = memoryFile();
    const first = await demoOf(harness, file, ['x']);
    await harness.caller.channels.disconnect({ workspaceId: first.workspaceId, channelId: first.channels.x! });
    const second = await demoOf(harness, file);
    expect(second).toMatchObject({ ...first, channels: { ...first.channels, threads: expect.any(String) } });
    expect(
      (await harness.caller.workspaces.get({ workspaceId: first.workspaceId })).channels.map(({ network, state }) => [
        network,
        state,
      ]),
    ).toEqual([
      ['x', 'not_connected'],
      ['threads', 'connected'],
    ]);
  });

  test('has no Channel where the Network refuses the sign-in, says so, and gets one at a later start', async () => {
    await using harness = await openAdminHarness();
    const file = memoryFile();
    const connectSandbox: AdminCaller['channels']['connectSandbox'] = async (input) => {
      if (input.network === 'threads') throw new TRPCError({ code: 'UNPROCESSABLE_CONTENT', message: 'no such app' });
      return harness.caller.channels.connectSandbox(input);
    };
    const channels = { ...harness.caller.channels, connectSandbox };
    const { workspaces, keys } = harness.caller;
    const first = await demoOf(harness, file, BOTH, { ...harness.caller, workspaces, keys, channels });
    expect(Object.keys(first.channels)).toEqual(['x']);
    expect(refused).toEqual(['threads: no such app']);
    await expectWhole(harness, await demoOf(harness, file));
  });

  test.each(Array.from({ length: 11 }, (_, step) => step))(
    'a crash before or after step %i leaves nothing double after the next start',
    async (step) => {
      await using harness = await openAdminHarness();
      const file = memoryFile();
      for (const when of ['before', 'after'] as const) {
        const crash = crashAt(step, when);
        await demoOf(harness, crashingFile(file, crash), BOTH, crashingCaller(harness.caller, crash)).catch(
          (error: Error) => expect(error.message).toBe('crash'),
        );
      }
      await expectWhole(harness, await demoOf(harness, file));
    },
  );

  test('takes eleven steps, so that the crash test above covers each', async () => {
    await using harness = await openAdminHarness();
    let steps = 0;
    const count: Crash = (work) => (steps++, work());
    await demoOf(harness, crashingFile(memoryFile(), count), BOTH, crashingCaller(harness.caller, count));
    expect(steps).toBe(11);
  });
});

type Crash = <T>(work: () => Promise<T>) => Promise<T>;

/** Dies at one step of those that pass through it. */
function crashAt(step: number, when: 'before' | 'after'): Crash {
  let passed = 0;
  return async (work) => {
    const dies = passed++ === step;
    if (dies && when === 'before') throw new Error('crash');
    const outcome = await work();
    if (dies) throw new Error('crash');
    return outcome;
  };
}

function crashingFile(file: DemoFile, crash: Crash): DemoFile {
  return { load: () => file.load(), save: (memory) => crash(() => file.save(memory)) };
}

function crashingCaller({ workspaces, keys, channels }: AdminCaller, crash: Crash): AdminCaller {
  const through = (work: (input: never) => Promise<unknown>) => (input: never) => crash(() => work(input));
  return {
    workspaces: {
      create: through(workspaces.create),
      get: through(workspaces.get),
      addCredits: through(workspaces.addCredits),
    },
    keys: { create: through(keys.create) },
    channels: { connectSandbox: through(channels.connectSandbox) },
  } as unknown as AdminCaller;
}
