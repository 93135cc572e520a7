import { createHash } from 'node:crypto';
import { open, readFile, writeFile } from 'node:fs/promises';
import sharp, { type Metadata, type Sharp } from 'sharp';
import type { PictureAnswer, PictureJob } from './picture-job.ts';
import { isPlainFile } from './plain-file.ts';

/** Phones make pictures of 108 million pixels. */
const MOST_PIXELS = 120_000_000;
const MOST_SIDE = 65_000;
const TIMEOUT_S = 120;
/** Of a PNG, to find out whether it moves: what says so stands before the first picture. */
const HEAD_BYTES = 1_000_000;

const FORMATS: Readonly<Record<string, string>> = { 'image/jpeg': 'jpeg', 'image/png': 'png', 'image/webp': 'webp' };

/** Only the three loaders that are meant to can be reached, whatever the bytes say. */
export function lockLoaders(): void {
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadPngFile', 'VipsForeignLoadWebpFile', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer'] });
}

export async function work(job: PictureJob): Promise<PictureAnswer> {
  try {
    const seen = await look(job);
    return job.kind === 'look' || seen.kind === 'refused' ? answerOf(seen) : await make(job, seen.metadata);
  } catch (error) {
    return whyNot(error as NodeJS.ErrnoException);
  }
}

type Seen = { readonly kind: 'seen'; readonly metadata: Metadata } | Extract<PictureAnswer, { kind: 'refused' }>;

function answerOf(seen: Seen): PictureAnswer {
  if (seen.kind === 'refused') return seen;
  const { width, height } = seen.metadata.autoOrient;
  return { kind: 'seen', width, height };
}

async function look({ path, contentType }: PictureJob): Promise<Seen> {
  // The limit is told apart below, with words that name the size.
  const metadata = await sharp(path, { limitInputPixels: false, failOn: 'error' }).metadata();
  const { width, height, format, pages = 1 } = metadata;
  if (format !== FORMATS[contentType]) return refused('The picture is damaged, or is none.');
  if (width > MOST_SIDE || height > MOST_SIDE || width * height > MOST_PIXELS) {
    return refused(`The picture is too large: ${width} by ${height} pixels. ${MOST_PIXELS / 1_000_000} million pixels are the most.`);
  }
  const moves = pages > 1 || (contentType === 'image/png' && (await isMovingPng(path)));
  return moves ? refused('The picture moves, which Networks would not show. Give it as an MP4 video, or as a picture that stands still.') : { kind: 'seen', metadata };
}

async function isMovingPng(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
    const [moves, first] = ['acTL', 'IDAT'].map((type) => head.subarray(0, bytesRead).indexOf(type)) as [number, number];
    return moves >= 0 && (first < 0 || moves < first);
  } finally {
    await file.close();
  }
}

type MakeJob = Extract<PictureJob, { kind: 'make' }>;

async function make(job: MakeJob, metadata: Metadata): Promise<PictureAnswer> {
  const { target, path, contentType } = job;
  const isSeeThrough = metadata.hasAlpha && !(await sharp(path, INPUT).stats()).isOpaque;
  if (target.format === 'jpeg') {
    if (!isSeeThrough && (await fitsAsItIs(job, metadata))) return { kind: 'fits' };
    return write(await jpegWithin(job), 'image/jpeg', job);
  }
  const png: Encoded = { bytes: await framedPicture(job, false).png({ compressionLevel: 9 }).toBuffer(), ...target.canvas };
  const jpeg = isSeeThrough ? null : await jpegWithin(job);
  const isApt = png.bytes.length <= target.maxBytes && (jpeg === null || png.bytes.length <= jpeg.bytes.length);
  if (!isApt) return write(jpeg ?? (await jpegWithin(job)), 'image/jpeg', job);
  if (contentType === 'image/png' && (await fitsAsItIs(job, metadata))) return { kind: 'fits' };
  return write(png, 'image/png', job);
}

interface Encoded {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

const INPUT = { limitInputPixels: MOST_PIXELS, failOn: 'error', sequentialRead: true } as const;

/** Nothing would be gained by making it again. */
async function fitsAsItIs({ path, contentType, bytes, target }: MakeJob, metadata: Metadata): Promise<boolean> {
  const { width, height, space, depth, channels, orientation = 1 } = metadata;
  const wanted = target.format === 'jpeg' ? 'image/jpeg' : 'image/png';
  const { canvas, picture } = target;
  const hasSize = [canvas, picture].every((size) => size.width === width && size.height === height);
  const hasColours = depth === 'uchar' && (space === 'srgb' || space === 'b-w') && (contentType === 'image/png' || channels !== 4);
  if (contentType !== wanted || !hasSize || !hasColours || orientation !== 1 || bytes > target.maxBytes) return false;
  return isPlainFile(await readFile(path), contentType);
}

/** The picture upright, in sRGB of 8 bits, at its place on the canvas, without anything told of it. `flat`: on the background, where it is see-through. */
function framedPicture({ path, target }: MakeJob, flat: boolean): Sharp {
  const { canvas, picture, background } = target;
  const left = Math.floor((canvas.width - picture.width) / 2);
  const top = Math.floor((canvas.height - picture.height) / 2);
  const upright = sharp(path, INPUT).timeout({ seconds: TIMEOUT_S }).autoOrient();
  const sized = upright.resize(picture.width, picture.height, { fit: 'fill' });
  const flattened = flat ? sized.flatten({ background: FLATTENED_ON }) : sized;
  const right = canvas.width - picture.width - left;
  const bottom = canvas.height - picture.height - top;
  return flattened.extend({ left, top, right, bottom, background }).toColourspace('srgb');
}

/** What shows through a picture, whatever it is padded with. */
const FLATTENED_ON = 'white';

/** Steps by which a picture is made smaller when no quality will do. */
const SHRINK = 0.7;
const MOST_SHRINKS = 4;

/** The JPEG of the best quality that fits. */
async function jpegWithin(job: MakeJob): Promise<Encoded> {
  const { target, contentType } = job;
  // Of a JPEG the colours were thinned out already; lines of a drawing would get coloured seams.
  const chromaSubsampling = contentType === 'image/jpeg' ? '4:2:0' : '4:4:4';
  const raw = await framedPicture(job, true).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = raw.info;
  for (let shrinks = 0; shrinks <= MOST_SHRINKS; shrinks++) {
    const scale = SHRINK ** shrinks;
    const picture = sharp(raw.data, { raw: { width, height, channels }, limitInputPixels: MOST_PIXELS });
    const sized = shrinks === 0 ? picture : picture.resize(Math.max(1, Math.round(width * scale)));
    for (const quality of target.qualities) {
      const { data: bytes, info } = await sized.clone().jpeg({ quality, chromaSubsampling, progressive: false }).toBuffer({ resolveWithObject: true });
      if (bytes.length <= target.maxBytes) return { bytes, width: info.width, height: info.height };
    }
  }
  throw new Error(`no JPEG of ${width}x${height} fits into ${target.maxBytes} bytes`);
}

async function write(made: Encoded, contentType: 'image/jpeg' | 'image/png', { into }: MakeJob): Promise<PictureAnswer> {
  const { bytes, width, height } = made;
  await writeFile(into, bytes);
  return { kind: 'made', contentType, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), width, height };
}

/** Errors of the file system are ours; what the decoders say is about the file. */
function whyNot(error: NodeJS.ErrnoException): PictureAnswer {
  if (typeof error.code === 'string') return { kind: 'trouble', message: error.message };
  if (/timeout/i.test(error.message)) return refused('The picture takes too long to prepare. Save it again, smaller.');
  if (/memory/i.test(error.message)) return refused('The picture needs more memory than there is for one. Save it again, smaller.');
  return refused('The picture is damaged, or was not copied whole.');
}

function refused(words: string): Extract<PictureAnswer, { kind: 'refused' }> {
  return { kind: 'refused', words };
}
