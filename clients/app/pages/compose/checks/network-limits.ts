import type { Network } from '#domain/network.ts';
import type { NetworkLimits } from '#domain/network-limits.ts';
import { facebookLimits } from '#networks/facebook/limits.ts';
import { instagramLimits } from '#networks/instagram/limits.ts';
import { threadsLimits } from '#networks/threads/limits.ts';
import { tiktokLimits } from '#networks/tiktok/limits.ts';
import { xLimits } from '#networks/x/limits.ts';
import { youtubeLimits } from '#networks/youtube/limits.ts';

/** By the functions with which the server judges. A Network that is missing here is judged by the server alone. */
export const LIMITS: Partial<Readonly<Record<Network, NetworkLimits>>> = {
  facebook: facebookLimits,
  instagram: instagramLimits,
  threads: threadsLimits,
  tiktok: tiktokLimits,
  x: xLimits,
  youtube: youtubeLimits,
};
