import type { ComposeFile } from '../draft/compose-draft.ts';

type Facts = Pick<ComposeFile, 'size' | 'durationMs'>;
const UNKNOWN: Facts = { size: null, durationMs: null };
const MAX_WAIT_MS = 10_000;

/**
 * How large a picture or video is, and how long, as far as the browser can read it; the server judges the bytes. `url`:
 * an object URL.
 */
export function readFacts(kind: 'image' | 'video', url: string): Promise<Facts> {
  const { promise, resolve } = Promise.withResolvers<Facts>();
  setTimeout(() => resolve(UNKNOWN), MAX_WAIT_MS);
  if (kind === 'image') {
    const picture = new Image();
    picture.addEventListener('load', () =>
      resolve({ size: { width: picture.naturalWidth, height: picture.naturalHeight }, durationMs: null }),
    );
    picture.addEventListener('error', () => resolve(UNKNOWN));
    picture.src = url;
    return promise;
  }
  const video = document.createElement('video');
  video.preload = 'metadata';
  video.addEventListener('loadedmetadata', () => {
    const { videoWidth: width, videoHeight: height, duration } = video;
    const durationMs = Number.isFinite(duration) ? Math.round(duration * 1000) : null;
    resolve({ size: width > 0 && height > 0 ? { width, height } : null, durationMs });
  });
  video.addEventListener('error', () => resolve(UNKNOWN));
  video.src = url;
  return promise;
}
