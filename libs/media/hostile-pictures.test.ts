import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { childGroupsWith, isLiving, usageOf } from '#adapters/child-process/process-group.fixture.ts';
import { until } from '#testing/until.ts';
import { createRealMediaTools } from '#testing/media-tools.ts';
import {
  DISGUISES,
  interlacedPng,
  jpegClaiming,
  jpegOfScans,
  movingPng,
  pngBomb,
  webpBomb,
  webpOfSize,
} from './hostile-files.fixture.ts';
import { openMediaFolder, factsOf, imageTargetFor, type MediaFolder } from './made-files.fixture.ts';

const tools = createRealMediaTools();
let bench: MediaFolder;
beforeAll(async () => {
  bench = await openMediaFolder('hostile-pictures');
});
afterAll(async () => {
  await tools.close();
  await bench[Symbol.asyncDispose]();
});

async function file(name: string, bytes: Buffer): Promise<string> {
  await writeFile(bench.path(name), bytes);
  return bench.path(name);
}

test.each(Object.keys(DISGUISES).flatMap((what) => ['picture.jpg', 'video.mov'].map((name) => [what, name] as const)))(
  '%s that is called %s is refused with words',
  async (what, name) => {
    const probed = await tools.probe({ workspaceId: 'w1', path: await file(name, DISGUISES[what]!) });
    expect(probed).toMatchObject({ kind: 'refused', words: expect.stringMatching(/^The file .+\.$/) });
  },
);

const picture = () => sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } });

const NEAR_LIMIT = { width: 10_900, height: 10_900 };

describe('refused with words, by its header alone:', () => {
  test('a PNG of ten thousand million pixels', async () => {
    expect(await tools.probe({ workspaceId: 'w1', path: await file('bomb.png', pngBomb(100_000, 100_000)) })).toEqual({
      kind: 'refused',
      words: 'The picture is too large: 100000 by 100000 pixels. 120 million pixels are the most.',
    });
  });

  test('a WebP that claims what it does not hold', async () => {
    expect(await tools.probe({ workspaceId: 'w1', path: await file('bomb.webp', webpBomb()) })).toMatchObject({
      kind: 'refused',
      words: expect.stringContaining('too large'),
    });
  });

  test('a PNG that is decoded only when all of it is in memory, of 16 bits', async () => {
    const bytes = interlacedPng(NEAR_LIMIT.width, NEAR_LIMIT.height);
    expect(bytes.length).toBeLessThan(1_000_000);
    expect(await tools.probe({ workspaceId: 'w1', path: await file('interlaced.png', bytes) })).toEqual({
      kind: 'refused',
      words:
        'The picture needs too much memory to open: 10900 by 10900 pixels, to be held all at once. Save it smaller, or as a JPEG that is not progressive.',
    });
  });

  test('a progressive JPEG of all its colours and more pixels than there is memory for', async () => {
    const jpeg = await picture().jpeg({ progressive: true, chromaSubsampling: '4:4:4' }).toBuffer();
    expect(
      await tools.probe({ workspaceId: 'w1', path: await file('progressive.jpg', jpegClaiming(jpeg, 10_000, 10_000)) }),
    ).toMatchObject({ kind: 'refused', words: expect.stringContaining('too much memory') });
    const phone = await picture().jpeg({ progressive: true, chromaSubsampling: '4:2:0' }).toBuffer();
    expect(
      await tools.probe({ workspaceId: 'w1', path: await file('phone.jpg', jpegClaiming(phone, 12_000, 9_000)) }),
    ).toMatchObject({
      kind: 'known',
    });
  });

  test('a JPEG of more scans than any program makes', async () => {
    const jpeg = await picture().jpeg({ progressive: true }).toBuffer();
    expect(
      await tools.probe({ workspaceId: 'w1', path: await file('scans.jpg', jpegOfScans(jpeg, 10_000)) }),
    ).toMatchObject({
      kind: 'refused',
      words: expect.stringContaining('layers'),
    });
    expect(
      await tools.probe({ workspaceId: 'w1', path: await file('few-scans.jpg', jpegOfScans(jpeg, 50)) }),
    ).toMatchObject({
      kind: 'known',
    });
  });

  test('a WebP that moves', async () => {
    const frames = await Promise.all(
      ['red', 'blue'].map((background) =>
        sharp({ create: { width: 32, height: 32, channels: 3, background } })
          .png()
          .toBuffer(),
      ),
    );
    const moving = await sharp(frames, { join: { animated: true } })
      .webp({ delay: [100, 100] })
      .toBuffer();
    expect(await tools.probe({ workspaceId: 'w1', path: await file('moving.webp', moving) })).toMatchObject({
      kind: 'refused',
      words: expect.stringContaining('moves'),
    });
  });

  test('a PNG that moves', async () => {
    expect(
      await tools.probe({
        workspaceId: 'w1',
        path: await file('moving.png', movingPng(await picture().png().toBuffer())),
      }),
    ).toMatchObject({ kind: 'refused', words: expect.stringContaining('moves') });
  });

  test('a page behind the first bytes of a JPEG', async () => {
    expect(
      await tools.probe({
        workspaceId: 'w1',
        path: await file('page.jpg', Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), DISGUISES['a web page']!])),
      }),
    ).toMatchObject({ kind: 'refused' });
  });
});

describe('a picture that only decoding can tell', () => {
  async function convert(name: string, bytes: Buffer, with_ = tools) {
    const path = await file(name, bytes);
    const facts = await factsOf(with_, path);
    return with_.convert({
      workspaceId: 'w1',
      source: { path, facts },
      target: imageTargetFor(facts, { canvas: { width: 32, height: 32 }, picture: { width: 32, height: 32 } }),
      into: bench.path(`${name}.out`),
    });
  }

  test.each<[string, () => Promise<Buffer>]>([
    ['broken-off.jpg', () => picture().jpeg().toBuffer()],
    [
      'broken-off.png',
      () =>
        sharp({
          create: {
            width: 64,
            height: 64,
            channels: 3,
            background: 'red',
            noise: { type: 'gaussian', mean: 9, sigma: 9 },
          },
        })
          .png()
          .toBuffer(),
    ],
    ['broken-off.webp', () => picture().webp({ lossless: true }).toBuffer()],
  ])('%s is refused with words, and leaves nothing', async (name, make) => {
    const whole = await make();
    expect(
      await convert(name, whole.subarray(0, Math.floor(whole.length * 0.6))).catch((error: Error) => ({
        kind: 'refused',
        words: error.message,
      })),
    ).toMatchObject({ kind: 'refused', words: expect.stringContaining('damaged') });
    expect(await bench.names()).not.toContain(`${name}.out`);
  });

  test('of the most pixels is converted in bounded memory, from some kilobytes', async () => {
    const bytes = pngBomb(NEAR_LIMIT.width, NEAR_LIMIT.height, NEAR_LIMIT.height);
    expect(bytes.length).toBeLessThan(100_000);
    expect(await convert('near.png', bytes)).toMatchObject({ kind: 'converted', width: 32 });
  });

  test('beyond the memory of a worker is refused with words, and the next one finds another worker', async () => {
    const small = createRealMediaTools({ picture: { memoryBytes: 0.75e9 } });
    try {
      const heavy = jpegClaiming(
        await picture().jpeg({ progressive: true, chromaSubsampling: '4:4:4' }).toBuffer(),
        8000,
        8000,
      );
      expect(await convert('heavy.jpg', heavy, small)).toMatchObject({
        kind: 'refused',
        words: expect.stringContaining('memory'),
      });
      expect(await convert('light.jpg', await picture().jpeg().toBuffer(), small)).toMatchObject({ kind: 'converted' });
    } finally {
      await small.close();
    }
  });

  test('beyond the time of a worker is refused with words', async () => {
    const hasty = createRealMediaTools({ picture: { timeMs: 1 } });
    try {
      expect(
        await hasty.probe({ workspaceId: 'w1', path: await file('slow.jpg', await picture().jpeg().toBuffer()) }),
      ).toMatchObject({
        kind: 'refused',
        words: expect.stringContaining('too long'),
      });
    } finally {
      await hasty.close();
    }
  });
});

test('a file that is not there is trouble of ours', async () => {
  await expect(tools.probe({ workspaceId: 'w1', path: bench.path('nowhere.jpg') })).rejects.toMatchObject({
    name: 'PortError',
    kind: 'unavailable',
  });
});

const WORKER = 'picture-worker';
const workers = (of = process.pid) => childGroupsWith(WORKER, of);

test('a picture that one can see through is decoded once, however little is in it', async () => {
  const own = createRealMediaTools();
  try {
    const before = new Set(await workers());
    const clear = { r: 1, g: 2, b: 3, alpha: 0.5 };
    const small = await sharp({ create: { width: 64, height: 64, channels: 4, background: clear } })
      .webp({ lossless: true, effort: 0 })
      .toBuffer();
    const bytes = webpOfSize(small, 6_000, 6_000);
    const path = await file('clear.webp', bytes);
    const facts = await factsOf(own, path);
    const size = { width: 600, height: 600 };
    const target = imageTargetFor(facts, { canvas: size, picture: size });
    // The worker that looked at it makes it too.
    const worker = await until(async () => (await workers()).find((one) => !before.has(one)), {
      what: 'a worker was started ahead',
    });
    let isDone = false;
    const converting = own
      .convert({ workspaceId: 'w1', source: { path, facts }, target, into: bench.path('clear.jpg') })
      .finally(() => (isDone = true));
    let usage = await usageOf(worker);
    while (!isDone) {
      const seen = await usageOf(worker).catch(() => usage);
      // A process that is ending has no memory any longer.
      if (seen.bytes > 0) usage = seen;
    }
    expect(await converting).toMatchObject({ kind: 'converted' });
    process.stdout.write(
      `${bytes.length} bytes of 36 million pixels took ${usage.seconds.toFixed(1)} s of the processor and ${Math.round(usage.bytes / 1e6)} MB\n`,
    );
    expect(usage.seconds).toBeLessThan(2);
    expect(usage.bytes).toBeLessThan(300e6);
  } finally {
    await own.close();
  }
});

describe('a worker', () => {
  test('that is stopped in the middle is gone, with its file, and rejects with the reason', async () => {
    const own = createRealMediaTools();
    const before = new Set(await workers());
    const path = await file('slow.png', pngBomb(NEAR_LIMIT.width, NEAR_LIMIT.height, NEAR_LIMIT.height));
    const facts = {
      kind: 'image',
      contentType: 'image/png',
      bytes: 1,
      sha256: '',
      ...NEAR_LIMIT,
      durationMs: null,
    } as const;
    const abort = new AbortController();
    const converting = own
      .convert({
        workspaceId: 'w1',
        source: { path, facts },
        target: imageTargetFor(facts),
        into: bench.path('never.jpg'),
        signal: abort.signal,
      })
      .catch((error: unknown) => error);
    await until(async () => (await workers()).some((group) => !before.has(group)), { what: 'a worker has started' });
    abort.abort(new Error('enough'));
    expect(await converting).toMatchObject({ message: 'enough' });
    expect((await workers()).filter((group) => !before.has(group))).toEqual([]);
    expect(await bench.names()).not.toContain('never.jpg');
    await own.close();
  });

  test("that is killed from outside is not the file's fault: it may be tried again", async () => {
    const own = createRealMediaTools();
    const before = new Set(await workers());
    const path = await file('killed.png', pngBomb(NEAR_LIMIT.width, NEAR_LIMIT.height, NEAR_LIMIT.height));
    const facts = {
      kind: 'image',
      contentType: 'image/png',
      bytes: 1,
      sha256: '',
      ...NEAR_LIMIT,
      durationMs: null,
    } as const;
    const converting = own
      .convert({
        workspaceId: 'w1',
        source: { path, facts },
        target: imageTargetFor(facts),
        into: bench.path('never.jpg'),
      })
      .catch((error: unknown) => error);
    const group = await until(async () => (await workers()).find((one) => !before.has(one)), {
      what: 'a worker has started',
    });
    process.kill(-group, 'SIGKILL');
    expect(await converting).toMatchObject({ name: 'PortError', kind: 'unavailable' });
    await own.close();
  });

  test('ends with us when we are killed with -9', async () => {
    const path = await file('orphan.png', pngBomb(NEAR_LIMIT.width, NEAR_LIMIT.height, NEAR_LIMIT.height));
    const us = spawn(process.execPath, [new URL('./media-tools.child.ts', import.meta.url).pathname, path]);
    try {
      const group = await until(async () => (await workers(us.pid))[0], { what: 'it has a worker' });
      us.kill('SIGKILL');
      await until(async () => !(await isLiving(group)), { what: 'the worker is gone' });
    } finally {
      us.kill('SIGKILL');
    }
  });

  test('takes the pictures of one Workspace, one after the other, and none of another', async () => {
    // On a busy machine the list of workers may take longer than they rest by default.
    const own = createRealMediaTools({ picture: { idleWorkers: 0, restMs: 120_000 } });
    const before = new Set(await workers());
    const started = async () => (await workers()).filter((group) => !before.has(group));
    const path = await file('quick.jpg', await picture().jpeg().toBuffer());
    for (let count = 0; count < 3; count++) await own.probe({ workspaceId: 'w1', path });
    const [first, ...more] = await started();
    expect(more).toEqual([]);
    await own.probe({ workspaceId: 'w2', path });
    expect(await started()).toEqual([first, expect.any(Number)]);
    // Two wait for another picture, and no more: the one that waits longest ends.
    await own.probe({ workspaceId: 'w3', path });
    await until(async () => (await started()).length === 2, { what: 'one of three has ended' });
    expect(await started()).not.toContain(first);
    await own.close();
    expect(await started()).toEqual([]);
  });

  test('ends when no other picture of its Workspace comes', async () => {
    const own = createRealMediaTools({ picture: { idleWorkers: 0, restMs: 200 } });
    const before = new Set(await workers());
    await own.probe({ workspaceId: 'w1', path: await file('quick.jpg', await picture().jpeg().toBuffer()) });
    await until(async () => (await workers()).every((group) => before.has(group)), { what: 'it has ended' });
    await own.close();
  });

  test('is ended by closing, and so is the one that was started ahead', async () => {
    const own = createRealMediaTools({ picture: { restMs: 120_000 } });
    const before = new Set(await workers());
    await own.probe({ workspaceId: 'w1', path: await file('quick.jpg', await picture().jpeg().toBuffer()) });
    const started = async () => (await workers()).filter((group) => !before.has(group));
    await until(async () => (await started()).length > 1, { what: 'a worker was started ahead' });
    expect(await started()).toHaveLength(2);
    await own.close();
    expect(await started()).toEqual([]);
  });
});
