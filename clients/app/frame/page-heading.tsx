import { useEffect, useRef, type ReactNode } from 'react';

export interface PageHeadingProps {
  readonly children: ReactNode;
  /** What the tab is called, where the heading is not plain text. */
  readonly title?: string;
  /** For readers only, where the page says it in another way. */
  readonly isHidden?: boolean;
}

/** The address of the page that was shown last; null: this is the first one of the tab. */
let shownPath: string | null = null;

/**
 * The one heading of a page. Names the tab, and takes the focus when a person comes from another page, so that
 * readers say where they are.
 */
export function PageHeading({ children, title, isHidden = false }: PageHeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const name = title ?? (typeof children === 'string' ? children : '');
  useEffect(() => {
    document.title = name === '' ? 'Crier' : `${name} · Crier`;
  }, [name]);
  useEffect(() => {
    const { pathname } = location;
    // The first page of a tab, also drawn anew, leaves the focus to the browser: the skip link is next.
    if (shownPath !== null && shownPath !== pathname) heading.current?.focus({ preventScroll: true });
    shownPath = pathname;
  }, []);
  return (
    <h1 ref={heading} tabIndex={-1} className={isHidden ? 'visually-hidden' : 'page-heading'}>
      {children}
    </h1>
  );
}
