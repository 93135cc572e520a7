import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Checkbox } from '../../parts/checkbox.tsx';
import { CopyButton } from '../../parts/copyable-id.tsx';
import { Dialog } from '../../parts/dialog.tsx';

export interface SecretOnceProps {
  readonly title: string;
  readonly secret: string;
  /** What follows from it: "The old one signs, too, for a day." */
  readonly note?: string;
  readonly onClose: () => void;
}

/** A secret that is shown this once: it is left only by somebody who says that they have it. */
export function SecretOnce({ title, secret, note, onClose }: SecretOnceProps) {
  const [isKept, setKept] = useState(false);
  return (
    <Dialog
      title={title}
      isOpen
      isKept
      onClose={() => (isKept ? onClose() : undefined)}
      actions={
        <Button look="primary" isDisabled={!isKept} onPress={onClose}>
          Done
        </Button>
      }
    >
      <p>Your receiver checks signatures with this secret. It is shown only now: Crier keeps it sealed.</p>
      <p className="webhook-secret">
        <code>{secret}</code> <CopyButton text={secret} label="Copy the secret" isLabelHidden={false} />
      </p>
      {note === undefined ? null : <p>{note}</p>}
      <Checkbox isSelected={isKept} onChange={setKept}>
        I have kept it
      </Checkbox>
    </Dialog>
  );
}
