import { adapterOf } from '../contract/adapter-of.ts';
import { placeOf } from './calls.ts';
import { parseHandle } from './handle.ts';
import { prepare } from './prepare.ts';
import { publish } from './publish.ts';
import { reconcile } from './reconcile.ts';

/** Reading the last part of the file is part of publishing it. */
const READ_MS = 30_000;

/**
 * YouTube by resumable upload: a session is begun and filled, and its last byte publishes the video. A session
 * publishes once.
 */
export const createYouTubeAdapter = adapterOf({
  network: 'youtube',
  placeOf,
  furtherPublishMs: READ_MS,
  parseHandle,
  prepare,
  publish,
  reconcile,
});
