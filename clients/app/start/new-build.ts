const RELOADED_AT = 'crier.reloaded-at';
const MIN_BETWEEN_MS = 60_000;

/**
 * A tab that was opened before the server was renewed asks for files that are gone. It loads the page anew, at most
 * once a minute, as what is missing may be missing for another reason.
 */
export function openNewBuildWhenFilesAreGone(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(RELOADED_AT) ?? 0);
    if (Date.now() - last < MIN_BETWEEN_MS) return;
    sessionStorage.setItem(RELOADED_AT, String(Date.now()));
    event.preventDefault();
    window.location.reload();
  });
}
