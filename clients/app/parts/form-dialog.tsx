import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorPanel } from './error-panel.tsx';
import { Row } from './section.tsx';

export interface FormDialogProps {
  readonly title: string;
  /** By Escape, the cross and Cancel; a click beside it would lose what was written. */
  readonly onClose: () => void;
  /** By the button, or by Enter in a field: what is missing is said at its field. */
  readonly onSubmit: () => void;
  /** The verb: "Create the key". */
  readonly submitLabel: string;
  /** While the server works on it. */
  readonly isPending: boolean;
  /** What the server refused; null: nothing. */
  readonly error: Error | null;
  /** What did not happen then: "The key was not created." */
  readonly failedTitle: string;
  /** Its fields. */
  readonly children: ReactNode;
}

/** A window that asks for something new, and closes when that was made. */
export function FormDialog({
  title,
  onClose,
  onSubmit,
  submitLabel,
  isPending,
  error,
  failedTitle,
  children,
}: FormDialogProps) {
  return (
    <Dialog title={title} isOpen isKept onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          // Enter in a field sends it once more, which a button that works does not.
          if (!isPending) onSubmit();
        }}
      >
        {children}
        {error === null ? null : <ErrorPanel title={failedTitle} error={error} />}
        <Row>
          <Button type="submit" look="primary" isPending={isPending}>
            {submitLabel}
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </Row>
      </form>
    </Dialog>
  );
}
