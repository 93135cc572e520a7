import { elementScroll, type Rect, type Virtualizer } from '@tanstack/react-virtual';
import { useMemo } from 'react';

type Instance = Virtualizer<HTMLElement, Element>;

/**
 * How a virtualizer learns of its element's size, and scrolls it. By itself it asks for the size while React is still
 * at work, for which the browser lays out the whole new page at once, and again when there is more of it. Here the
 * browser tells the size when it has laid out the page, before it paints: only then is there anything to scroll.
 * `start`: where it is scrolled to at first; pixels.
 */
export function useScrollAfterLayout(start: number) {
  return useMemo(() => {
    let isLaidOut = false;
    return {
      observeElementRect: (instance: Instance, tell: (rect: Rect) => void) => {
        const element = instance.scrollElement;
        if (element === null) return undefined;
        const observer = new ResizeObserver(([entry]) => {
          const { inlineSize, blockSize } = entry!.borderBoxSize[0]!;
          // The router may have put it where it was when the person left.
          if (!isLaidOut && element.scrollTop === 0) element.scrollTop = start;
          isLaidOut = true;
          tell({ width: Math.round(inlineSize), height: Math.round(blockSize) });
        });
        observer.observe(element);
        return () => observer.disconnect();
      },
      scrollToFn: (...scroll: Parameters<typeof elementScroll<HTMLElement>>) => {
        if (isLaidOut) elementScroll(...scroll);
      },
    };
  }, []);
}
