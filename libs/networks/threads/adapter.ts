import { adapterOf } from '../contract/adapter-of.ts';
import type { NetworkAdapter, NetworkEndpoints } from '../contract/adapter.ts';
import { waitsOf, type AdapterOptions } from '../contract/waits.ts';
import { parseHandle } from './handle.ts';
import { prepare } from './prepare.ts';
import { publish } from './publish.ts';
import { reconcile } from './reconcile.ts';

/** Threads: containers are made and become ready, and one of them is published. It can be published once only. */
export function createThreadsAdapter({ api }: NetworkEndpoints, options: AdapterOptions = {}): NetworkAdapter {
  const waits = waitsOf(options);
  return adapterOf({
    network: 'threads',
    publishTimeoutMs: waits.publishTimeoutMs,
    workOn: (publication) => ({ api, ...waits, publication }),
    parseHandle,
    prepare,
    publish,
    reconcile,
  });
}
