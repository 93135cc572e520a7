import { TimeSlices } from '#concurrency/time-slice.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import { RateLimiter } from '#rate-limit/rate-limiter.ts';
import type { RequestRows } from '#tables/repositories/requests.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { Pools } from '#concurrency/pools.ts';
import { createCursors, type Cursors } from './cursors.ts';
import { createInspections, type Inspections } from './inspect-media.ts';
import { RequestTurns } from './request-turns.ts';
import { StrangerLimits } from './stranger-limits.ts';
import { createUploadAddresses, type UploadAddresses } from './upload-addresses.ts';

export interface DoorPartsOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly requests: RequestRows;
  /** The installation's master secret: cursors and upload addresses are signed under keys derived from it. */
  readonly secret: string;
  /** Master secrets of before: what was signed under them still opens. */
  readonly previousSecrets?: readonly string[];
  /** Addresses of files and endpoints that one Workspace may name in a minute, at all doors; 0: no limit. */
  readonly addressesPerMinute: number;
  /** Requests without a valid credential that one address may send in a minute; 0 or left out: no limit. */
  readonly strangersPerMinute?: number;
  /** Of this process; left out: pools that nothing else uses. */
  readonly pools?: Pools;
  /** Of this process; left out: slices that nothing else shares. */
  readonly slices?: TimeSlices;
  readonly reporter?: Pick<Reporter, 'report'>;
}

/** What the use cases of one process share, behind all of its doors: the API's and the app's. */
export interface DoorParts {
  readonly slices: TimeSlices;
  readonly uploadAddresses: UploadAddresses;
  readonly cursors: Cursors;
  readonly pools: Pools;
  readonly inspections: Inspections;
  readonly turns: RequestTurns;
  readonly addressLimiter: RateLimiter | null;
  readonly strangers: StrangerLimits;
}

export function createDoorParts(options: DoorPartsOptions): DoorParts {
  const { clock, ids, requests, secret, previousSecrets, addressesPerMinute, strangersPerMinute = 0 } = options;
  const pools = options.pools ?? new Pools({ clock });
  const limiter = { rows: requests, clock, ids, limit: addressesPerMinute };
  return {
    slices: options.slices ?? new TimeSlices({ clock }),
    uploadAddresses: createUploadAddresses(secret, previousSecrets),
    cursors: createCursors(secret, previousSecrets),
    pools,
    inspections: createInspections(pools),
    strangers: new StrangerLimits(clock, strangersPerMinute),
    turns: new RequestTurns({ pools, clock, reporter: options.reporter }),
    addressLimiter: addressesPerMinute === 0 ? null : new RateLimiter(limiter),
  };
}
