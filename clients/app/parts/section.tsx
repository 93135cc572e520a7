import { useId, type ReactNode } from 'react';
import './section.css';

export interface SectionProps {
  readonly title: string;
  readonly children: ReactNode;
  /** Buttons beside the title. */
  readonly actions?: ReactNode;
}

/** A part of a page with a heading of its own. */
export function Section({ title, children, actions }: SectionProps) {
  const id = useId();
  return (
    <section className="section" aria-labelledby={id}>
      <header className="section-header">
        <h2 id={id}>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}

/** A line of buttons and short words that breaks where the page is narrow. */
export function Row({ children }: { readonly children: ReactNode }) {
  return <div className="row">{children}</div>;
}
