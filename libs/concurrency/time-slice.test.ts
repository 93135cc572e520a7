import { expect, onTestFinished, test } from 'vitest';
import { TimeSlices } from './time-slice.ts';

/** Time that passes by working, and a loop of which each turn is counted. It stands still once the test has ended. */
function loop(weightOf?: (workspaceId: string) => number, accountOf?: (workspaceId: string) => string) {
  const state = { now: 0, turns: 0, othersMs: 0 };
  let hasEnded = false;
  onTestFinished(() => void (hasEnded = true));
  const clock = {
    monotonic: () => state.now,
    sleep: async () => {
      await new Promise((resolve) => !hasEnded && setImmediate(resolve));
      state.turns += 1;
      state.now += state.othersMs;
    },
  };
  const slices = new TimeSlices({ clock, ...(weightOf && { weightOf }), ...(accountOf && { accountOf }) });
  const had: Record<string, number> = {};
  /** Pieces of so many milliseconds. */
  const work = async (workspace: string, pieces: number, pieceMs: number): Promise<void> => {
    const pause = slices.begin(workspace);
    for (let piece = 0; piece < pieces; piece++) {
      await pause();
      state.now += pieceMs;
      had[workspace] = (had[workspace] ?? 0) + pieceMs;
    }
  };
  const turned = async (turns: number): Promise<void> => {
    for (const until = state.turns + turns; state.turns < until;) await new Promise((resolve) => setImmediate(resolve));
  };
  return { state, slices, had, work, turned };
}

test('work of many short pieces gives way each time its slice is used up, and not before', async () => {
  const { state, work } = loop();
  await work('a', 80, 0.5);
  expect(state.turns).toBe(19);
});

test('work that loses by giving way has longer slices', async () => {
  const { state, slices } = loop();
  const pause = slices.begin('a', 10);
  for (let piece = 0; piece < 80; piece++) {
    await pause();
    state.now += 0.5;
  }
  expect(state.turns).toBe(3);
});

test('of works that go on beside each other each has turns of its own', async () => {
  const { state, slices } = loop();
  const turns: number[] = [];
  const work = async (name: string): Promise<void> => {
    const pause = slices.begin(name);
    for (let piece = 0; piece < 4; piece++) {
      await pause();
      state.now += 3;
      if (piece > 0) turns.push(state.turns);
    }
  };
  await Promise.all(['a', 'b', 'a'].map(work));
  expect(turns).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('beside a Workspace with a hundred requests that wait, a small work of another waits for few of them', async () => {
  const { had, work, turned } = loop();
  for (let request = 0; request < 100; request++) void work('attacker', 1_000, 2);
  await turned(500);
  const before = { ...had };
  await work('victim', 10, 2);
  expect(had['attacker']! - before['attacker']!).toBeLessThanOrEqual(4 * 2);
});

test('a Workspace that had its share leaves the loop to all else that it has to do, but for a fifth', async () => {
  const { state, had, work, turned } = loop();
  void work('attacker', 100_000, 2);
  await turned(100);
  const shareOf = async (othersMs: number): Promise<number> => {
    state.othersMs = othersMs;
    await turned(20);
    const [from, before] = [state.now, had['attacker']!];
    await turned(1_000);
    return (had['attacker']! - before) / (state.now - from);
  };
  expect(await shareOf(0)).toBe(1);
  expect(await shareOf(1)).toBeCloseTo(0.2, 1);
  expect(await shareOf(4)).toBeCloseTo(0.2, 1);
  expect(await shareOf(20)).toBeGreaterThan(0.05);
});

test('a Workspace that comes again and again borrows no more than its share', async () => {
  const { had, work, turned } = loop();
  for (let request = 0; request < 4; request++) void work('steady', 10_000, 2);
  const again = (async () => {
    for (let request = 0; request < 1_000; request++) await work('again', 10, 2);
  })();
  await turned(1_000);
  expect(had['again']! / had['steady']!).toBeLessThan(1.4);
  void again;
});

test('the loop is shared by milliseconds: pieces of 30 ms get no more of it than pieces of 1 ms', async () => {
  const { had, work, turned } = loop();
  for (let request = 0; request < 4; request++) void work('long', 1_000, 30);
  void work('short', 100_000, 1);
  await turned(200);
  const before = { ...had };
  await turned(1_000);
  const [long, short] = ['long', 'short'].map((workspace) => had[workspace]! - before[workspace]!);
  expect([Math.abs(long! - short!) <= 60, long! > 500]).toEqual([true, true]);
});

test('a Workspace of four times the weight gets four times as much of the loop', async () => {
  const { had, work, turned } = loop((workspace) => (workspace === 'agency' ? 4 : 1));
  void work('agency', 100_000, 2);
  void work('free', 100_000, 2);
  await turned(1_000);
  expect(had['agency']! / had['free']!).toBeCloseTo(4, 0);
});

test('small works of newcomers without end starve none', async () => {
  const { had, work, turned } = loop();
  void work('old', 1_000, 2);
  await turned(3);
  const before = had['old']!;
  for (let turn = 0; turn < 200; turn++) {
    void work(`new ${turn}`, 2, 2);
    await turned(1);
  }
  expect(had['old']! - before).toBeGreaterThan(2 * 20);
});

test('of single pieces too long for a slice, however many come at once, the loop does one in each turn', async () => {
  const { state, slices } = loop();
  const turns: number[] = [];
  const parse = (workspace: string): Promise<number> =>
    slices.run(workspace, () => {
      state.now += 8;
      return turns.push(state.turns);
    });
  const attack = Array.from({ length: 64 }, () => parse('attacker'));
  const position = await parse('victim');
  await Promise.all(attack);
  expect([new Set(turns).size, position]).toEqual([65, 2]);
});

test('single pieces weigh what they took: one of a tenth of a slice gets ten times as many turns', async () => {
  const { state, slices, turned } = loop();
  const had = { short: 0, long: 0 };
  const again = async (name: 'short' | 'long', ms: number): Promise<void> => {
    for (;;)
      await slices.run(name, () => {
        state.now += ms;
        had[name] += ms;
      });
  };
  for (let reader = 0; reader < 30; reader++) void again('short', 0.2);
  for (let request = 0; request < 30; request++) void again('long', 2);
  await turned(5_000);
  expect(had.short / had.long).toBeCloseTo(1, 1);
});

test('a piece that throws is paid for, and the loop goes on', async () => {
  const { slices } = loop();
  const failing = slices.run('a', () => {
    throw new Error('a defect');
  });
  await expect(failing).rejects.toThrow('a defect');
  expect(await slices.run('a', () => 'done')).toBe('done');
});

test('Workspaces that had their share and want no more are not remembered', async () => {
  const { slices } = loop();
  const known = (): number => slices.known;
  for (let workspace = 0; workspace < 10_000; workspace++) await slices.run(`workspace ${workspace}`, () => null);
  expect(known()).toBeLessThan(300);
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(known()).toBe(0);
});

test('Workspaces of one account have one share of the loop, and each of them its turn of it', async () => {
  const { had, work, turned } = loop(undefined, (workspaceId) => workspaceId.split(' ')[0]!);
  for (let index = 0; index < 20; index++) void work(`eve ${index}`, 10_000, 1);
  void work('eve 0', 10_000, 1);
  void work('ada', 10_000, 1);
  await turned(2_000);
  const eve = Object.entries(had).filter(([name]) => name.startsWith('eve'));
  const all = eve.reduce((sum, [, ms]) => sum + ms, 0);
  expect(all / had['ada']!).toBeCloseTo(1, 1);
  for (const [, ms] of eve) expect(ms / all).toBeCloseTo(1 / 20, 2);
});
