import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createMemoryDownload } from '#adapters/memory/download.ts';
import type { Download } from '#ports/download.ts';
import type { Rendition } from '#ports/rendition-source.ts';
import { renditionOf } from './publication.ts';

export interface MediaFixture extends Pick<
  Rendition,
  'kind' | 'contentType' | 'width' | 'height' | 'durationMs' | 'sha256'
> {
  readonly bytes: Uint8Array;
}

function fixture(file: string, about: Omit<MediaFixture, 'bytes' | 'sha256'>): MediaFixture {
  const bytes = readFileSync(new URL(`./fixtures/${file}`, import.meta.url));
  return { ...about, bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

const jpeg = (file: string, width: number, height: number) =>
  fixture(file, { kind: 'image', contentType: 'image/jpeg', width, height, durationMs: null });
const film = (file: string, width: number, height: number) =>
  fixture(file, { kind: 'video', contentType: 'video/mp4', width, height, durationMs: 4_000 });

/** Small real files, each in a form that at least one Network accepts. Videos have sound. */
export const MEDIA_FIXTURES = {
  photo: jpeg('photo.jpg', 1080, 1350),
  square: jpeg('photo-2.jpg', 1080, 1080),
  wideshot: jpeg('photo-3.jpg', 1200, 900),
  story: jpeg('story.jpg', 1080, 1920),
  picture: fixture('picture.png', {
    kind: 'image',
    contentType: 'image/png',
    width: 640,
    height: 480,
    durationMs: null,
  }),
  reel: film('reel.mp4', 720, 1280),
  film: film('wide.mp4', 1280, 720),
} as const satisfies Record<string, MediaFixture>;

export type FixtureName = keyof typeof MEDIA_FIXTURES;

/** The fixtures as finished files, with the addresses from which Networks fetch them. */
export function fixtureRenditions(names: readonly FixtureName[], baseUrl = 'https://media.test'): readonly Rendition[] {
  return names.map((name) => {
    const { bytes, ...about } = MEDIA_FIXTURES[name];
    return renditionOf(bytes, {
      ...about,
      altText: about.kind === 'image' ? `A picture called ${name}` : '',
      url: `${baseUrl}/${about.sha256}`,
    });
  });
}

/** A download port that serves the fixtures, at the addresses of `fixtureRenditions`. */
export function fixtureDownload(baseUrl = 'https://media.test'): Download {
  return createMemoryDownload(
    new Map(
      Object.values(MEDIA_FIXTURES).map(({ bytes, contentType, sha256 }) => [
        `${baseUrl}/${sha256}`,
        { contentType, bytes },
      ]),
    ),
  );
}
