import { adapterOf } from '../contract/adapter-of.ts';
import { placeOf } from './calls.ts';
import { parseHandle } from './handle.ts';
import { prepare } from './prepare.ts';
import { publish } from './publish.ts';
import { reconcile } from './reconcile.ts';
import { search } from './search.ts';

/**
 * YouTube by resumable upload: a session is begun and filled, and its last byte publishes the video. A session
 * publishes once.
 */
export const createYouTubeAdapter = adapterOf('youtube', {
  placeOf,
  parseHandle,
  prepare,
  publish,
  reconcile,
  search,
  readsFile: true,
});
