import { adapterOf } from '../contract/adapter-of.ts';
import { placeOf } from './calls.ts';
import { parseHandle } from './handle.ts';
import { prepare } from './prepare.ts';
import { publish } from './publish.ts';
import { reconcile } from './reconcile.ts';

/** Reading the last part of the file is part of publishing it. */
const READ_MS = 30_000;

/** TikTok by Direct Post: a video is published by its last byte, photos by the call that asks TikTok to fetch them. */
export const createTikTokAdapter = adapterOf({
  network: 'tiktok',
  placeOf,
  furtherPublishMs: READ_MS,
  parseHandle,
  prepare,
  publish,
  reconcile,
});
