import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

export interface ConfirmDialogProps {
  /** The question: "Revoke this key?" */
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** What comes of it. */
  readonly children: ReactNode;
  /** The verb: "Revoke". */
  readonly confirmLabel: string;
  readonly onConfirm: () => void;
  /** While the server works on it. */
  readonly isPending?: boolean;
  /** Default: true, as questions are asked about what can not be undone. */
  readonly isDanger?: boolean;
}

/** Asks before something that can not be undone. What can be undone is done, with a toast that undoes it. */
export function ConfirmDialog({
  title,
  isOpen,
  onClose,
  children,
  confirmLabel,
  onConfirm,
  isPending = false,
  isDanger = true,
}: ConfirmDialogProps) {
  return (
    <Dialog
      role="alertdialog"
      title={title}
      isOpen={isOpen}
      onClose={onClose}
      isKept
      actions={
        <>
          <Button onPress={onClose} autoFocus>
            Keep as it is
          </Button>
          <Button look={isDanger ? 'danger' : 'primary'} onPress={onConfirm} isPending={isPending}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
