import { readFile, writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FileFacts } from '#domain/media/file-facts.ts';
import type { MediaTools } from '#ports/media-tools.ts';
import { until } from '#testing/until.ts';
import { groupsWith } from '#adapters/child-process/process-group.fixture.ts';
import { createRealMediaTools } from '#testing/media-tools.ts';
import { box, withBox, withOutsideData } from './hostile-files.fixture.ts';
import { openMediaFolder, factsOf, imageTargetFor, videoTargetFor, type MediaFolder } from './made-files.fixture.ts';

const tools = createRealMediaTools();
let bench: MediaFolder;
/** A small film with its index in front, and one with it behind. */
let film: Buffer;
let indexLast: Buffer;
beforeAll(async () => {
  bench = await openMediaFolder('hostile-videos');
  const args = [
    '-f',
    'lavfi',
    '-i',
    'testsrc2=s=160x120:r=30:d=3',
    '-f',
    'lavfi',
    '-i',
    'sine=d=3',
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-c:a',
    'aac',
  ];
  await bench.ffmpeg(...args, '-movflags', '+faststart', 'film.mp4', ...args.slice(8), 'last.mov');
  [film, indexLast] = (await Promise.all(['film.mp4', 'last.mov'].map((name) => readFile(bench.path(name))))) as [
    Buffer,
    Buffer,
  ];
});
afterAll(async () => {
  await tools.close();
  await bench[Symbol.asyncDispose]();
});

async function file(name: string, bytes: Buffer): Promise<string> {
  await writeFile(bench.path(name), bytes);
  return bench.path(name);
}

/** A silent film of slides, each shown for so many seconds, none of which takes more than one picture. */
async function stillsOf(
  slides: number,
  secondsEach: number,
): Promise<{ readonly path: string; readonly bytes: Buffer }> {
  const path = bench.path(`stills-${slides}-${secondsEach}.mp4`);
  const slow = `testsrc=s=320x240:r=1:d=${slides},setpts=N*${secondsEach}/TB`;
  await bench.ffmpeg(
    '-f',
    'lavfi',
    '-i',
    slow,
    '-r',
    `1/${secondsEach}`,
    '-c:v',
    'libx264',
    '-pix_fmt',
    'yuv420p',
    path,
  );
  return { path, bytes: await readFile(path) };
}

/** Into half its size, so that nothing is copied. */
async function convert(path: string, name: string, by: MediaTools = tools, signal?: AbortSignal) {
  const facts = await factsOf(tools, path);
  const size = { width: 80, height: 60 };
  return by.convert({
    workspaceId: 'w1',
    source: { path, facts },
    target: videoTargetFor(facts, { canvas: size, picture: size }),
    into: bench.path(name),
    ...(signal === undefined ? {} : { signal }),
  });
}

describe('refused with words when it is looked into', () => {
  test.each<[string, () => Buffer, string]>([
    ['a film whose index was not copied', () => indexLast.subarray(0, Math.floor(indexLast.length * 0.7)), 'no index'],
    ['a film that says it is in another file', () => withOutsideData(film), 'other files'],
    [
      'a list of other films in the clothes of one',
      () => Buffer.concat([box('free', "ffconcat version 1.0\nfile '/etc/passwd'\n"), box('mdat')]),
      'no index',
    ],
    [
      'a reference to an address on the internet',
      () => box('moov', box('rmra', box('rmda', box('rdrf', '\0\0\0\0url \0\0\0\x18http://169.254.169.254/\0')))),
      'other files',
    ],
    [
      'an index of nothing',
      () => Buffer.concat([box('ftyp', 'isom'), box('moov', box('mvhd', '\0'.repeat(100)))]),
      'is damaged',
    ],
    [
      'boxes that claim to be larger than the file',
      () => Buffer.concat([box('ftyp', 'isom'), Buffer.from('7fffffff6d6f6f76', 'hex')]),
      'no index',
    ],
  ])('%s', async (name, make, words) => {
    expect(
      await tools.probe({ workspaceId: 'w1', path: await file(`${name.replaceAll(' ', '-')}.mov`, make()) }),
    ).toEqual({
      kind: 'refused',
      words: expect.stringContaining(words),
    });
  });

  test.each<[string, readonly string[], string]>([
    ['sound alone', ['-f', 'lavfi', '-i', 'sine=d=1', '-c:a', 'aac'], 'has no picture in it'],
    [
      'more pictures a second than any camera makes',
      ['-f', 'lavfi', '-i', 'testsrc=s=16x16:r=1000:d=1', '-c:v', 'libx264', '-preset', 'ultrafast'],
      '1000 pictures a second',
    ],
    [
      'a picture wider than any screen',
      ['-f', 'lavfi', '-i', 'color=red:s=17000x16:d=0.1:r=30', '-c:v', 'png'],
      'too large',
    ],
  ])('%s', async (name, args, words) => {
    const path = bench.path(`${name.replaceAll(' ', '-')}.mov`);
    await bench.ffmpeg(...args, path);
    expect(await tools.probe({ workspaceId: 'w1', path })).toEqual({
      kind: 'refused',
      words: expect.stringContaining(words),
    });
  });

  test.each(['cinepak', 'svq1', 'rpza', 'qtrle', 'msvideo1'])(
    'a film in %s, whose decoder few look at any longer, before it is opened',
    async (codec) => {
      const path = bench.path(`${codec}.mov`);
      await bench.ffmpeg('-f', 'lavfi', '-i', 'testsrc=s=64x64:r=10:d=0.2', '-c:v', codec, path);
      expect(await tools.probe({ workspaceId: 'w1', path })).toEqual({
        kind: 'refused',
        words: expect.stringMatching(/ is stored as \w+, which is not taken\. Export it as an MP4/),
      });
      const facts = { ...(await factsOf(tools, bench.path('film.mp4'))), contentType: 'video/quicktime' } as const;
      const into = bench.path(`${codec}.mp4`);
      const request = { workspaceId: 'w1', source: { path, facts }, target: videoTargetFor(facts), into };
      expect(await tools.convert(request)).toMatchObject({ kind: 'refused' });
      expect(await bench.names()).not.toContain(`${codec}.mp4`);
    },
  );

  test('some pictures that claim to last for hours', async () => {
    const { path } = await stillsOf(4, 4_600);
    expect(await tools.probe({ workspaceId: 'w1', path })).toEqual({
      kind: 'refused',
      words: expect.stringContaining('The video says that it lasts 5 h 7 min'),
    });
  });

  test('but not slides of an hour, of a few hundred bytes a minute', async () => {
    const { path, bytes } = await stillsOf(60, 60);
    expect(bytes.length / 60).toBeLessThan(2_000);
    expect(await tools.probe({ workspaceId: 'w1', path })).toMatchObject({
      kind: 'known',
      facts: { durationMs: 3_600_000 },
    });
  });

  test('whatever byte of its index is another one, there is an answer', async () => {
    const index = film.indexOf('moov');
    const rounds = Array.from({ length: 10 }, async (_, round) => {
      const broken = Buffer.from(film);
      for (let change = 0; change < 4; change++)
        broken[index + 4 + ((round * 1009 + change * 211) % 1500)] = (round * 57 + change * 31) % 256;
      return (await tools.probe({ workspaceId: 'w1', path: await file(`broken-${round}.mov`, broken) })).kind;
    });
    expect((await Promise.all(rounds)).filter((kind) => kind !== 'known' && kind !== 'refused')).toEqual([]);
  });
});

describe('refused with words, and without a trace, when it is converted', () => {
  test('a film that breaks off, rather than published as if it were whole', async () => {
    const path = await file('breaks-off.mp4', film.subarray(0, Math.floor(film.length * 0.6)));
    // ffmpeg alone makes half a film of it. The end of the box is made to be where the file ends, as a hostile program
    // would.
    const patched = Buffer.from(film.subarray(0, Math.floor(film.length * 0.6)));
    const data = patched.indexOf('mdat') - 4;
    patched.writeUInt32BE(patched.length - data, data);
    await writeFile(path, patched);
    expect(await convert(path, 'half.mp4')).toEqual({
      kind: 'refused',
      words: expect.stringMatching(/breaks off after [12] of 3 seconds/),
    });
    expect(await bench.names()).not.toContain('half.mp4');
  });

  test('a film that says it is short, and goes on for hours', async () => {
    const { bytes } = await stillsOf(4, 4_600);
    const path = await file(
      'goes-on.mp4',
      withBox(bytes, 'mvhd', (header) => header.writeUInt32BE(3_000, 16)),
    );
    expect(await tools.probe({ workspaceId: 'w1', path })).toMatchObject({
      kind: 'known',
      facts: { durationMs: 3_000 },
    });
    expect(await convert(path, 'went-on.mp4')).toEqual({
      kind: 'refused',
      words: expect.stringContaining('goes on after the 3 seconds'),
    });
    expect(await bench.names()).not.toContain('went-on.mp4');
  });

  test('what takes longer than it may', async () => {
    const hasty = createRealMediaTools({ video: { timeMs: 1, stillTimePerMs: 0, timePerMs: 0 } });
    expect(await convert(bench.path('film.mp4'), 'late.mp4', hasty)).toEqual({
      kind: 'refused',
      words: expect.stringContaining('takes too long'),
    });
    await until(async () => (await groupsWith(bench.path('late.mp4'))).length === 0, { what: 'nothing of it is left' });
    expect(await bench.names()).not.toContain('late.mp4');
  });

  test('what needs more memory than it may have', async () => {
    await bench.ffmpeg(
      '-f',
      'lavfi',
      '-i',
      'color=red:s=4096x2160:r=30:d=0.2',
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      'large.mp4',
    );
    const path = bench.path('large.mp4');
    const facts = await factsOf(tools, path);
    const small = createRealMediaTools({ video: { memoryBytes: 150e6 } });
    const request = {
      workspaceId: 'w1',
      source: { path, facts },
      target: videoTargetFor(facts, { background: 'white', frameRate: { least: 1, most: 2 } }),
      into: bench.path('large-out.mp4'),
    };
    expect(await small.convert(request)).toEqual({ kind: 'refused', words: expect.stringContaining('more memory') });
    expect(await bench.names()).not.toContain('large-out.mp4');
  });
});

describe('a conversion under way', () => {
  let long: string;
  let facts: FileFacts;
  beforeAll(async () => {
    long = bench.path('long.mov');
    await bench.ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=640x480:r=30:d=20', '-c:v', 'mpeg4', long);
    facts = await factsOf(tools, long);
  });
  const start = (name: string, signal?: AbortSignal) =>
    tools
      .convert({
        workspaceId: 'w1',
        source: { path: long, facts },
        target: videoTargetFor(facts),
        into: bench.path(name),
        ...(signal === undefined ? {} : { signal }),
      })
      .catch((error: unknown) => error);

  test('that is aborted is killed whole, its file is gone, and it rejects with the reason', async () => {
    const abort = new AbortController();
    const converting = start('aborted.mp4', abort.signal);
    await until(
      async () =>
        (await groupsWith(bench.path('aborted.mp4'))).length > 0 && (await bench.names()).includes('aborted.mp4'),
      { what: 'it is at work', everyMs: 5 },
    );
    abort.abort(new Error('enough'));
    expect(await converting).toMatchObject({ message: 'enough' });
    await until(async () => (await groupsWith(bench.path('aborted.mp4'))).length === 0, {
      what: 'nothing of it is left',
    });
    expect(await bench.names()).not.toContain('aborted.mp4');
  });

  test('that is killed from outside may be tried again', async () => {
    const converting = start('killed.mp4');
    const group = await until(async () => (await groupsWith(bench.path('killed.mp4')))[0], {
      what: 'it is at work',
      everyMs: 5,
    });
    process.kill(-group, 'SIGKILL');
    expect(await converting).toMatchObject({ name: 'PortError', kind: 'unavailable' });
    expect(await bench.names()).not.toContain('killed.mp4');
  });
});

describe('without ffmpeg', () => {
  const without = createRealMediaTools({ video: { ffmpeg: 'crier-has-no-ffmpeg', ffprobe: 'crier-has-no-ffprobe' } });
  afterAll(() => without.close());

  test('a refusal of a video names the missing tool', async () => {
    const missing = {
      kind: 'unable',
      words:
        'Videos can not be prepared here: crier-has-no-ffprobe is not installed. Whoever runs this installation can add it (apt-get install ffmpeg).',
    };
    expect(await without.probe({ workspaceId: 'w1', path: bench.path('film.mp4') })).toEqual(missing);
    expect(await convert(bench.path('film.mp4'), 'none.mp4', without)).toEqual(missing);
  });

  test('pictures are made', async () => {
    const path = await file(
      'picture.png',
      await sharp({ create: { width: 20, height: 20, channels: 3, background: 'red' } })
        .png()
        .toBuffer(),
    );
    const facts = await factsOf(without, path);
    expect(
      await without.convert({
        workspaceId: 'w1',
        source: { path, facts },
        target: imageTargetFor(facts),
        into: bench.path('picture.jpg'),
      }),
    ).toMatchObject({ kind: 'converted', contentType: 'image/jpeg' });
  });
});
