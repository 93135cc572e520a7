import type { ReactNode } from 'react';

export interface FormProps {
  /** By its button, or by Enter in a field: what is missing is said at its field. */
  readonly onSubmit: () => void;
  /** While the server works on what was sent. */
  readonly isPending: boolean;
  readonly children: ReactNode;
}

/**
 * Fields that are sent together, once: a button that works is no submit button any more, and Enter in the only field of
 * a form without one would send it again.
 */
export function Form({ onSubmit, isPending, children }: FormProps) {
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) onSubmit();
      }}
    >
      {children}
    </form>
  );
}
