import { adapterOf } from '../contract/adapter-of.ts';
import type { NetworkAdapter, NetworkEndpoints } from '../contract/adapter.ts';
import type { AdapterOptions } from '../contract/waits.ts';
import { placeOf } from './calls.ts';
import { parseHandle } from './handle.ts';
import { prepare } from './prepare.ts';
import { publish } from './publish.ts';
import { reconcile } from './reconcile.ts';

/** Reading the last part is part of publishing it. */
const READ_MS = 30_000;

/**
 * YouTube by resumable upload: a session is begun and filled, and its last byte publishes the video. A session
 * publishes once.
 */
export function createYouTubeAdapter(endpoints: NetworkEndpoints, options: AdapterOptions = {}): NetworkAdapter {
  const at = placeOf(endpoints, options);
  return adapterOf({
    network: 'youtube',
    publishTimeoutMs: at.publishTimeoutMs + READ_MS,
    workOn: (publication) => ({ at, publication }),
    parseHandle,
    prepare,
    publish,
    reconcile,
  });
}
