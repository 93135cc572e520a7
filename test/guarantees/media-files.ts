import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { expect } from 'vitest';
import type { ApiClient, ItemJson, PostJson, VariantJson } from '#testing/crier-clients.ts';
import type { CrierUnderTest } from '#testing/crier-process.ts';
import { until } from '#testing/until.ts';
import { AS_PHONES_FILM } from '#testing/phone-film.ts';

const run = promisify(execFile);

export interface MadeFile {
  readonly contentType: string;
  readonly bytes: Buffer;
  readonly sha256: string;
}

export interface MediaPostJson extends PostJson {
  readonly media: readonly { readonly kind: string; readonly url: string | null }[];
  readonly variants: readonly (VariantJson & { readonly mediaReady: boolean })[];
}

/** As the sandbox reports it. */
export type MediaItemJson = Omit<ItemJson, 'media'> & {
  readonly media: readonly { readonly sha256: string; readonly bytes: number; readonly contentType: string }[];
};

export function fileOf(contentType: string, bytes: Buffer): MadeFile {
  return { contentType, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'crier-media-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const ffmpeg = (cwd: string, ...args: readonly string[]) =>
  run('ffmpeg', ['-nostdin', '-hide_banner', '-loglevel', 'error', '-y', ...args], { cwd });

/** As a phone films: HEVC and AAC in a MOV, its index first, stored on its side with a rotation. */
export function phoneFilm({
  size = '960x540',
  seconds = 3.2,
}: { readonly size?: string; readonly seconds?: number } = {}): Promise<MadeFile> {
  return withFolder(async (folder) => {
    const sources = [
      '-f',
      'lavfi',
      '-i',
      `testsrc2=s=${size}:r=30:d=${seconds}`,
      '-f',
      'lavfi',
      '-i',
      `sine=d=${seconds}`,
    ];
    await ffmpeg(folder, ...sources, ...AS_PHONES_FILM, 'lying.mov');
    await ffmpeg(
      folder,
      '-i',
      'lying.mov',
      '-c',
      'copy',
      '-metadata:s:v:0',
      'rotate=90',
      '-movflags',
      '+faststart',
      'phone.mov',
    );
    return fileOf('video/quicktime', await readFile(join(folder, 'phone.mov')));
  });
}

/** 4000 by 3000, half of it transparent. */
export async function largePicture(): Promise<MadeFile> {
  const behind = {
    create: { width: 4000, height: 3000, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
  } as const;
  const front = {
    create: { width: 2000, height: 3000, channels: 4, background: { r: 200, g: 30, b: 60, alpha: 0.6 } },
  } as const;
  return fileOf(
    'image/png',
    await sharp(behind)
      .composite([{ input: front, left: 0, top: 0 }])
      .png({ compressionLevel: 3 })
      .toBuffer(),
  );
}

/** A reserved upload whose bytes are all there; not yet completed. */
export async function sendFile(api: ApiClient, { contentType, bytes }: MadeFile): Promise<string> {
  const reserved = await api.send('POST', '/api/media', { filename: 'a file', contentType, bytes: bytes.length });
  expect(reserved.status).toBe(201);
  const { assetId, uploadUrl } = reserved.body.data;
  const put = await fetch(uploadUrl, {
    method: 'PUT',
    headers: { 'content-type': contentType },
    body: new Uint8Array(bytes),
  });
  expect([put.status, await put.text()]).toEqual([204, '']);
  return assetId;
}

export async function upload(api: ApiClient, file: MadeFile): Promise<string> {
  const assetId = await sendFile(api, file);
  const { status, body } = await api.send('POST', `/api/media/${assetId}/complete`);
  expect([status, body.data]).toEqual([
    200,
    { assetId, kind: file.contentType.slice(0, 5), contentType: file.contentType, bytes: file.bytes.length },
  ]);
  return assetId;
}

export async function createPost(crier: CrierUnderTest, body: object): Promise<MediaPostJson> {
  return (await crier.api().createPost(body)) as MediaPostJson;
}

export async function readPost(crier: CrierUnderTest, postId: string): Promise<MediaPostJson> {
  return (await crier.api().getPost(postId)) as MediaPostJson;
}

/**
 * At once: shorter than the time that the sandbox's Networks get for their own work, or work that began before would
 * seem stuck afterwards.
 */
const LEAP_MS = 5_000;

/**
 * Resolves when all its Variants are published, moving time past the Networks' own waits; throws as soon as one fails.
 */
export async function published(crier: CrierUnderTest, postId: string, withinMs = 90_000): Promise<MediaPostJson> {
  for (let looks = 0; ; looks++) {
    const post = await readPost(crier, postId);
    const failed = post.variants.filter(({ status }) => status === 'failed');
    expect(failed.map(({ network, failureReason, failureDetail }) => [network, failureReason, failureDetail])).toEqual(
      [],
    );
    if (post.variants.every(({ status }) => status === 'published')) return post;
    if (looks * 100 > withinMs)
      expect.fail(
        `not published: ${JSON.stringify(post.variants.map(({ network, status, mediaReady }) => [network, status, mediaReady]))}\n${crier.stderr().slice(-3_000)}`,
      );
    await new Promise((pass) => setTimeout(pass, 100));
    if (looks % 4 === 3 && post.variants.every(({ status }) => status !== 'scheduled'))
      await crier.admin().advance(LEAP_MS);
  }
}

export function failed(crier: CrierUnderTest, postId: string): Promise<MediaPostJson> {
  return until(
    async () => {
      const post = await readPost(crier, postId);
      return post.variants.every(({ status }) => status === 'failed') ? post : null;
    },
    { what: `${postId} failed`, withinMs: 60_000 },
  );
}

/** The live items with this text. */
export async function itemsOf(crier: CrierUnderTest, text: string): Promise<readonly MediaItemJson[]> {
  return ((await crier.sandbox().items()) as readonly MediaItemJson[]).filter((item) => item.text === text);
}

/** Files that are not finished: in the media service, or on their way into the store. */
export function unfinished({ dataDir }: CrierUnderTest): readonly string[] {
  return [join(dataDir, 'under-way'), join(dataDir, 'blobs', '.incoming')].flatMap((folder) =>
    existsSync(folder)
      ? readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => join(parentPath, name))
      : [],
  );
}
