/** What `j` and `k` go through on a page: links and buttons that have this attribute, in their order. */
const ITEM = '[data-list-item]';
/** What `/` goes to. */
const FILTER = '[data-filter], [data-filter] input';

/** Moves the focus to the next (1) or the previous (-1) item of the page; from elsewhere to the first or the last. */
export function focusItem(step: 1 | -1): void {
  const items = [...document.querySelectorAll<HTMLElement>(ITEM)].filter((item) => item.checkVisibility());
  const at = items.findIndex((item) => item.contains(document.activeElement));
  const next = at === -1 ? (step === 1 ? items[0] : items.at(-1)) : items[at + step];
  next?.focus();
}

export function focusFilter(): void {
  [...document.querySelectorAll<HTMLElement>(FILTER)].find((one) => one.tabIndex >= 0)?.focus();
}
