import { useSyncExternalStore } from 'react';

/** Below it the previews have no room beside the words. */
const NARROW = '(max-width: 64rem)';

export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => matchMedia(NARROW).matches);
}

function subscribe(listener: () => void): () => void {
  const query = matchMedia(NARROW);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}
