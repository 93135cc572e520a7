import type { NetworkTargets } from '../contract/targets.ts';
import { filesProblems } from './limits.ts';

/**
 * YouTube takes whatever a Member may give, and makes its own of it: nothing that was made before it would be better.
 */
export const youtubeTargets: NetworkTargets = {
  problems: ({ files }) => filesProblems(files),
  target: () => ({ kind: 'original' }),
};
