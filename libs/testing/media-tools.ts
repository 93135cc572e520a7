import type { FfmpegOptions } from '#adapters/ffmpeg/tools.ts';
import { createVideos } from '#adapters/ffmpeg/videos.ts';
import { createPictures, type PictureOptions } from '#adapters/sharp/pictures.ts';
import { createMediaTools } from '#media/media-tools.ts';
import type { MediaTools } from '#ports/media-tools.ts';

export interface RealMediaToolsOptions {
  readonly picture?: PictureOptions;
  readonly video?: FfmpegOptions;
}

/** The media tools of a real process: pictures by sharp, videos by ffmpeg. */
export function createRealMediaTools({ picture, video }: RealMediaToolsOptions = {}): MediaTools & {
  close(): Promise<void>;
} {
  return createMediaTools({ pictures: createPictures(picture), videos: createVideos(video) });
}
