/**
 * Calls back after so many ms, or where the tab is hidden then, once it is visible. Returns what prevents it in either
 * case: a tab that is hidden for a night hears of thousands of changes, and each leaves one of these behind.
 */
export function afterVisible(ms: number, callback: () => void): () => void {
  const whenVisible = (): void => {
    if (document.hidden) return;
    document.removeEventListener('visibilitychange', whenVisible);
    callback();
  };
  const timer = setTimeout(() => {
    document.addEventListener('visibilitychange', whenVisible);
    whenVisible();
  }, ms);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', whenVisible);
  };
}
