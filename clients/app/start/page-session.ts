import type { AppSession } from '../workspace/session.ts';

/** Of the element in the page: `services/app/pages/app-pages.ts` writes it. */
const SESSION_ID = 'session';

/** What the server wrote into the page about who is signed in; null: it did not, and has to be asked. */
export function pageSession(): AppSession | null {
  const text = document.getElementById(SESSION_ID)?.textContent ?? '';
  return text === '' ? null : (JSON.parse(text) as AppSession);
}

/** When this browser heard it; Unix ms. */
export function pageHeardAt(): number {
  const [page] = performance.getEntriesByType('navigation');
  return performance.timeOrigin + ((page as PerformanceNavigationTiming | undefined)?.responseStart ?? 0);
}
