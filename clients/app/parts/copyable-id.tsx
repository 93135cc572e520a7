import { useState } from 'react';
import { announce } from './announcer.tsx';
import { Button } from './button.tsx';
import './copyable-id.css';

export interface CopyButtonProps {
  readonly text: string;
  /** "Copy the key". */
  readonly label: string;
  /** Default: true. */
  readonly isLabelHidden?: boolean;
}

const SHOWN_MS = 2_000;

export function CopyButton({ text, label, isLabelHidden = true }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      announce('Copied');
      setTimeout(() => setCopied(false), SHOWN_MS);
    } catch {
      announce('The browser did not allow copying. Select the text and copy it by hand.');
    }
  };
  const icon = isCopied ? 'check' : 'copy';
  return isLabelHidden ? (
    <Button look="quiet" icon={icon} aria-label={label} onPress={() => void copy()} />
  ) : (
    <Button icon={icon} onPress={() => void copy()}>
      {isCopied ? 'Copied' : label}
    </Button>
  );
}

/** An id that one click copies. */
export function CopyableId({ id, label = `Copy ${id}` }: { readonly id: string; readonly label?: string }) {
  return (
    <span className="copyable-id">
      <code>{id}</code>
      <CopyButton text={id} label={label} />
    </span>
  );
}
