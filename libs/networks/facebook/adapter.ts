import { adapterOf } from '../contract/adapter-of.ts';
import { placeOf } from './calls.ts';
import { parseHandle } from './handle.ts';
import { prepare } from './prepare.ts';
import { publish } from './publish.ts';
import { reconcile } from './reconcile.ts';
import { search } from './search.ts';

/** Facebook Pages: everything is made unpublished, and one call shows it. */
export const createFacebookAdapter = adapterOf('facebook', {
  placeOf,
  parseHandle,
  prepare,
  publish,
  reconcile,
  search,
});
