import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openMediaFolder, converted, factsOf, type MediaFolder } from '#media/made-files.fixture.ts';
import { createRealMediaTools } from '#testing/media-tools.ts';
import type { FileFacts } from '#domain/media/file-facts.ts';
import { renditionKey } from '#domain/media/target.ts';
import type { Network, Placement } from '#domain/network.ts';
import { kindOf as facebookKindOf } from '#networks/facebook/media.ts';
import { problemOf as instagramProblemOf } from '#networks/instagram/media.ts';
import { targetsOf } from '#networks/registry.ts';
import { problemOf as threadsProblemOf } from '#networks/threads/media.ts';
import { kindOf as tiktokKindOf } from '#networks/tiktok/media.ts';
import { problemOf as xProblemOf } from '#networks/x/media.ts';
import { videoOf as youtubeVideoOf } from '#networks/youtube/media.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import { judge as facebookJudge } from '#services/sandbox/facebook/publish-video.ts';
import { lookAt } from '#services/sandbox/files/probe.ts';
import type { SandboxFile } from '#services/sandbox/files/files.ts';
import * as instagramRules from '#services/sandbox/instagram/file-rules.ts';
import * as threadsRules from '#services/sandbox/threads/file-rules.ts';
import { judge as tiktokJudge } from '#services/sandbox/tiktok/processing.ts';
import { judgeFile as xJudgeFile } from '#services/sandbox/x/media-rules.ts';
import { renditionOf } from '#testing/publication.ts';
import { AS_PHONES_FILM } from '#testing/phone-film.ts';

const tools = createRealMediaTools();
let bench: MediaFolder;
const sources: Record<string, { readonly path: string; readonly facts: FileFacts }> = {};

beforeAll(async () => {
  bench = await openMediaFolder('renditions');
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  await sharp({ create: { width: 3000, height: 1000, channels: 3, background: 'grey', noise } })
    .withExif({ IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
    .jpeg()
    .toFile(bench.path('panorama.jpg'));
  await sharp({ create: { width: 700, height: 2000, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.5 } } })
    .png()
    .toFile(bench.path('see-through.png'));
  await sharp({ create: { width: 90, height: 60, channels: 3, background: 'teal' } })
    .webp()
    .toFile(bench.path('tiny.webp'));
  await bench.ffmpeg(
    '-f',
    'lavfi',
    '-i',
    'testsrc2=s=960x540:r=30:d=3.1',
    '-f',
    'lavfi',
    '-i',
    'sine=d=3.1',
    ...AS_PHONES_FILM,
    'lying.mov',
  );
  await bench.ffmpeg('-i', 'lying.mov', '-c', 'copy', '-metadata:s:v', 'rotate=90', 'phone.mov');
  await bench.ffmpeg(
    '-f',
    'lavfi',
    '-i',
    'testsrc2=s=401x101:r=12:d=3.1',
    '-c:v',
    'libx264',
    '-pix_fmt',
    'yuv444p',
    'strip.mov',
  );
  for (const name of ['panorama.jpg', 'see-through.png', 'tiny.webp', 'phone.mov', 'strip.mov']) {
    const path = bench.path(name);
    sources[name] = { path, facts: await factsOf(tools, path) };
  }
});
afterAll(async () => {
  await tools.close();
  await bench[Symbol.asyncDispose]();
});

interface ConvertedFile {
  readonly rendition: Rendition;
  /** The file as a simulator inspects it. */
  readonly seen: SandboxFile;
}

/** Each pair of source and target once, as the media service converts for several Networks. */
const made = new Map<string, Promise<ConvertedFile>>();

async function renditionsFor(
  network: Network,
  placement: Placement,
  names: readonly string[],
): Promise<readonly ConvertedFile[]> {
  const files = names.map((name) => sources[name]!);
  const targets = targetsOf(
    network,
    placement,
    files.map(({ facts }) => facts),
    '',
  );
  if (targets.kind === 'problems') throw new Error(targets.problems.join(' '));
  return Promise.all(
    targets.targets.map((target, index) => {
      const key = `${names[index]}-${renditionKey(target)}`;
      const before = made.get(key) ?? make(files[index]!, target, bench.path(key));
      made.set(key, before);
      return before;
    }),
  );
}

async function make(
  source: { readonly path: string; readonly facts: FileFacts },
  target: Parameters<typeof renditionKey>[0],
  into: string,
): Promise<ConvertedFile> {
  const file = await converted(tools, { workspaceId: 'w1', source, target, into });
  const bytes = await readFile(file.reused ? source.path : into);
  const seen = lookAt((from, to) => bytes.subarray(from, to), bytes.length);
  const { contentType, sha256, width, height, durationMs } = file;
  return {
    rendition: renditionOf(bytes, { kind: source.facts.kind, contentType, sha256, width, height, durationMs }),
    seen: { ...seen, sha256, bytes: bytes.length },
  };
}

/** Why the adapter, or the simulator, would refuse them; null: both accept them. */
type Judge = (
  renditions: readonly Rendition[],
  seen: readonly SandboxFile[],
  placement: Placement,
) => readonly (string | number | null)[];

const isImage = ({ contentType }: SandboxFile) => contentType.startsWith('image/');
const detailOf = (judged: { readonly kind: string; readonly detail?: string }) => judged.detail ?? null;

const JUDGES: Readonly<Record<Network, Judge>> = {
  facebook: (media, seen, placement) => {
    const judged = facebookKindOf({ media, placement });
    const kind = judged.kind === 'reel' ? 'reel' : placement === 'story' ? 'story' : 'feed';
    return [
      detailOf(judged),
      ...seen.map((file) =>
        isImage(file)
          ? file.bytes > 10_485_760 || file.contentType === 'image/webp'
            ? 'image'
            : null
          : facebookJudge(file, kind, 'session'),
      ),
    ];
  },
  instagram: (media, seen, placement) => {
    const kind = placement === 'story' ? 'story' : seen.length > 1 ? 'child' : isImage(seen[0]!) ? 'image' : 'reel';
    const judge = (file: SandboxFile) =>
      isImage(file)
        ? instagramRules.judgeImage(file, kind)
        : instagramRules.judgeVideo(file, instagramRules.videoKindOf(kind), 0);
    return [instagramProblemOf({ media, placement, cover: null }), ...seen.map(judge)];
  },
  threads: (media, seen) => [
    threadsProblemOf({ media }),
    ...seen.map((file) => (isImage(file) ? threadsRules.judgeImage(file) : threadsRules.judgeVideo(file))),
  ],
  tiktok: (media, seen, placement) => [
    detailOf(tiktokKindOf({ media, placement })),
    ...seen.map((file) => tiktokJudge(file, isImage(file) ? 'photo' : 'video', 600_000)),
  ],
  x: (media, seen) => [
    xProblemOf({ media }),
    ...seen.map((file) => xJudgeFile(file, isImage(file) ? 'tweet_image' : 'tweet_video', { kind: 'None' })),
  ],
  youtube: (media, seen, placement) => [
    detailOf(youtubeVideoOf({ media, placement })),
    ...seen.map(({ contentType }) => (contentType.startsWith('video/') ? null : 'invalidFile')),
  ],
};

const PICTURES = ['panorama.jpg', 'see-through.png', 'tiny.webp'];
const FILMS = ['phone.mov', 'strip.mov'];
const single = (networks: readonly Network[], names: readonly string[], placement: Placement) =>
  networks.flatMap((network) => names.map((name) => [network, placement, [name]] as const));

describe('a file made for a Network is accepted by its adapter and by its simulator', () => {
  test.each<readonly [Network, Placement, readonly string[]]>([
    ...single(['facebook', 'instagram', 'threads', 'tiktok', 'x'], PICTURES, 'feed'),
    ...single(['facebook', 'instagram', 'threads', 'tiktok', 'x', 'youtube'], FILMS, 'feed'),
    ...single(['facebook', 'instagram'], [...PICTURES, ...FILMS], 'story'),
    ...(['instagram', 'threads'] as const).map((network) => [network, 'feed', [...PICTURES, ...FILMS]] as const),
    ...(['facebook', 'tiktok', 'x'] as const).map((network) => [network, 'feed', PICTURES] as const),
  ])('%s, %s: %j', async (network, placement, names) => {
    const files = await renditionsFor(network, placement, names);
    const [renditions, seen] = [files.map(({ rendition }) => rendition), files.map((file) => file.seen)];
    expect(JUDGES[network](renditions, seen, placement).filter((problem) => problem !== null)).toEqual([]);
    // An unconverted file may be stored rotated, which the simulator does not check.
    for (const { rendition, seen: file } of network === 'youtube' ? [] : files) {
      expect(file).toMatchObject({
        contentType: rendition.contentType,
        width: rendition.width,
        height: rendition.height,
      });
      expect(Math.abs(file.durationMs - (rendition.durationMs ?? 0))).toBeLessThanOrEqual(1);
    }
  });

  test('and many files are made once for several of them', () => {
    const phone = [...made.keys()].filter((key) => key.startsWith('phone.mov'));
    // The feeds of five Networks and the Stories of two share one file. In a carousel it has the shape of the first,
    // and youtube gets the original.
    expect(phone.map((key) => key.replace(/-\d+b-.*/, ''))).toEqual([
      'phone.mov-video1-540x960',
      'phone.mov-original1',
      expect.stringContaining('-black'),
    ]);
  });
});
