import { adapterOf } from '../contract/adapter-of.ts';
import { placeOf } from './calls.ts';
import { parseHandle } from './handle.ts';
import { prepare } from './prepare.ts';
import { publish } from './publish.ts';
import { reconcile } from './reconcile.ts';
import { search } from './search.ts';

/** Instagram: containers are made and become ready, and one of them is published. It can be published once only. */
export const createInstagramAdapter = adapterOf('instagram', {
  placeOf,
  parseHandle,
  prepare,
  publish,
  reconcile,
  search,
});
