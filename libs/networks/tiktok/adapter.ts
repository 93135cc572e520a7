import { adapterOf } from '../contract/adapter-of.ts';
import type { NetworkAdapter, NetworkEndpoints } from '../contract/adapter.ts';
import type { AdapterOptions } from '../contract/waits.ts';
import { placeOf } from './calls.ts';
import { parseHandle } from './handle.ts';
import { prepare } from './prepare.ts';
import { publish } from './publish.ts';
import { reconcile } from './reconcile.ts';

/** Reading the last chunk is part of publishing it. */
const READ_MS = 30_000;

/** TikTok by Direct Post: a video is published by its last byte, photos by the call that asks TikTok to fetch them. */
export function createTikTokAdapter(endpoints: NetworkEndpoints, options: AdapterOptions = {}): NetworkAdapter {
  const at = placeOf(endpoints, options);
  return adapterOf({
    network: 'tiktok',
    publishTimeoutMs: at.publishTimeoutMs + READ_MS,
    workOn: (publication) => ({ at, publication }),
    parseHandle,
    prepare,
    publish,
    reconcile,
  });
}
