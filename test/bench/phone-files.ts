import sharp from 'sharp';
import type { MediaFolder as Folder } from '#media/made-files.fixture.ts';
import type { Sizes } from './sizes.ts';
import { AS_PHONES_FILM } from '#testing/phone-film.ts';

const BLUR = 8;

/**
 * A picture as phones make them: stored on its side with an orientation tag, with detail of average compressibility.
 * Returns its path.
 */
export async function phonePicture(folder: Folder, name: string, { width, height }: Sizes['picture']): Promise<string> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const;
  const rough = await sharp({
    create: {
      width: Math.ceil(width / BLUR),
      height: Math.ceil(height / BLUR),
      channels: 3,
      background: 'grey',
      noise,
    },
  })
    .png()
    .toBuffer();
  const path = folder.path(name);
  await sharp(rough)
    .resize(width, height, { fit: 'fill' })
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 92 })
    .toFile(path);
  return path;
}

/** A video as phones make them: HEVC and AAC in a MOV, stored on its side with a rotation. Returns its path. */
export async function phoneVideo(
  folder: Folder,
  name: string,
  { width, height, seconds }: Sizes['video'],
): Promise<string> {
  const sources = [
    '-f',
    'lavfi',
    '-i',
    `testsrc2=s=${height}x${width}:r=30:d=${seconds}`,
    '-f',
    'lavfi',
    '-i',
    `sine=d=${seconds}:r=44100`,
  ];
  await folder.ffmpeg(...sources, ...AS_PHONES_FILM, `lying-${name}`);
  await folder.ffmpeg('-i', `lying-${name}`, '-c', 'copy', '-metadata:s:v', 'rotate=90', name);
  return folder.path(name);
}
