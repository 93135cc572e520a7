import type { ReactNode } from 'react';
import { Switch as AriaSwitch, type SwitchProps as AriaSwitchProps } from 'react-aria-components';
import './field.css';

export interface SwitchProps extends Omit<AriaSwitchProps, 'className' | 'style' | 'children'> {
  readonly children: ReactNode;
  readonly note?: ReactNode;
}

/** On or off, at once: without a button that saves it. */
export function Switch({ children, note, ...props }: SwitchProps) {
  return (
    <AriaSwitch {...props} className="choice">
      <span className="choice-mark choice-mark-wide" aria-hidden="true" />
      <span className="choice-words">
        <span>{children}</span>
        {note === undefined ? null : <span className="field-note">{note}</span>}
      </span>
    </AriaSwitch>
  );
}
