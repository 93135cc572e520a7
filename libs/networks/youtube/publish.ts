import type { Failure, NetworkAdapter, NetworkEndpoints, PrepareAnswer } from '../contract/adapter.ts';
import type { AdapterOptions } from '../contract/waits.ts';
import { placeOf } from './calls.ts';
import { parseHandle } from './handle.ts';
import { videoOf } from './media.ts';
import { reconcileUpload } from './reconcile.ts';
import { titleOf } from './title.ts';
import { prepareUpload, sendLastPart } from './upload.ts';

/** Reading the last part is part of publishing it. */
const READ_MS = 30_000;

/**
 * YouTube by resumable upload: a session is begun and filled, and its last byte publishes the video. A session
 * publishes once.
 */
export function createYouTubeAdapter(endpoints: NetworkEndpoints, options: AdapterOptions = {}): NetworkAdapter {
  const at = placeOf(endpoints, options);
  return {
    network: 'youtube',
    publishTimeoutMs: at.publishTimeoutMs + READ_MS,
    prepare: async (publication, text) => {
      const judged = videoOf(publication);
      if (judged.kind === 'wrong') return unfit('media_problem', judged.detail);
      if (titleOf(publication) === null) return unfit('rejected_by_platform', 'A video on YouTube needs a title.');
      return prepareUpload({ at, publication }, parseHandle(text), judged.file);
    },
    publish: async (publication, text) => {
      const handle = parseHandle(text);
      if (handle === null) throw new Error('youtube publishes what was prepared; there is nothing');
      return sendLastPart({ at, publication }, handle);
    },
    reconcile: async (publication, armed) => {
      const handle = parseHandle(armed.handle);
      if (handle === null)
        return {
          kind: 'unknown',
          delayMs: null,
          summary: { status: 0, detail: 'what was armed is not known any more' },
        };
      return reconcileUpload({ at, publication }, handle, armed);
    },
  };
}

function unfit(reason: Failure['reason'], detail: string): PrepareAnswer {
  return { kind: 'failed', failure: { reason, detail, retry: 'never' }, summary: { status: 0, detail } };
}
