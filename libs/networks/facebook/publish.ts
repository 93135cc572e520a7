import type { NetworkAdapter, NetworkEndpoints, PrepareAnswer } from '../contract/adapter.ts';
import type { AdapterOptions } from '../contract/waits.ts';
import { isStale, parseHandle, type FacebookHandle } from './handle.ts';
import { kindOf } from './media.ts';
import { placeOf, type PageKind } from './page.ts';
import { pagePost } from './post.ts';
import { reel } from './reel.ts';
import { photoStory, videoStory } from './story.ts';
import { feedVideo } from './video.ts';

/** Each kind takes the handles of its kind, which TypeScript can't follow through a table. */
const KINDS = { post: pagePost, video: feedVideo, reel, photoStory, videoStory } as unknown as Readonly<
  Record<FacebookHandle['kind'], PageKind<FacebookHandle>>
>;

/** Facebook Pages: everything is made where nobody sees it, and shown by one call. */
export function createFacebookAdapter(endpoints: NetworkEndpoints, options: AdapterOptions = {}): NetworkAdapter {
  const at = placeOf(endpoints, options);
  return {
    network: 'facebook',
    publishTimeoutMs: at.publishTimeoutMs,
    prepare: async (publication, text): Promise<PrepareAnswer> => {
      const judged = kindOf(publication);
      if (judged.kind === 'wrong') {
        const { detail } = judged;
        return {
          kind: 'failed',
          failure: { reason: 'media_problem', detail, retry: 'never' },
          summary: { status: 0, detail },
        };
      }
      const handle = parseHandle(text);
      const isOurs = handle !== null && handle.kind === judged.kind && !isStale(handle, publication.now);
      return KINDS[judged.kind].prepare({ at, publication }, isOurs ? handle : null);
    },
    publish: (publication, text) => {
      const handle = madeBefore(text);
      return KINDS[handle.kind].publish({ at, publication }, handle);
    },
    reconcile: (publication, armed) => {
      const handle = parseHandle(armed.handle);
      if (handle === null)
        return Promise.resolve({
          kind: 'unknown',
          delayMs: null,
          summary: { status: 0, detail: 'what was armed is not known any more' },
        });
      return KINDS[handle.kind].reconcile({ at, publication }, handle, armed);
    },
  };
}

function madeBefore(text: string | null): FacebookHandle {
  const handle = parseHandle(text);
  if (handle === null) throw new Error('facebook publishes what was made before; there is none');
  return handle;
}
