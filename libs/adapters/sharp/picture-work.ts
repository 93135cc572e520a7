import sharp, { type Channels, type Metadata, type Sharp } from 'sharp';
import type { PictureAnswer, PictureJob } from './picture-job.ts';
import { privatePartsOf } from './private-parts.ts';
import { isPlainFile } from './plain-file.ts';

/** Phones make pictures of 108 million pixels. */
const MAX_PIXELS = 120_000_000;
const MAX_SIDE = 65_000;
const TIMEOUT_S = 100;
/** The bytes of a PNG that are searched for animation: its marker stands before the first picture. */
const HEAD_BYTES = 1_000_000;

const FORMATS: Readonly<Record<string, string>> = { 'image/jpeg': 'jpeg', 'image/png': 'png', 'image/webp': 'webp' };

/** Only the three loaders for accepted formats can be reached, whatever the bytes are. */
export function lockLoaders(): void {
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadWebpBuffer'],
  });
}

/** What is answered, and the picture that was made. */
export interface PictureResult {
  readonly answer: PictureAnswer;
  readonly made: Buffer | null;
}

export async function work(job: PictureJob, source: Buffer): Promise<PictureResult> {
  try {
    const seen = await look(job, source);
    if (job.kind === 'look' || seen.kind === 'refused') return { answer: answerOf(seen, job, source), made: null };
    return await make({ ...job, source }, seen.metadata);
  } catch (error) {
    return { answer: whyNot(error as NodeJS.ErrnoException), made: null };
  }
}

type Inspection = { readonly kind: 'seen'; readonly metadata: Metadata } | Extract<PictureAnswer, { kind: 'refused' }>;

/** Programs write some dozens. */
const MAX_PRIVATE_PARTS = 1_000;

function answerOf(seen: Inspection, { contentType }: PictureJob, source: Buffer): PictureAnswer {
  if (seen.kind === 'refused') return seen;
  const { width, height } = seen.metadata.autoOrient;
  const privateParts = privatePartsOf(source, contentType);
  return privateParts.length > MAX_PRIVATE_PARTS
    ? refused('The picture has more notes in it than any program makes. Save it again, as a JPEG.')
    : { kind: 'seen', width, height, privateParts };
}

/**
 * A progressive JPEG of 100 million pixels takes 300 MB with subsampled colours, as cameras and most programs write it;
 * a baseline one takes hardly any.
 */
const MAX_HELD_BYTES = 400_000_000;
/** The coefficients of a frequency domain, for each channel. */
const COEFFICIENT_BYTES = 2;
/** Coefficients of each pixel: colours are subsampled by half in one direction, or in both. */
const COEFFICIENTS: Readonly<Record<string, number>> = { '4:2:0': 1.5, '4:2:2': 2, '4:4:4': 3 };

/**
 * The memory that a decoder needs before it can give the first row, computed from the header. Formats not listed are
 * decoded row by row.
 */
function heldBytes({
  format,
  width,
  height,
  channels,
  depth,
  isProgressive,
  chromaSubsampling = '',
}: Metadata): number {
  const pixels = width * height;
  if (format === 'webp') return pixels * 4;
  if (isProgressive !== true) return 0;
  if (format === 'jpeg') return pixels * (COEFFICIENTS[chromaSubsampling] ?? channels) * COEFFICIENT_BYTES;
  return pixels * channels * (depth === 'ushort' ? 2 : 1);
}

/**
 * Programs write about ten scans. For each a decoder goes through the whole picture, and a hundred bytes suffice for
 * one.
 */
const MAX_SCANS = 100;
const START_OF_SCAN = Buffer.from([0xff, 0xda]);

function hasFewScans(source: Buffer): boolean {
  let scans = 0;
  for (let at = source.indexOf(START_OF_SCAN); at >= 0; at = source.indexOf(START_OF_SCAN, at + 2)) scans += 1;
  return scans <= MAX_SCANS;
}

async function look({ contentType }: PictureJob, source: Buffer): Promise<Inspection> {
  // The limit is checked below, with an error text that names the size.
  const metadata = await sharp(source, { limitInputPixels: false, failOn: 'error' }).metadata();
  const { width, height, format, pages = 1 } = metadata;
  if (format !== FORMATS[contentType]) return refused('The picture is damaged, or is none.');
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS) {
    return refused(
      `The picture is too large: ${width} by ${height} pixels. ${MAX_PIXELS / 1_000_000} million pixels are the most.`,
    );
  }
  if (heldBytes(metadata) > MAX_HELD_BYTES)
    return refused(
      `The picture needs too much memory to open: ${width} by ${height} pixels, to be held all at once. Save it smaller, or as a JPEG that is not progressive.`,
    );
  if (metadata.isProgressive && format === 'jpeg' && !hasFewScans(source))
    return refused('The picture is stored in more layers than any program makes. Save it again as a JPEG.');
  const moves = pages > 1 || (contentType === 'image/png' && isMovingPng(source));
  return moves
    ? refused(
        'The picture moves, which Networks would not show. Give it as an MP4 video, or as a picture that stands still.',
      )
    : { kind: 'seen', metadata };
}

function isMovingPng(source: Buffer): boolean {
  const head = source.subarray(0, HEAD_BYTES);
  const [moves, first] = ['acTL', 'IDAT'].map((type) => head.indexOf(type)) as [number, number];
  return moves >= 0 && (first < 0 || moves < first);
}

type MakeJob = Extract<PictureJob, { kind: 'make' }> & { readonly source: Buffer };

/**
 * The source is decoded once, which is nearly all of the work; all results are made from that picture at its place on
 * the canvas.
 */
async function make(job: MakeJob, metadata: Metadata): Promise<PictureResult> {
  const fits = fitsAsItIs(job, metadata);
  if (fits && job.target.format === 'jpeg') return AS_IT_IS;
  const framed = await framedPicture(job);
  if (job.target.format === 'jpeg') return resultOf(await jpegWithin(framed, job), 'image/jpeg');
  const png: EncodedPicture = {
    bytes: await fromPixels(framed).png({ compressionLevel: 9 }).toBuffer(),
    ...job.target.canvas,
  };
  const jpeg = isSeeThrough(framed) ? null : await jpegWithin(framed, job);
  const isApt = png.bytes.length <= job.target.maxBytes && (jpeg === null || png.bytes.length <= jpeg.bytes.length);
  if (!isApt) return resultOf(jpeg ?? (await jpegWithin(framed, job)), 'image/jpeg');
  return fits ? AS_IT_IS : resultOf(png, 'image/png');
}

const AS_IT_IS: PictureResult = { answer: { kind: 'fits' }, made: null };

/** 8 bits of each channel of each pixel, row by row. */
interface Pixels {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
  readonly channels: Channels;
}

function fromPixels({ data, width, height, channels }: Pixels): Sharp {
  return sharp(data, { raw: { width, height, channels }, limitInputPixels: MAX_PIXELS });
}

function isSeeThrough({ data, channels }: Pixels): boolean {
  if (channels !== 4) return false;
  for (let at = 3; at < data.length; at += 4) if (data[at] !== 255) return true;
  return false;
}

interface EncodedPicture {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

const INPUT = { limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true } as const;

/** Making it again would change nothing. */
function fitsAsItIs({ source, contentType, bytes, target }: MakeJob, metadata: Metadata): boolean {
  const { width, height, space, depth, channels, orientation = 1 } = metadata;
  const wanted = target.format === 'jpeg' ? 'image/jpeg' : 'image/png';
  const { canvas, picture } = target;
  const hasSize = [canvas, picture].every((size) => size.width === width && size.height === height);
  const hasColours =
    depth === 'uchar' && (space === 'srgb' || space === 'b-w') && (contentType === 'image/png' || channels !== 4);
  if (contentType !== wanted || !hasSize || !hasColours || orientation !== 1 || bytes > target.maxBytes) return false;
  return isPlainFile(source, contentType);
}

/** The picture upright, in sRGB of 8 bits, at its place on the canvas, without metadata. */
async function framedPicture({ source, target }: MakeJob): Promise<Pixels> {
  const { canvas, picture, background } = target;
  const left = Math.floor((canvas.width - picture.width) / 2);
  const top = Math.floor((canvas.height - picture.height) / 2);
  const upright = sharp(source, INPUT).timeout({ seconds: TIMEOUT_S }).autoOrient();
  const sized = upright.resize(picture.width, picture.height, { fit: 'fill' });
  const right = canvas.width - picture.width - left;
  const bottom = canvas.height - picture.height - top;
  const framed = sized.extend({ left, top, right, bottom, background }).toColourspace('srgb');
  const { data, info } = await framed.raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: info.channels };
}

/** The colour behind transparent parts, whatever the padding is. */
const FLATTENED_ON = 'white';

/** The steps by which a picture is made smaller when no quality fits. */
const SHRINK = 0.7;
const MAX_SHRINKS = 4;

/** The JPEG of the best quality that fits. */
async function jpegWithin(framed: Pixels, { target, contentType }: MakeJob): Promise<EncodedPicture> {
  // The colours of a JPEG source are subsampled already; subsampling a drawing would give its lines coloured seams.
  const chromaSubsampling = contentType === 'image/jpeg' ? '4:2:0' : '4:4:4';
  const whole = fromPixels(framed).flatten({ background: FLATTENED_ON });
  for (let shrinks = 0; shrinks <= MAX_SHRINKS; shrinks++) {
    const sized =
      shrinks === 0 ? whole : whole.clone().resize(Math.max(1, Math.round(framed.width * SHRINK ** shrinks)));
    for (const quality of target.qualities) {
      const { data: bytes, info } = await sized
        .clone()
        .jpeg({ quality, chromaSubsampling, progressive: false })
        .toBuffer({ resolveWithObject: true });
      if (bytes.length <= target.maxBytes) return { bytes, width: info.width, height: info.height };
    }
  }
  throw new Error(`no JPEG of ${framed.width}x${framed.height} fits into ${target.maxBytes} bytes`);
}

function resultOf({ bytes, width, height }: EncodedPicture, contentType: 'image/jpeg' | 'image/png'): PictureResult {
  return { answer: { kind: 'made', contentType, bytes: bytes.length, width, height }, made: bytes };
}

/** Errors of the system are ours; errors of the decoders are about the file. */
function whyNot(error: NodeJS.ErrnoException): PictureAnswer {
  if (typeof error.code === 'string') return { kind: 'trouble', message: error.message };
  if (/timeout/i.test(error.message)) return refused('The picture takes too long to prepare. Save it again, smaller.');
  if (/memory/i.test(error.message))
    return refused('The picture needs more memory than there is for one. Save it again, smaller.');
  return refused('The picture is damaged, or was not copied whole.');
}

function refused(words: string): Extract<PictureAnswer, { kind: 'refused' }> {
  return { kind: 'refused', words };
}
