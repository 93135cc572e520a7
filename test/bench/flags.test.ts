import { describe, expect, test } from 'vitest';
import { benchFlags } from './flags.ts';
import { PEERS } from './peers/peer.ts';

describe('--peers', () => {
  test.each([
    [[], null, ['embedded', 'cluster']],
    [['--peers'], PEERS, ['embedded']],
    [['--peers=bullmq,plain'], ['plain', 'bullmq'], ['embedded']],
    [['--peers', '--engine=embedded,cluster'], PEERS, ['embedded', 'cluster']],
  ])('%j: beside %j, engines %j', (args, peers, engines) => {
    const flags = benchFlags(args);
    expect({ peers: flags.peers, engines: flags.engines }).toEqual({ peers, engines });
  });

  test.each([
    [['--peers=redis'], /--peers=redis: there is plain, bullmq/],
    [['--peers', '--rounds=0'], /--rounds=0: a whole number from 1/],
  ])('%j is refused', (args, words) => {
    expect(() => benchFlags(args)).toThrow(words);
  });
});
