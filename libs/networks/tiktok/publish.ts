import type { NetworkAdapter, NetworkEndpoints, PrepareAnswer } from '../contract/adapter.ts';
import type { AdapterOptions } from '../contract/waits.ts';
import { placeOf } from './calls.ts';
import { parseHandle, type TikTokHandle } from './handle.ts';
import { kindOf } from './media.ts';
import { preparePhotos, publishPhotos, reconcilePhotos } from './photos.ts';
import { sendLastChunk } from './upload.ts';
import { prepareVideo, reconcileVideo } from './video.ts';

/** Reading the last chunk is part of publishing it. */
const READ_MS = 30_000;

/** TikTok by Direct Post: a video is published by its last byte, photos by the call that asks TikTok to fetch them. */
export function createTikTokAdapter(endpoints: NetworkEndpoints, options: AdapterOptions = {}): NetworkAdapter {
  const at = placeOf(endpoints, options);
  return {
    network: 'tiktok',
    publishTimeoutMs: at.publishTimeoutMs + READ_MS,
    prepare: async (publication, text): Promise<PrepareAnswer> => {
      const work = { at, publication };
      const judged = kindOf(publication);
      if (judged.kind === 'wrong') {
        const { detail } = judged;
        return {
          kind: 'failed',
          failure: { reason: 'media_problem', detail, retry: 'never' },
          summary: { status: 0, detail },
        };
      }
      if (judged.kind === 'photos') return preparePhotos(work);
      const handle = parseHandle(text);
      return prepareVideo(work, handle?.kind === 'video' ? handle : null, judged.file);
    },
    publish: async (publication, text) => {
      const handle = madeBefore(text);
      return handle.kind === 'video'
        ? sendLastChunk({ at, publication }, handle)
        : publishPhotos({ at, publication }, handle);
    },
    reconcile: async (publication, armed) => {
      const handle = parseHandle(armed.handle);
      if (handle === null)
        return {
          kind: 'unknown',
          delayMs: null,
          summary: { status: 0, detail: 'what was armed is not known any more' },
        };
      return handle.kind === 'video'
        ? reconcileVideo({ at, publication }, handle, armed)
        : reconcilePhotos({ at, publication }, handle, armed);
    },
  };
}

function madeBefore(text: string | null): TikTokHandle {
  const handle = parseHandle(text);
  if (handle === null) throw new Error('tiktok publishes what was prepared; there is nothing');
  return handle;
}
