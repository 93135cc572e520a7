import { readdirSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createStoredRenditions } from '#media/stored-renditions.ts';
import type { MediaFailed, MediaPrepared } from '#domain/workspace/commands.ts';
import type { Post } from '#domain/post/post.ts';
import { Conversions } from '#concurrency/conversions.ts';
import { PortError } from '#ports/errors.ts';
import { createRenditionRows } from '#tables/repositories/renditions.ts';
import { preparePost } from './prepare-post.ts';
import { MediaCrash, JPEG, MediaHarness } from './media-harness.fixture.ts';

let harness: MediaHarness;
beforeEach(() => {
  harness = new MediaHarness();
});

const channel = (network: Parameters<MediaHarness['scenario']['channel']>[0]) => harness.scenario.channel(network);
const prepared = async () =>
  (await harness.told())
    .filter((message): message is MediaPrepared => message.type === 'MediaPrepared')
    .flatMap(({ variants }) => variants);
const failures = async () =>
  (await harness.told())
    .filter((message): message is MediaFailed => message.type === 'MediaFailed')
    .map(({ variants, detail }) => [variants, detail]);
const filesFor = ({ id: postId, variants, media }: Post, number: number) => {
  const { id: variantId, network, placement } = variants[number - 1]!;
  const rows = createRenditionRows(harness.store, () => 'nobody');
  const source = createStoredRenditions({
    rows,
    blobs: harness.blobs,
    mediaUrl: ({ blob }) => `https://media.test/${blob}`,
  });
  return source.filesOf({
    workspaceId: harness.scenario.id,
    postId,
    variantId,
    network,
    placement,
    altTexts: media.map(({ altText }) => altText ?? ''),
    hasCover: false,
  });
};

const expectWhole = async (post: Post, number: number, when: string): Promise<void> => {
  const files = await filesFor(post, number);
  if (files.kind !== 'ready') throw new Error(`${when}: variant ${number} is ${files.kind}`);
  for (const file of files.files) expect((await file.read(0, file.bytes)).length, when).toBe(file.bytes);
};

describe('making files ready', () => {
  it('each Variant is reported once its own are ready, and publishers get them, in order', async () => {
    const post = await harness.post([channel('threads'), channel('x')]);
    await harness.prepare(post);
    expect((await prepared()).toSorted()).toEqual([1, 2]);
    const files = await filesFor(post, 1);
    if (files.kind !== 'ready') throw new Error(files.kind);
    expect(files.files.map(({ contentType, bytes }) => [contentType, bytes])).toEqual([
      ['image/jpeg', JPEG.length],
      ['image/jpeg', JPEG.length],
    ]);
    expect(Buffer.from(await files.files[0]!.read(2, 9)).toString()).toBe(JPEG.toString().slice(2, 9));
    expect(harness.leftovers()).toEqual([]);
  });

  it('a file at an address is fetched once, kept as a row, and reported before a rendition is made of it', async () => {
    const post = await harness.post([channel('threads')], 'address');
    await harness.prepare(post);
    await harness.prepare(post);
    expect(harness.fetched).toHaveLength(1);
    const [first] = await harness.told();
    expect(first).toMatchObject({
      type: 'FileFetched',
      postId: post.id,
      assetId: post.media[0]!.assetId,
      facts: { kind: 'image', bytes: 20 },
    });
  });

  it('a file at an address is fetched as what it was when the Post was made', async () => {
    const post = await harness.post([channel('threads')], 'address');
    const expected: unknown[] = [];
    harness.fetch = async (order) => {
      expected.push(order.expected);
      throw new PortError('unavailable', 'the test has seen enough');
    };
    await expect(harness.prepare(post)).rejects.toThrow(PortError);
    expect(expected).toEqual([{ contentType: 'image/png', bytes: null }]);
  });

  it('of a file at an address that says more than it shows, the copy without that is kept alone', async () => {
    harness.privateParts = [{ at: 2, bytes: 3, by: '' }];
    const post = await harness.post([channel('threads')], 'address');
    await Promise.all([harness.prepare(post), harness.prepare(post)]);
    const [first] = await harness.told();
    const kept = (await harness.blobNames()).filter((name) => name.includes('/fetched/'));
    expect([kept, first]).toMatchObject([
      [expect.stringMatching(/-bare$/)],
      { type: 'FileFetched', blob: kept[0], facts: { bytes: 20 } },
    ]);
  });

  it('a file at an address that can not be looked into now leaves nothing, and is fetched again', async () => {
    const post = await harness.post([channel('threads')], 'address');
    harness.probing = () => Promise.reject(new PortError('unavailable', 'the picture worker was killed'));
    for (let tries = 0; tries < 3; tries++) await expect(harness.prepare(post)).rejects.toThrow(PortError);
    expect(await harness.blobNames()).toEqual([]);
    harness.probing = null;
    await harness.prepare(post);
    expect(await prepared()).toEqual([1]);
    expect(harness.fetched).toHaveLength(4);
    expect(harness.leftovers()).toEqual([]);
  });

  it.each(['unavailable', 'unknown'] as const)(
    'where a row can not be written, what it would name stays only if it may have been written (%s)',
    async (kind) => {
      const post = await harness.post([channel('threads')], 'address');
      const context = harness.context();
      const refused = new PortError(kind, 'no answer');
      const rows: typeof context.rows = {
        ...context.rows,
        keep: async (...row) => {
          if (kind === 'unknown') await context.rows.keep(...row);
          throw refused;
        },
      };
      const job = { type: 'PrepareMedia', workspaceId: post.workspaceId, postId: post.id, tries: 0 } as const;
      await expect(preparePost({ ...context, rows }, job)).rejects.toThrow(refused);
      expect(await harness.blobNames()).toHaveLength(kind === 'unknown' ? 1 : 0);
      await harness.prepare(post);
      expect(await prepared()).toEqual([1]);
      expect(harness.fetched).toHaveLength(kind === 'unknown' ? 1 : 2);
    },
  );

  it('the copy of a file that was looked into is gone before the file waits for its conversion', async () => {
    harness.privateParts = [{ at: 2, bytes: 3, by: '' }];
    const beside: string[][] = [];
    harness.convert = async ({ source: { path, facts } }) => {
      beside.push(readdirSync(dirname(path)).filter((name) => name !== basename(path)));
      return { ...facts, kind: 'converted', reused: true };
    };
    await harness.prepare(await harness.post([channel('threads')], 'address'));
    expect(beside).toEqual([[]]);
  });

  it('a file that stays as it is is not copied to this machine', async () => {
    const copied: string[] = [];
    harness.convert = async ({ source: { path, facts } }) => {
      copied.push(path);
      return { ...facts, kind: 'converted', reused: true };
    };
    await harness.prepare(await harness.film([channel('youtube')], {}));
    expect([copied, await prepared()]).toEqual([[''], [1]]);
  });

  it('the copy of a file is gone once it was converted, while its Post waits for another conversion', async () => {
    const beside: string[][] = [];
    harness.convert = async ({ source: { path, facts } }) => {
      beside.push(readdirSync(dirname(path)).filter((name) => name !== basename(path)));
      return { ...facts, kind: 'converted', reused: true };
    };
    class OneByOne extends Conversions {
      #before: Promise<unknown> = Promise.resolve();
      override run<T>(_of: Parameters<Conversions['run']>[0], work: () => Promise<T>): Promise<T> {
        const own = this.#before.then(work);
        this.#before = own;
        return own;
      }
    }
    const post = await harness.post([channel('threads'), channel('x')], 'upload');
    const job = { type: 'PrepareMedia', workspaceId: post.workspaceId, postId: post.id, tries: 0 } as const;
    await preparePost({ ...harness.context(), conversions: new OneByOne(1, harness.context().shared) }, job);
    expect(beside).toEqual([[], []]);
  });

  it('Networks whose targets agree share what is made, and nothing is made twice', async () => {
    const post = await harness.post([channel('threads'), channel('threads'), channel('x')], 'upload');
    await harness.prepare(post);
    expect(await prepared()).toHaveLength(3);
    expect(harness.converted).toHaveLength(2);
    await harness.prepare(post);
    expect(harness.converted).toHaveLength(2);
  });

  it('what is reported of a conversion is its own time, apart from its wait for cores, and how late its Variants are', async () => {
    harness.convert = async ({ source: { facts } }) => {
      await harness.clock.advance(2_000);
      return { ...facts, kind: 'converted', reused: true };
    };
    class LateConversions extends Conversions {
      override async run<T>(of: Parameters<Conversions['run']>[0], work: () => Promise<T>): Promise<T> {
        await harness.clock.advance(3_000);
        return super.run(of, work);
      }
    }
    const post = await harness.post([channel('threads')], 'upload');
    const lateMs = harness.clock.now() - post.variants[0]!.dueAt;
    expect(lateMs).toBeGreaterThan(0);
    await preparePost(
      { ...harness.context(), conversions: new LateConversions(1, harness.context().shared) },
      { type: 'PrepareMedia', workspaceId: post.workspaceId, postId: post.id, tries: 0 },
    );
    expect(harness.reporter.of('rendition-ended').map(({ facts }) => facts)).toEqual([
      { outcome: 'reused', kind: 'image', waitMs: 3_000, durationMs: 2_000 },
    ]);
    expect(harness.reporter.of('media-preparation-ended').map(({ facts }) => facts)).toMatchObject([
      { network: 'threads', outcome: 'ready', latenessMs: lateMs + 5_000 },
    ]);
  });

  it('files of a Post that is published at once are late for no instant', async () => {
    const lateness = async (scheduledAt: number | null): Promise<unknown> => {
      await harness.prepare(await harness.post([channel('threads')], 'upload', scheduledAt));
      return harness.reporter.of('media-preparation-ended').at(-1)!.facts['latenessMs'];
    };
    expect(await lateness(harness.scenario.now + 86_400_000)).toEqual(expect.any(Number));
    expect(await lateness(null)).toBe(null);
  });

  it('a file that fits is used as it is', async () => {
    harness.convert = async ({ source: { facts } }) => ({ ...facts, kind: 'converted', reused: true });
    const post = await harness.post([channel('threads')], 'upload');
    await harness.prepare(post);
    expect((await harness.blobNames()).filter((name) => name.includes('/made/'))).toEqual([]);
    expect(await filesFor(post, 1)).toMatchObject({ kind: 'ready', files: [{ contentType: 'image/png' }] });
  });

  it.each(['cancelled', 'ready'])('a Variant that is %s is left alone', async (what) => {
    const post = await harness.post([channel('threads')], 'upload');
    if (what === 'cancelled') harness.scenario.must({ type: 'CancelPost', postId: post.id });
    else
      harness.scenario.tell({
        type: 'MediaPrepared',
        workspaceId: harness.scenario.id,
        postId: post.id,
        variants: [1],
      });
    await harness.write(post.id);
    await harness.prepare(post);
    expect([await harness.told(), harness.converted]).toEqual([[], []]);
  });

  it('files that were not reported yet are asked for again', async () => {
    expect(await filesFor(await harness.post([channel('threads')]), 1)).toMatchObject({ kind: 'pending' });
  });
});

describe('what can not be made', () => {
  it('fails at once for the Networks it can not be made for, in words', async () => {
    harness.convert = async () => ({ kind: 'refused', words: 'The picture is damaged.' });
    const post = await harness.post([channel('threads'), channel('x')], 'upload');
    await harness.prepare(post);
    expect((await failures()).toSorted()).toEqual([
      [[1], 'The picture is damaged.'],
      [[2], 'The picture is damaged.'],
    ]);
  });

  it('fails of a Post with several files if it is one of them alone', async () => {
    harness.convert = async ({ source: { facts } }) =>
      harness.converted.length === 1
        ? { kind: 'refused', words: 'The picture is damaged.' }
        : { ...facts, kind: 'converted', reused: true };
    const post = await harness.post([channel('threads')]);
    await harness.prepare(post);
    expect([await prepared(), await failures()]).toEqual([[], [[[1], 'The picture is damaged.']]]);
  });

  it('an address that has something else by now fails all, and is not asked again', async () => {
    harness.answer = { kind: 'changed', detail: 'The address answered 404.' };
    const post = await harness.post([channel('threads'), channel('x')]);
    await harness.prepare(post);
    expect(await failures()).toEqual([[[1, 2], 'The address answered 404.']]);
    expect(await harness.timers()).toEqual([]);
  });

  it('an address that is silent is asked again after ever longer waits, by timers, and fails when they are used up', async () => {
    harness.answer = { kind: 'unreachable', detail: 'The address does not answer.' };
    const post = await harness.post([channel('threads')], 'address');
    for (let tries = 0; tries < 4; tries++) await harness.prepare(post, tries);
    expect(await harness.timers()).toEqual([5_000, 30_000, 120_000, 600_000]);
    expect(await failures()).toEqual([]);
    await harness.prepare(post, 4);
    expect(await failures()).toEqual([[[1], 'The address does not answer.']]);
  });
});

describe('cut off', () => {
  const CALLS = 60;

  it.each(['before', 'after'] as const)(
    '%s any call and begun anew: the same files, reported at least once, and no bytes that count are gone',
    async (when) => {
      let crashes = 0;
      for (let at = 0; at < CALLS; at++) {
        harness = new MediaHarness();
        const post = await harness.post([channel('threads'), channel('x')]);
        harness.crash = { at, when };
        const crashed = await harness.prepare(post).then(
          () => false,
          (error: unknown) => error instanceof MediaCrash || Promise.reject(error),
        );
        harness.crash = null;
        if (crashed) crashes += 1;
        // Publishers may ask at any moment after the report.
        for (const number of await prepared()) await expectWhole(post, number, `reported, cut off ${when} call ${at}`);
        await harness.prepare(post);
        expect(new Set(await prepared())).toEqual(new Set([1, 2]));
        expect(await failures()).toEqual([]);
        for (const number of [1, 2]) await expectWhole(post, number, `cut off ${when} call ${at}`);
        expect(harness.leftovers()).toEqual([]);
      }
      expect(crashes).toBeGreaterThan(20);
    },
  );

  it('by two workers at once: one truth, and the loser takes its bytes away', async () => {
    const post = await harness.post([channel('threads')]);
    await Promise.all([harness.prepare(post), harness.prepare(post)]);
    const files = await filesFor(post, 1);
    if (files.kind !== 'ready') throw new Error(files.kind);
    const names = await harness.blobNames();
    expect(names.filter((name) => name.includes('/made/'))).toHaveLength(2);
    expect(names.filter((name) => name.includes('/fetched/'))).toHaveLength(1);
    for (const file of files.files) expect((await file.read(0, file.bytes)).length).toBe(file.bytes);
  });
});
