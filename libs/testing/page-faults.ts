// These functions run inside of a page, so that each is whole by itself; the DOM's types are not those of Node.

/** What does not fit a page as narrow as at 400 %: what sticks out, is cut off, or is under something else. */
export function layoutFaults(scrolling: string): readonly string[] {
  const { document, getComputedStyle, innerHeight } = globalThis as any;
  const faults: string[] = [];
  const root = document.documentElement;
  const width: number = root.clientWidth;
  const named = (element: any): string =>
    `<${element.localName} class="${element.getAttribute('class') ?? ''}"> ${(element.textContent ?? '').slice(0, 40)}`;
  const clips = (element: any): boolean => getComputedStyle(element).clipPath !== 'none';
  const isSeen = (element: any): boolean => {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
    for (let each = element; each !== null; each = each.parentElement) if (clips(each)) return false;
    return element.closest(scrolling) === null;
  };
  const scrolls = (element: any): boolean => {
    for (let each = element.parentElement; each !== null && each !== document.body; each = each.parentElement)
      if (/auto|scroll/.test(getComputedStyle(each).overflowX) && each.scrollWidth > each.clientWidth) return true;
    return false;
  };
  if (root.scrollWidth > width) faults.push(`the page is ${root.scrollWidth} wide, the screen ${width}`);
  for (const element of document.querySelectorAll('body *')) {
    if (!isSeen(element) || element.closest('svg') !== null) continue;
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    const isOut = box.width > 0 && (box.right > width + 1 || box.left < -1);
    if (isOut && !scrolls(element)) faults.push(`sticks out (${box.left} to ${box.right}): ${named(element)}`);
    const hides = /hidden|clip/.test(style.overflowX) && style.textOverflow !== 'ellipsis' && !element.matches('input');
    if (hides && element.scrollWidth > element.clientWidth + 1) faults.push(`is cut off: ${named(element)}`);
  }
  for (const control of document.querySelectorAll('a[href], button, input, select, textarea, [tabindex="0"]')) {
    const shown = control.matches('input') ? (control.closest('label') ?? control) : control;
    // Beside an open dialog nothing is meant to be reached.
    if (!isSeen(shown) || control.disabled || control.closest('[inert], [aria-hidden=true]') !== null) continue;
    shown.scrollIntoView({ block: 'center', inline: 'center' });
    let box = shown.getBoundingClientRect();
    // What leads past the menus is off the screen until it has the focus.
    if (box.bottom <= 0) control.focus();
    box = shown.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, Math.min(Math.max(box.top + box.height / 2, 1), innerHeight - 1)];
    const hit = document.elementFromPoint(x, y);
    const isHit = hit !== null && (shown.contains(hit) || hit.contains(shown));
    if (document.activeElement === control) control.blur();
    if (!isHit) faults.push(`can not be reached: ${named(control)}, under ${hit === null ? 'nothing' : named(hit)}`);
  }
  return faults;
}

/** What moves for longer than a hundredth of a second. */
export function movingParts(): readonly string[] {
  const { document, getComputedStyle } = globalThis as any;
  const longest = (durations: string): number =>
    Math.max(...durations.split(', ').map((each) => Number.parseFloat(each) * (each.endsWith('ms') ? 0.001 : 1)));
  const found = new Set<string>();
  for (const element of document.querySelectorAll('*'))
    for (const part of [null, '::before', '::after']) {
      const { transitionDuration, animationDuration } = getComputedStyle(element, part);
      if (Math.max(longest(transitionDuration), longest(animationDuration)) > 0.01)
        found.add(`<${element.localName} class="${element.getAttribute('class') ?? ''}">${part ?? ''}`);
    }
  return [...found];
}

/** Texts from the right that stand among ours without a direction of their own, and fields that take none. */
export function undirectedTexts(): readonly string[] {
  const { document, NodeFilter } = globalThis as any;
  const found = new Set<string>();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const parent = node.parentElement;
    if (!/[\u0590-\u08ff]/.test(node.data) || parent.closest('[data-live-announcer], option, style') !== null) continue;
    if (parent.closest('bdi, [dir]') === null)
      found.add(`<${parent.localName} class="${parent.className}"> ${node.data}`);
  }
  for (const field of document.querySelectorAll('textarea, input[type=text], input:not([type])'))
    if (field.closest('[dir]') === null) found.add(`a field without a direction: ${field.outerHTML.slice(0, 120)}`);
  return [...found];
}

/** In colours of the system: controls that look the same, chosen or not, and one that shows no focus. */
export function sameLooks(): readonly string[] {
  const { document, getComputedStyle } = globalThis as any;
  const looks = (selector: string, part: string | null = null): readonly string[] =>
    [...document.querySelectorAll(selector)].map((element: any) => {
      const { backgroundColor, borderBottomColor, color } = getComputedStyle(element, part);
      return [backgroundColor, borderBottomColor, color].join(' ');
    });
  const faults = [
    ['.choice[data-selected] .choice-mark', '.choice:not([data-selected]) .choice-mark'],
    ['.tab[data-selected]', '.tab:not([data-selected])'],
    ['.rail-link[aria-current=page]', '.rail-link:not([aria-current])'],
  ].flatMap(([chosen, other]) => {
    const others = new Set(looks(other!));
    return looks(chosen!).some((look) => others.has(look)) ? [`${chosen} looks as ${other} does`] : [];
  });
  const focused = document.activeElement.closest('label') ?? document.activeElement;
  const parts = [focused, ...focused.querySelectorAll('.choice-mark')].map((each: any) => getComputedStyle(each));
  const isShown = parts.some(({ outlineStyle, outlineWidth }) => outlineStyle !== 'none' && outlineWidth !== '0px');
  return isShown ? faults : [...faults, `shows no focus: ${focused.outerHTML.slice(0, 120)}`];
}

/** Elements and attributes that only a text can have brought that became HTML. */
export function planted(): readonly string[] {
  const { document } = globalThis as any;
  // The page's own data stand in an element that no browser runs.
  const script = 'script:not([src], [type="application/json"])';
  const hostile = `[onerror], [onload], img[src="x"], ${script}, [href^="javascript:" i], [style*="evil"]`;
  return [...document.querySelectorAll(hostile)].map((element: any) => element.outerHTML.slice(0, 200));
}
