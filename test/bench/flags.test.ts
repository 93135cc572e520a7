import { describe, expect, test } from 'vitest';
import { benchFlags } from './flags.ts';
import { PEERS } from './peers/peer.ts';
import { WORKLOADS } from './peers/workloads/workload.ts';

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
    [['--peers'], WORKLOADS],
    [
      ['--peers', '--workloads=kill96,post'],
      ['post', 'kill96'],
    ],
  ])('%j: workloads %j', (args, workloads) => {
    expect(benchFlags(args).workloads).toEqual(workloads);
  });

  test.each([
    [['--peers=redis'], /--peers=redis: there is plain, bullmq/],
    [['--peers', '--rounds=0'], /--rounds=0: a whole number from 1/],
    [['--peers', '--workloads=due2'], /--workloads=due2: there is floor, post, due1/],
    [['--workloads=post'], /--workloads is of --peers/],
    [['--jvm=g1'], /--jvm=g1: there is tests, operator/],
  ])('%j is refused', (args, words) => {
    expect(() => benchFlags(args)).toThrow(words);
  });
});

test.each([
  [[], 'tests'],
  [['--jvm=operator'], 'operator'],
] as const)('%j: the JVMs of the engines as %s', (args, jvm) => {
  expect(benchFlags(args).jvm).toBe(jvm);
});
