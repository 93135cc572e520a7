import { useEffect, useRef, type ReactNode } from 'react';
import { Button } from './button.tsx';
import './side-panel.css';

export interface SidePanelProps {
  /** What it shows, as its heading. */
  readonly title: ReactNode;
  /** By Escape and by the cross: the focus goes back to what opened it. */
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * Something beside the page that it was opened from, which stays usable: no modal. Takes the focus when it opens. Where
 * the page is narrow, it covers it.
 */
export function SidePanel({ title, onClose, children }: SidePanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    heading.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <aside
      className="side-panel"
      aria-labelledby="side-panel-title"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header className="side-panel-header">
        <h2 id="side-panel-title" ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <Button look="quiet" icon="cross" aria-label="Close the panel" onPress={onClose} />
      </header>
      <div className="side-panel-body">{children}</div>
    </aside>
  );
}
