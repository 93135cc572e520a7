import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import sharp from 'sharp';
import { openMediaFolder, converted, factsOf, type MediaFolder as Folder } from '#media/made-files.fixture.ts';
import { createRealMediaTools } from '#testing/media-tools.ts';
import { toolsFrom } from '#adapters/ffmpeg/tools.ts';
import type { FileFacts } from '#domain/media/file-facts.ts';
import type { ImageTarget, Target, VideoTarget } from '#domain/media/target.ts';
import { targetsOf } from '#networks/registry.ts';
import type { MediaTools } from '#ports/media-tools.ts';
import { times, type Bench } from '../bench.ts';
import { phonePicture, phoneVideo } from '../phone-files.ts';
import { median } from '../quantiles.ts';
import type { Sizes } from '../sizes.ts';

const NETWORK = 'instagram';

interface Source {
  readonly path: string;
  readonly facts: FileFacts;
}

/** The cost of our limits around sharp and ffmpeg: the same files made by the same steps, with and without them. */
export async function mediaTools(bench: Bench): Promise<void> {
  await using folder = await openMediaFolder('bench-tools');
  const tools = createRealMediaTools({ picture: { idleWorkers: availableParallelism() } });
  try {
    await pictures(bench, folder, tools);
    await films(bench, folder, tools);
  } finally {
    await tools.close();
  }
}

async function sourceAt(tools: MediaTools, path: string): Promise<Source> {
  return { path, facts: await factsOf(tools, path) };
}

function targetFor<K extends Target['kind']>({ facts }: Source, kind: K): Extract<Target, { kind: K }> {
  const wanted = targetsOf(NETWORK, 'feed', [facts], '');
  const [target] = wanted.kind === 'targets' ? wanted.targets : [];
  if (target?.kind !== kind) throw new Error(`${NETWORK} wants no ${kind} of this file`);
  return target as Extract<Target, { kind: K }>;
}

async function pictures({ sizes, say, add }: Bench, folder: Folder, tools: MediaTools): Promise<void> {
  const source = await sourceAt(tools, await phonePicture(folder, 'picture.jpg', sizes.picture));
  const target = targetFor(source, 'image');
  const round = async (make: (into: string) => Promise<unknown>): Promise<number> => {
    const from = performance.now();
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let index = next++; index < sizes.picturesARound; index = next++) {
        const into = folder.path(`made-${index}.jpg`);
        await make(into);
        await rm(into);
      }
    };
    await Promise.all(Array.from({ length: availableParallelism() }, worker));
    return (1_000 * sizes.picturesARound) / (performance.now() - from);
  };
  const threads = sharp.concurrency(1);
  try {
    const through = () => round((into) => converted(tools, { workspaceId: 'w1', source, target, into }));
    const past = () => round((into) => plainPicture(source, target, into));
    const [ours, plain] = await inTurn(sizes, say, 'pictures', through, past);
    const { width, height } = sizes.picture;
    add({
      group: 'media',
      what: 'Pictures through the tools, against sharp in our own process',
      rateLimit: 0,
      figures: { 'pictures/s': ours, 'plain pictures/s': plain, ratio: ours / plain },
      target: null,
      how: `a turned JPEG of ${width}x${height} for ${NETWORK}, ${sizes.picturesARound} times, as many at once as there are cores, a thread each, ${sizes.runs} runs in turn`,
    });
  } finally {
    sharp.concurrency(threads);
  }
}

/** The steps of a picture's conversion, without our limits. */
async function plainPicture(
  { path }: Source,
  { canvas, picture, background, qualities, maxBytes }: ImageTarget,
  into: string,
): Promise<void> {
  const [left, top] = [
    Math.floor((canvas.width - picture.width) / 2),
    Math.floor((canvas.height - picture.height) / 2),
  ];
  const margins = {
    left,
    top,
    right: canvas.width - picture.width - left,
    bottom: canvas.height - picture.height - top,
  };
  const sized = sharp(path, { sequentialRead: true })
    .autoOrient()
    .resize(picture.width, picture.height, { fit: 'fill' });
  const framed = sized
    .flatten({ background: 'white' })
    .extend({ ...margins, background })
    .toColourspace('srgb')
    .removeAlpha();
  const { data, info } = await framed.raw().toBuffer({ resolveWithObject: true });
  for (const quality of qualities) {
    const jpeg = await sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } })
      .jpeg({ quality, chromaSubsampling: '4:2:0' })
      .toBuffer();
    if (jpeg.length > maxBytes) continue;
    await writeFile(into, jpeg);
    createHash('sha256').update(jpeg).digest('hex');
    return;
  }
  throw new Error('no quality fits');
}

async function films({ sizes, say, add }: Bench, folder: Folder, tools: MediaTools): Promise<void> {
  const source = await sourceAt(tools, await phoneVideo(folder, 'film.mov', sizes.video));
  const target = targetFor(source, 'video');
  const into = folder.path('made.mp4');
  const timed = async (make: () => Promise<unknown>): Promise<number> => {
    const from = performance.now();
    await make();
    const tookMs = performance.now() - from;
    await rm(into);
    return source.facts.durationMs! / tookMs;
  };
  const through = () => timed(() => converted(tools, { workspaceId: 'w1', source, target, into }));
  const past = () => timed(() => plainFilm(folder, source, target, into));
  const [ours, plain] = await inTurn(sizes, say, 'films', through, past);
  const { width, height, seconds } = sizes.video;
  add({
    group: 'media',
    what: 'A film through the tools, against ffmpeg alone',
    rateLimit: 0,
    figures: { 'x its length': ours, 'plain x its length': plain, ratio: ours / plain },
    target: null,
    how: `HEVC of ${width}x${height} and ${seconds} s for ${NETWORK}, same encoder, preset, rates and threads; ours also looks into both files; ${sizes.runs} runs in turn`,
  });
}

/** One command with those of our settings that decide the output, and its hash. */
async function plainFilm(
  folder: Folder,
  { path }: Source,
  { canvas: { width, height }, bitrate, peakBitrate }: VideoTarget,
  into: string,
): Promise<void> {
  const threads = String(toolsFrom({}).threads);
  const buffer = String(Math.max(bitrate / 2, 2 * (peakBitrate - bitrate)));
  const encoder = ['-c:v', 'libx264', '-profile:v', 'high', '-preset', 'veryfast', '-crf', '20', '-threads:v', threads];
  const picture = ['-vf', `scale=${width}:${height}:flags=bicubic,format=yuv420p`, ...encoder];
  const rates = [
    '-maxrate',
    String(bitrate),
    '-bufsize',
    buffer,
    '-g',
    '60',
    '-keyint_min',
    '60',
    '-sc_threshold',
    '0',
  ];
  const sound = ['-c:a', 'aac', '-b:a', '128k', '-ar', '48000', '-ac', '2'];
  await folder.ffmpeg(
    '-v',
    'error',
    '-threads',
    threads,
    '-i',
    path,
    ...picture,
    ...rates,
    ...sound,
    '-movflags',
    '+faststart',
    into,
  );
  createHash('sha256')
    .update(await readFile(into))
    .digest('hex');
}

/**
 * Medians of both ways, each first every other time, after an uncounted run of each; a smoke run counts nothing anyway.
 */
async function inTurn(
  { name, runs }: Sizes,
  say: Bench['say'],
  what: string,
  ours: () => Promise<number>,
  plain: () => Promise<number>,
): Promise<readonly [number, number]> {
  if (name !== 'smoke') {
    await ours();
    await plain();
  }
  const measured = await times(runs, async (run) => {
    say(`${what} through the tools and past them, run ${run}`);
    const plainFirst = run % 2 === 0 ? await plain() : null;
    const through = await ours();
    return { through, plain: plainFirst ?? (await plain()) };
  });
  return [median(measured.map(({ through }) => through)), median(measured.map((each) => each.plain))];
}
