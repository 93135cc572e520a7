/** What Tab stops at. */
const STOPS =
  'a[href], button:not(:disabled), input:not(:disabled), textarea:not(:disabled), select:not(:disabled), [tabindex="0"]';
const DIALOG = '[role=dialog], [role=alertdialog]';
/** Half a second: a dialog that closes gives the focus back by itself, and a grid draws the cell that gets it. */
const PATIENCE_FRAMES = 30;

/**
 * Gives the focus to what is nearest when what had it was removed or switched off under the fingers of a person who
 * types: a button that did its work and has gone, a row that was revoked. Without it the next key would act on the
 * whole page, and a reader would begin again at its top. Once, before anything is drawn.
 */
export function keepFocus(): void {
  let isTyping = false;
  /** What has the focus, and what is around it, from the inside out; and the same before a dialog took it. */
  let way: readonly Element[] = [];
  let wayBeforeDialog: readonly Element[] = [];
  let isLooking = false;

  const onInput = ({ type }: Event): void => void (isTyping = type === 'keydown');
  const onFocus = ({ target }: FocusEvent): void => {
    if (!(target instanceof Element)) return;
    way = withAncestors(target);
    if (target.closest(DIALOG) === null) wayBeforeDialog = way;
  };
  const look = (frames: number): void => {
    if (!isLost(way)) {
      isLooking = false;
    } else if (frames > 0) {
      requestAnimationFrame(() => look(frames - 1));
    } else {
      isLooking = false;
      nearest(way, wayBeforeDialog)?.focus();
    }
  };
  const observer = new MutationObserver(() => {
    if (!isTyping || isLooking || !isLost(way)) return;
    isLooking = true;
    look(PATIENCE_FRAMES);
  });
  document.addEventListener('keydown', onInput, true);
  document.addEventListener('pointerdown', onInput, true);
  document.addEventListener('focusin', onFocus);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
}

function withAncestors(element: Element): readonly Element[] {
  const way: Element[] = [];
  for (let each: Element | null = element; each !== null; each = each.parentElement) way.push(each);
  return way;
}

function isLost([last]: readonly Element[]): boolean {
  if (last === undefined) return false;
  const { activeElement } = document;
  // Browsers take the focus from what is switched off only when they draw the page next.
  return last.matches(':disabled')
    ? activeElement === last || activeElement === document.body
    : activeElement === document.body && !last.isConnected;
}

/** The first stop in the smallest part of the page that is left; the heading where that part is the page itself. */
function nearest(...ways: readonly (readonly Element[])[]): HTMLElement | null {
  for (const element of ways.flat()) {
    if (!element.isConnected || element.matches('html, body')) continue;
    if (element.matches('main, .shell')) break;
    const stop = [element, ...element.querySelectorAll(STOPS)].find(
      (each): each is HTMLElement => each instanceof HTMLElement && each.matches(STOPS) && each.checkVisibility(),
    );
    if (stop !== undefined) return stop;
  }
  return document.querySelector<HTMLElement>('h1');
}
