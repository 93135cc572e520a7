import { expect, test } from 'vitest';
import { Pools, type PoolsOptions } from './pools.ts';
import { Conversions, type ConversionKind } from './conversions.ts';

/** Conversions that each end when they are told to. */
function open(atOnce: number, options: Pick<PoolsOptions, 'budgetOf'> = {}) {
  const conversions = new Conversions(atOnce, new Pools({ clock: { monotonic: () => 0 }, ...options }));
  const ends: (() => void)[] = [];
  const ended: Promise<void>[] = [];
  const begin = (kind: ConversionKind, workspace = 'one', signal?: AbortSignal): void => {
    const { promise, resolve } = Promise.withResolvers<void>();
    ended.push(
      conversions.run({ kind, workspace }, () => (ends.push(resolve), promise), signal).catch(() => undefined),
    );
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const load = async (): Promise<string> => {
    await settle();
    const { image, video } = conversions.load();
    return `image ${image.running}+${image.waiting}, video ${video.running}+${video.waiting}`;
  };
  return { begin, load, ends, ended };
}

test('what runs and what waits is reported by kind, and comes to nothing', async () => {
  const { begin, load, ends, ended } = open(3);
  begin('video');
  begin('video');
  expect(await load()).toBe('image 0+0, video 1+1');
  for (const workspace of ['one', 'one', 'one', 'another']) begin('image', workspace);
  expect(await load()).toBe('image 3+1, video 1+1');
  for (let next = 0; next < ends.length; next++) {
    ends[next]!();
    await load();
  }
  await Promise.all(ended);
  expect(await load()).toBe('image 0+0, video 0+0');
});

test('of one at once, a picture waits for a video; aborted while it waits, it is forgotten', async () => {
  const { begin, load, ends } = open(1);
  const ending = new AbortController();
  begin('video');
  await load();
  begin('image', 'one', ending.signal);
  begin('video', 'one', ending.signal);
  expect(await load()).toBe('image 0+1, video 1+1');
  ending.abort(new Error('over'));
  expect(await load()).toBe('image 0+0, video 1+0');
  ends[0]!();
  expect(await load()).toBe('image 0+0, video 0+0');
});

test('a Workspace without a conversion at work waits for none of another, however few go on at once', async () => {
  for (const atOnce of [1, 2, 8]) {
    const { begin, load } = open(atOnce);
    for (let image = 0; image < 20; image++) begin('image', 'many');
    begin('image', 'few');
    const ofMany = Math.min(atOnce, 6);
    expect(await load()).toBe(`image ${ofMany + 1}+${20 - ofMany}, video 0+0`);
  }
});

test('a video of another Workspace is begun beside the one that is at work, and no third one', async () => {
  for (const atOnce of [1, 2, 8]) {
    const { begin, load, ends } = open(atOnce);
    for (let video = 0; video < 3; video++) begin('video', 'many');
    expect(await load()).toBe('image 0+0, video 1+2');
    begin('video', 'few');
    begin('video', 'third');
    expect(await load()).toBe('image 0+0, video 2+3');
    // The Workspace that had none is next.
    ends[0]!();
    expect(await load()).toBe('image 0+0, video 2+2');
    ends[1]!();
    ends[2]!();
    expect(await load()).toBe('image 0+0, video 1+1');
  }
});

test('of two at once, a picture waits for no video, whose Workspace ever it is', async () => {
  for (const workspace of ['many', 'few', 'third']) {
    const { begin, load } = open(2);
    begin('video', 'many');
    begin('video', 'few');
    begin('image', workspace);
    expect(await load()).toBe('image 1+0, video 2+0');
  }
});

test('free Workspaces of one owner have one video at work together', async () => {
  const { begin, load } = open(4, { budgetOf: () => ({ weight: 1, part: 0.5, account: 'owner' }) });
  for (const workspace of ['one', 'two', 'three']) begin('video', workspace);
  expect(await load()).toBe('image 0+0, video 1+2');
});
