import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorPanel } from './error-panel.tsx';
import { Form, type FormProps } from './form.tsx';
import { Row } from './section.tsx';

export interface FormDialogProps extends FormProps {
  readonly title: string;
  /** By Escape, the cross and Cancel; a click beside it would lose what was written. */
  readonly onClose: () => void;
  /** The verb: "Create the key". */
  readonly submitLabel: string;
  /** What the server refused; null: nothing. */
  readonly error: Error | null;
  /** What did not happen then, where that is known: "The key was not created." */
  readonly failedTitle: string;
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
      <Form onSubmit={onSubmit} isPending={isPending}>
        {children}
        {error === null ? null : <ErrorPanel isOfChange title={failedTitle} error={error} />}
        <Row>
          <Button type="submit" look="primary" isPending={isPending}>
            {submitLabel}
          </Button>
          <Button onPress={onClose}>Cancel</Button>
        </Row>
      </Form>
    </Dialog>
  );
}
