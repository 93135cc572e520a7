import { adapterOf } from '../contract/adapter-of.ts';
import type { NetworkAdapter, NetworkEndpoints } from '../contract/adapter.ts';
import type { AdapterOptions } from '../contract/waits.ts';
import { placeOf } from './calls.ts';
import { parseHandle } from './handle.ts';
import { prepare } from './prepare.ts';
import { publish } from './publish.ts';
import { reconcile } from './reconcile.ts';

/** Instagram: containers are made and become ready, and one of them is published. It can be published once only. */
export function createInstagramAdapter(endpoints: NetworkEndpoints, options: AdapterOptions = {}): NetworkAdapter {
  const at = placeOf(endpoints, options);
  return adapterOf({
    network: 'instagram',
    publishTimeoutMs: at.publishTimeoutMs,
    workOn: (publication) => ({ at, publication }),
    parseHandle,
    prepare,
    publish,
    reconcile,
  });
}
