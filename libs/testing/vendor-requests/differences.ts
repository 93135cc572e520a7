import type { Network } from '#domain/network.ts';

/** Where a request differs from what the vendor documents, and why that is right, or not mended yet. */
export interface VendorDifference {
  readonly network: Network;
  /** The end of the endpoint's path. */
  readonly path: string;
  readonly problem: RegExp;
  readonly reason: string;
}

/** In requests of adapters. */
export const ADAPTER_DIFFERENCES: readonly VendorDifference[] = [
  {
    network: 'x',
    path: '/media/upload',
    problem: /^"media_type" is nothing/,
    reason: 'the upload in one call still sends it, though X has no such field there any more',
  },
  {
    network: 'instagram',
    path: '/media_publish',
    problem: /^"creation_id" is ".*" and should be an integer/,
    reason: 'containers of tests have made-up ids such as c1',
  },
];

/** In requests that tests of a simulated Network make, and it takes. */
export const SANDBOX_DIFFERENCES: readonly VendorDifference[] = [
  {
    network: 'x',
    path: '/media/upload',
    problem: /^("(command|media_id|media_type)" is nothing|a body is required)/,
    reason: 'the simulator takes media_type, and the commands of the older upload from the address too',
  },
  {
    network: 'x',
    path: '/users/me',
    problem: /\.fields" is ".*" and should be one of/,
    reason: 'X drops the names of fields that it does not know without a word, and so does the simulator',
  },
  {
    network: 'x',
    path: '/tweets',
    problem: /\.fields" is ".*" and should be one of/,
    reason: 'as for /users/me',
  },
  {
    network: 'instagram',
    path: '/ig-api-upload/{version}/{id}',
    problem: /^"authorization" is "Bearer /,
    reason: 'the simulator takes a bearer token where Meta writes OAuth',
  },
];
