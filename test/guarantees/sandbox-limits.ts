import type { Network } from '#domain/network.ts';

const NONE = 1_000_000_000;

/**
 * Quotas as high as possible: other tests check that quotas are respected; with these, everything ends in good time.
 */
export const NO_LIMITS: Readonly<Record<Network, Readonly<Record<string, number>>>> = {
  facebook: { reelsPerDay: NONE },
  instagram: { postsPerDay: NONE },
  tiktok: { initsPerMinute: NONE, statusPerMinute: NONE, creatorInfoPerMinute: NONE, postsPerDay: NONE },
  youtube: { insertsPerDay: NONE, uploadsPerChannel: NONE },
  x: {
    ...{ tweetsCreatePerUser: NONE, tweetsCreatePerApp: NONE, usersTweetsPerUser: NONE, usersTweetsPerApp: NONE },
    ...{ mediaUploadPerUser: NONE, mediaPartsPerUser: NONE, mediaStatusPerUser: NONE, mediaMetadataPerUser: NONE },
    ...{ mediaUploadPerApp: NONE, mediaPartsPerApp: NONE, mediaStatusPerApp: NONE, mediaMetadataPerApp: NONE },
  },
  threads: { postsPerDay: NONE },
};
