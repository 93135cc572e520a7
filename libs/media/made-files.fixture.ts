import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import type { FileFacts } from '#domain/media/file-facts.ts';
import type { ImageTarget, Target, VideoTarget } from '#domain/media/target.ts';
import type { Conversion, ConvertRequest, MediaTools } from '#ports/media-tools.ts';

const run = promisify(execFile);

/** A folder in which a test makes its files, and what it makes of them. */
export interface MediaFolder extends AsyncDisposable {
  readonly folder: string;
  path(name: string): string;
  /** ffmpeg as anybody would call it, in the folder. What it says on standard error comes back. */
  ffmpeg(...args: readonly string[]): Promise<string>;
  /** The names that are there. */
  names(): Promise<readonly string[]>;
}

export async function openMediaFolder(name: string): Promise<MediaFolder> {
  const folder = await mkdtemp(join(tmpdir(), `crier-${name}-`));
  return {
    folder,
    path: (file) => join(folder, file),
    ffmpeg: async (...args) =>
      (await run('ffmpeg', ['-nostdin', '-hide_banner', '-y', ...args], { cwd: folder, maxBuffer: 1e8 })).stderr,
    names: async () => (await readdir(folder)).sort(),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** What the tools know of a file, as a service would keep it. Fails the test when they refuse it. */
export async function factsOf(tools: MediaTools, path: string): Promise<FileFacts> {
  const probed = await tools.probe({ workspaceId: 'w1', path });
  if (probed.kind !== 'known') throw new Error(probed.words);
  const bytes = await readFile(path);
  return { ...probed.facts, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** Fails the test unless it is converted. */
export async function converted(tools: MediaTools, request: ConvertRequest): Promise<Conversion> {
  const answer = await tools.convert(request);
  if (answer.kind !== 'converted') throw new Error(answer.words);
  return answer;
}

/** A target of the file's own size, unless the test says otherwise. */
export function imageTargetFor({ width, height }: FileFacts, more: Partial<ImageTarget> = {}): ImageTarget {
  const size = { width, height };
  return {
    kind: 'image',
    format: 'jpeg',
    canvas: size,
    picture: size,
    background: 'white',
    maxBytes: 4_000_000,
    qualities: [88, 82, 76, 70],
    ...more,
  };
}

export function videoTargetFor({ width, height }: FileFacts, more: Partial<VideoTarget> = {}): VideoTarget {
  const size = { width: width - (width % 2), height: height - (height % 2) };
  const rates = { frameRate: { least: 24, most: 60 }, bitrate: 6_000_000, peakBitrate: 8_000_000 };
  return {
    kind: 'video',
    canvas: size,
    picture: size,
    background: 'black',
    maxBytes: 100_000_000,
    maxDurationMs: null,
    ...rates,
    ...more,
  };
}

/** Probes a file and converts it as `target` says of its facts. */
export async function convertedFile(
  tools: MediaTools,
  path: string,
  into: string,
  target: (facts: FileFacts) => Target,
): Promise<Conversion & { readonly facts: FileFacts }> {
  const facts = await factsOf(tools, path);
  return {
    ...(await converted(tools, { workspaceId: 'w1', source: { path, facts }, target: target(facts), into })),
    facts,
  };
}

export type Colour = readonly [red: number, green: number, blue: number];

/** The colour at a place, given as shares of width and height, averaged over some pixels. */
export async function colourAt(path: string, x: number, y: number): Promise<Colour> {
  const { width, height } = await sharp(path).metadata();
  const side = Math.max(1, Math.floor(Math.min(width, height) / 20));
  const left = Math.min(width - side, Math.floor(width * x));
  const top = Math.min(height - side, Math.floor(height * y));
  const raw = await sharp(path)
    .extract({ left, top, width: side, height: side })
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer();
  const sums = [0, 1, 2].map((channel) =>
    raw.reduce((sum, value, index) => (index % 3 === channel ? sum + value : sum), 0),
  );
  return sums.map((sum) => Math.round(sum / (side * side))) as unknown as Colour;
}

/** The largest difference in any channel. */
export function distance(one: Colour, other: Colour): number {
  return Math.max(...one.map((value, channel) => Math.abs(value - other[channel]!)));
}
