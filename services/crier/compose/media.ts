import { hostname } from 'node:os';
import { join } from 'node:path';
import { createVideoCheck } from '#adapters/ffmpeg/presence.ts';
import { createVideos } from '#adapters/ffmpeg/videos.ts';
import { createLocalFiles } from '#adapters/filesystem/local-files.ts';
import { filesystemScratchDisk } from '#adapters/filesystem/scratch-disk.ts';
import { createPictures } from '#adapters/sharp/pictures.ts';
import { createMediaTools } from '#media/media-tools.ts';
import type { MediaTools } from '#ports/media-tools.ts';
import type { Config } from '#config/config.ts';
import type { OwnAddresses } from '#config/own-addresses.ts';
import { createMediaAddresses, type MediaAddresses } from '#media/media-addresses.ts';
import type { JudgeFile, VideosUnavailable } from '#use-cases/dependencies.ts';
import { createJudge } from '#services/ingress/uploads/judging.ts';
import { Conversions } from '#concurrency/conversions.ts';
import type { Engine } from '../engines/engine.ts';
import { conversionsAtOnceOf } from './conversions-at-once.ts';
import type { MediaOptions } from './roles.ts';

export interface ProcessMedia extends MediaOptions {
  readonly tools: MediaTools & { close(): Promise<void> };
  /** What ingress uses of it. */
  readonly ingressPorts: {
    readonly judge: JudgeFile;
    readonly mediaAddresses: MediaAddresses;
    readonly videosOff: VideosUnavailable;
  };
}

/** What handles files in one process: tools, addresses, folders of its own. */
export function processMediaOf(
  config: Config,
  { blobs, secrets }: Engine,
  { mediaUrl, pictureHttp, pools }: Pick<OwnAddresses, 'mediaUrl'> & Pick<MediaOptions, 'pictureHttp' | 'pools'>,
): ProcessMedia {
  const video = { ffmpeg: config.ffmpeg, ffprobe: config.ffprobe };
  const tools = createMediaTools({ pictures: createPictures(), videos: createVideos(video) });
  // Processes of one cluster may share the folder, on several machines too: each has one of its own in it, which it
  // empties when it starts.
  const own = join(config.dataDir, 'under-way', `${hostname()}-${config.adminPort}`);
  const files = createLocalFiles({ blobs, folder: join(own, 'copies') });
  const addresses = createMediaAddresses({
    baseUrl: () => mediaUrl,
    secret: secrets.secret,
    previousSecrets: config.previousSecrets,
  });
  return {
    url: (stored) => addresses.urlOf(stored),
    tools,
    conversions: new Conversions(conversionsAtOnceOf(config), pools),
    pools,
    disk: filesystemScratchDisk,
    scratchFolder: join(own, 'media'),
    pictureFolder: join(own, 'pictures'),
    pictureHttp,
    ingressPorts: {
      judge: createJudge({ tools, blobs, files }),
      mediaAddresses: addresses,
      videosOff: createVideoCheck(video),
    },
  };
}
