import { adapterOf } from '../contract/adapter-of.ts';
import { placeOf } from './calls.ts';
import { parseHandle } from './handle.ts';
import { prepare } from './prepare.ts';
import { publish } from './publish.ts';
import { reconcile } from './reconcile.ts';
import { search } from './search.ts';

/** TikTok by Direct Post: a video is published by its last byte, photos by the call that asks TikTok to fetch them. */
export const createTikTokAdapter = adapterOf('tiktok', {
  placeOf,
  parseHandle,
  prepare,
  publish,
  reconcile,
  search,
  readsFile: true,
});
