import type { PublishAnswer } from '../contract/adapter.ts';
import type { TikTokWork } from './calls.ts';
import type { TikTokHandle } from './handle.ts';
import { publishPhotos } from './photos.ts';
import { sendLastChunk } from './upload.ts';

export function publish(work: TikTokWork, handle: TikTokHandle): Promise<PublishAnswer> {
  return handle.kind === 'video' ? sendLastChunk(work, handle) : publishPhotos(work, handle);
}
