/**
 * Runs in the page before its own scripts, as text: it is of another world than the benchmark. `bench` has what the
 * page noticed, and what it is to do.
 */
export const IN_PAGE = `{
globalThis.bench = {
  /** The sum of layout shifts, as browsers score them, and what moved. */
  shift: 0,
  moved: [],
  /** When cards were first painted; ms since the navigation. Null: they were not yet. */
  cardsAt: null,

  /** When the line above the grid said how many Posts there are; Unix ms. */
  counts: [],

  /** Resolves with \`cardsAt\`. */
  async painted() {
    while (bench.cardsAt === null) await new Promise((resolve) => setTimeout(resolve, 50));
    return bench.cardsAt;
  },

  /** Presses the button for the next week; resolves with the ms until its Posts are painted. */
  async nextWeek() {
    const label = () => document.querySelector('[role=grid]').getAttribute('aria-label');
    const old = label();
    const from = performance.now();
    document.querySelector('[aria-label="Next week"]').click();
    await new Promise((resolve) => {
      const look = () => {
        if (label() === old || document.querySelector('.card') === null) requestAnimationFrame(look);
        else setTimeout(resolve);
      };
      requestAnimationFrame(look);
    });
    return performance.now() - from;
  },

  /** Scrolls an element a bit in each frame, down and up again; resolves with the ms between frames. */
  scroll: (selector, frames) => new Promise((resolve) => {
    const scroller = document.querySelector(selector);
    const intervals = [];
    let last = performance.now();
    let step = 24;
    const frame = (now) => {
      intervals.push(now - last);
      last = now;
      const { scrollTop, scrollHeight, clientHeight } = scroller;
      if (step > 0 ? scrollTop + clientHeight >= scrollHeight - 1 : scrollTop <= 0) step = -step;
      scroller.scrollTop += step;
      if (intervals.length <= frames) requestAnimationFrame(frame);
      else resolve(intervals.slice(1));
    };
    requestAnimationFrame(frame);
  }),

  /** Resolves when nothing is asked of the server any more, nor begun when there is time for it. */
  async idle() {
    for (let quiet = 0; quiet < 2; quiet += asked === 0 ? 1 : -quiet)
      await new Promise((resolve) => requestIdleCallback(() => resolve()));
  },
};
let asked = 0;
const send = globalThis.fetch;
globalThis.fetch = (...request) => {
  asked += 1;
  return send(...request).finally(() => setTimeout(() => (asked -= 1)));
};
new PerformanceObserver((list) => {
  for (const { value, sources } of list.getEntries()) {
    bench.shift += value;
    for (const { node } of sources) bench.moved.push(node?.className || node?.nodeName);
  }
}).observe({ type: 'layout-shift', buffered: true });
new MutationObserver(() => {
  const words = document.querySelector('.calendar-line-words')?.textContent ?? '';
  const count = Number(/^\\d+/.exec(words)?.[0] ?? NaN);
  if (count >= 0 && bench.counts.at(-1)?.count !== count)
    bench.counts.push({ count, at: performance.timeOrigin + performance.now() });
}).observe(document, { childList: true, subtree: true, characterData: true });
// A mutation is seen before the frame that paints it; the task after that frame knows when it was.
new MutationObserver((_, observer) => {
  if (document.querySelector('.card') === null) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => (bench.cardsAt = performance.now())));
}).observe(document, { childList: true, subtree: true });
}`;

/** A number of Posts that a page showed, and from when on; Unix ms. */
export interface ShownCount {
  readonly count: number;
  readonly at: number;
}

/** What a page noticed by itself. */
export interface Noticed {
  readonly shift: number;
  readonly moved: readonly string[];
  readonly cardsAt: number | null;
}
