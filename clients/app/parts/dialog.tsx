import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from './button.tsx';
import './dialog.css';

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  /** By Escape, by the cross, and by a click beside it unless `isKept`. */
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons at its end. */
  readonly actions?: ReactNode;
  /** Default: narrow. */
  readonly width?: 'narrow' | 'wide';
  /** Whether a click beside it leaves it open: where something would be lost. */
  readonly isKept?: boolean;
  /** `alertdialog` for questions that must be answered first. */
  readonly role?: 'dialog' | 'alertdialog';
}

/** A window over the page, one at a time; the focus stays in it and goes back to what opened it. */
export function Dialog({
  title,
  isOpen,
  onClose,
  children,
  actions,
  width = 'narrow',
  isKept = false,
  role = 'dialog',
}: DialogProps) {
  return (
    <ModalOverlay
      className="dialog-scrim"
      isOpen={isOpen}
      onOpenChange={(open) => (open ? undefined : onClose())}
      isDismissable={!isKept}
    >
      <Modal className={`dialog dialog-${width}`}>
        <AriaDialog className="dialog-content" role={role}>
          <header className="dialog-header">
            <Heading slot="title" level={2} className="dialog-title">
              <bdi>{title}</bdi>
            </Heading>
            <Button look="quiet" icon="cross" aria-label="Close" onPress={onClose} />
          </header>
          <div className="dialog-body">{children}</div>
          {actions === undefined ? null : <footer className="dialog-actions">{actions}</footer>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
