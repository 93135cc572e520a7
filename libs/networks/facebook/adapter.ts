import { adapterOf } from '../contract/adapter-of.ts';
import type { NetworkAdapter, NetworkEndpoints } from '../contract/adapter.ts';
import type { AdapterOptions } from '../contract/waits.ts';
import { placeOf } from './calls.ts';
import { parseHandle } from './handle.ts';
import { prepare } from './prepare.ts';
import { publish } from './publish.ts';
import { reconcile } from './reconcile.ts';

/** Facebook Pages: everything is made unpublished, and one call shows it. */
export function createFacebookAdapter(endpoints: NetworkEndpoints, options: AdapterOptions = {}): NetworkAdapter {
  const at = placeOf(endpoints, options);
  return adapterOf({
    network: 'facebook',
    publishTimeoutMs: at.publishTimeoutMs,
    workOn: (publication) => ({ at, publication }),
    parseHandle,
    prepare,
    publish,
    reconcile,
  });
}
