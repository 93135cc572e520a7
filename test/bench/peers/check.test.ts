import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newRunFolder } from '#testing/engines/cache-folder.ts';
import { checkPeer } from './check.ts';
import { ON_TIME_MS, scriptedPeer, type ScriptedPeer } from './scripted-peer.fixture.ts';
import { startSink, type Sink } from './sink/start-sink.ts';
import { PEER_SIZES } from './sizes.ts';

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

const check = (script: ScriptedPeer): Promise<void> =>
  checkPeer({
    peer: scriptedPeer(sink.url, script),
    sink,
    sizes: { ...PEER_SIZES.smoke, checkMs: 300 },
    say: () => {},
  });

describe('the check before a peer is measured', () => {
  test('passes one that sends everything once, when it is due', async () => {
    await check({ sends: () => [ON_TIME_MS] });
  });

  test.each<[string, ScriptedPeer, RegExp]>([
    ['does nothing', { sends: () => [] }, /of 20 Variants 20 did not arrive/],
    ['loses one', { sends: (index) => (index === 7 ? [] : [ON_TIME_MS]) }, /of 20 Variants 1 did not arrive/],
    [
      'repeats one',
      { sends: (index) => (index === 7 ? [ON_TIME_MS, 20] : [ON_TIME_MS]) },
      /0 did not arrive, 1 came twice/,
    ],
    ['sends one early', { sends: (index) => (index === 7 ? [-300] : [ON_TIME_MS]) }, /0 came twice, 1 early/],
    [
      'sends all to other accounts',
      { sends: () => [ON_TIME_MS], accountOf: () => 'c' },
      /20 did not arrive, 20 came twice/,
    ],
    ['never says that it is done', { sends: () => [ON_TIME_MS], unfinished: 1 }, /and they have not ended/],
  ])('refuses one that %s', async (_, script, words) => {
    await expect(check(script)).rejects.toThrow(words);
  });
});
