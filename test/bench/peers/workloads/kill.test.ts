import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newRunFolder } from '#testing/engines/cache-folder.ts';
import { startMeter } from '../meter.ts';
import { ON_TIME_MS, scriptedPeer, type ScriptedPeer } from '../scripted-peer.fixture.ts';
import { startSink, type Sink } from '../sink/start-sink.ts';
import { PEER_SIZES } from '../sizes.ts';
import { killedWorker, lateOnes } from './kill.ts';

const VARIANTS = 20;
const GAP_MS = 20;
const KILL_AFTER_MS = 200;

let folder: string;
let sink: Sink;

beforeAll(async () => {
  folder = newRunFolder('peers');
  sink = await startSink(folder);
});

afterAll(async () => {
  await sink.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function figuresOf(script: Pick<ScriptedPeer, 'afterKill' | 'unfinished' | 'onStateRead'>) {
  const peer = scriptedPeer(sink.url, { sends: () => [ON_TIME_MS], ...script });
  const meter = startMeter(peer.pids);
  const sizes = { ...PEER_SIZES.smoke, settleMs: 1_500, downMs: 400 };
  const plan = { label: `Killed ${script.afterKill}`, posts: VARIANTS, channelsAPost: 1, gapMs: GAP_MS };
  try {
    return await killedWorker({ peer, sink, meter, sizes, say: () => {} }, 1, { ...plan, killAfterMs: KILL_AFTER_MS });
  } finally {
    await meter.stop();
  }
}

describe('a peer whose worker is killed amid what is due', () => {
  test('sends the rest late, once: nothing is lost or doubled', async () => {
    const figures = await figuresOf({ afterKill: 'resumes' });
    expect(figures).toMatchObject({ Variants: VARIANTS, lost: 0, doubled: 0, early: 0, 'not ended': 0 });
    expect(figures['late']).toBeGreaterThan(0);
    expect(figures['last late one s']).toBeGreaterThanOrEqual(0.4);
    expect(figures['99 % of late ones s']).toBeGreaterThanOrEqual(0.4);
    expect(figures['99 % of late ones s']).toBeLessThanOrEqual(figures['last late one s']!);
    expect(figures['last outcome known s']).toBeGreaterThanOrEqual(figures['last late one s']!);
  });

  test('is not asked how they ended while they arrive', async () => {
    const asked: number[] = [];
    await figuresOf({ afterKill: 'trickles', onStateRead: () => asked.push(Date.now()) });
    const last = Math.max(...(await sink.arrivals()).map(([, , at]) => at));
    expect(asked.filter((at) => at < last)).toEqual([]);
    expect(asked.length).toBeGreaterThan(0);
  });

  test('forgets the rest, and says that it has ended: it is lost', async () => {
    const figures = await figuresOf({ afterKill: 'forgets' });
    expect(figures).toMatchObject({ doubled: 0, 'not ended': 0, late: 0 });
    expect(figures['lost']).toBeGreaterThan(0);
  });

  test('has not sent the rest when the time for it is over, and says so: it is not lost', async () => {
    expect(await figuresOf({ afterKill: 'forgets', unfinished: VARIANTS })).toMatchObject({
      lost: 0,
      'not ended': VARIANTS,
    });
  });

  test('sends again what was sent: it is doubled', async () => {
    const figures = await figuresOf({ afterKill: 'repeats' });
    expect(figures['lost']).toBe(0);
    expect(figures['doubled']).toBeGreaterThan(0);
  });
});

describe('those that a kill made late', () => {
  const KILLED_AT = 50_000;
  const arrival = (afterKillMs: number, lateMs: number) => ({ at: KILLED_AT + afterKillMs, lateMs });

  test('count from the kill to their arrival, whenever they were due; one of a hundred may be the last by far', () => {
    const hundred = Array.from({ length: 99 }, (_, index) => arrival(1_001 + index, 101 + index));
    expect(lateOnes([...hundred, arrival(30_000, 29_000)], KILLED_AT)).toEqual({
      late: 100,
      '99 % of late ones s': 1.099,
      'last late one s': 30,
    });
  });

  test('are those that arrive after it, and more than a tenth of a second after they were due', () => {
    expect(lateOnes([arrival(-1, 5_000), arrival(400, 100), arrival(500, 101)], KILLED_AT)).toEqual({
      late: 1,
      '99 % of late ones s': 0.5,
      'last late one s': 0.5,
    });
  });

  test('are none', () => {
    expect(lateOnes([arrival(5, 5)], KILLED_AT)).toEqual({ late: 0, '99 % of late ones s': 0, 'last late one s': 0 });
  });
});
