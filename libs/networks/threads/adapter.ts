import { adapterOf } from '../contract/adapter-of.ts';
import { placeOf } from './calls.ts';
import { parseHandle } from './handle.ts';
import { prepare } from './prepare.ts';
import { publish } from './publish.ts';
import { reconcile } from './reconcile.ts';
import { search } from './search.ts';

/** Threads: containers are made and become ready, and one of them is published. It can be published once only. */
export const createThreadsAdapter = adapterOf('threads', { placeOf, parseHandle, prepare, publish, reconcile, search });
