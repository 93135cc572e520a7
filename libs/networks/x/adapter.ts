import type { NetworkAdapter, NetworkEndpoints, Publication } from '../contract/adapter.ts';
import { timeoutOf, waitsOf, type AdapterOptions } from '../contract/waits.ts';
import type { XWork } from './calls.ts';
import { parseHandle } from './handle.ts';
import { prepare } from './prepare.ts';
import { publish } from './publish.ts';
import { reconcile } from './reconcile.ts';
import { search } from './search.ts';

/**
 * X: one call makes a post. Before it, only the ids of its files name anything; after it, only the account's timeline
 * shows whether the post was made.
 */
export function createXAdapter({ api, site }: NetworkEndpoints, options: AdapterOptions = {}): NetworkAdapter {
  const waits = waitsOf(options);
  const workOn = (publication: Publication): XWork => ({
    ...{ api, site, ...waits, publishTimeoutMs: timeoutOf(publication, waits) },
    publication,
  });
  return {
    network: 'x',
    publishTimeoutMs: waits.publishTimeoutMs,
    timeoutFor: (publication) => timeoutOf(publication, waits),
    prepare: (publication, handle) => prepare(workOn(publication), parseHandle(handle)),
    publish: (publication, handle) => publish(workOn(publication), parseHandle(handle)),
    reconcile: (publication, armed) => reconcile(workOn(publication), armed),
    search: (publication, sought) => search(workOn(publication), sought),
  };
}
