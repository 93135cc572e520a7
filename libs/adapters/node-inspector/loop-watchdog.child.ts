import { workingFor, workingOn } from '#concurrency/work-in-hand.ts';
import { LoopWatchdog } from './loop-watchdog.ts';

// Started by loop-watchdog.test.ts, as a watchdog watches the main thread of its process: blocks the loop as the
// arguments say and prints what was reported, a line of JSON for each. `idle`: prints the processor time of so long a
// quiet stretch. `stuck`: blocks the loop for good, after which the process is to end by itself within a few seconds.
const [plant, forMs = '0'] = process.argv.slice(2);
const print = (content: unknown): void => void process.stdout.write(`${JSON.stringify(content)}\n`);
let blocks = 0;
let stacks = 0;
const watchdog = new LoopWatchdog({
  betweenLooksMs: 0,
  endAfterMs: plant === 'stuck' ? Number(forMs) : Infinity,
  origin: { service: 'crier' },
  onBlocked: (blocked) => {
    blocks += 1;
    stacks += blocked.stack === null ? 0 : 1;
    print(blocked);
  },
  onFailed: (error) => print({ error: String(error) }),
});
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const begin = (): void => workingOn({ work: 'getPost', workspaceId: null }, () => undefined);

/** By the processor that it had: a busy machine makes it longer, and not less work. */
function workThatBlocks(): void {
  const before = process.threadCpuUsage();
  for (let usedMs = 0; usedMs < Number(forMs);) {
    const { user, system } = process.threadCpuUsage(before);
    usedMs = (user + system) / 1_000;
  }
}

const PLANTS: Readonly<Record<string, () => Promise<void>>> = {
  handler: () =>
    workingOn({ work: 'listPosts', workspaceId: null }, async () => {
      await pause(100);
      workingFor('workspace-1');
      await pause(1);
      workThatBlocks();
    }),
  short: () =>
    workingOn({ work: 'listPosts', workspaceId: 'workspace-1' }, async () => {
      await pause(100);
      workThatBlocks();
    }),
  // As on a machine that is busy with others.
  paused: () =>
    workingOn({ work: 'listPosts', workspaceId: null }, async () => {
      await pause(100);
      standsStill();
    }),
  nameless: async () => {
    // What has a name has the loop watched; what blocks it need not be that.
    begin();
    await pause(100);
    workThatBlocks();
  },
  stuck: () =>
    workingOn({ work: 'listPosts', workspaceId: 'workspace-1' }, async () => {
      await pause(100);
      await turnsInMicrotasks();
    }),
};

/** Milliseconds of a processor that this process takes within so many. */
async function usedWithin(ms: number): Promise<number> {
  const before = process.cpuUsage();
  await pause(ms);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function standsStill(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(forMs));
}

/** As of a client library that asks without end: it waits, and no timer ever fires. */
async function turnsInMicrotasks(): Promise<void> {
  for (;;) await undefined;
}

await watchdog.start();
// Until its thread runs and all has settled: what blocks the loop before that is not seen.
for (let wait = 0; wait < 30 && (wait < 3 || (await usedWithin(500)) > 10); wait++) await pause(500);
if (plant === 'idle') print({ processorMs: await usedWithin(Number(forMs)) });
else {
  // On a machine that others keep busy the watching thread may sleep through a block.
  const times = plant === 'paused' ? 1 : 10;
  for (let time = 1; time <= times && stacks === 0; time++) {
    await PLANTS[plant!]!();
    for (let wait = 0; wait < 100 && blocks < time; wait++) await pause(20);
  }
}
await watchdog.stop();
