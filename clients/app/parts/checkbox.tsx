import type { ReactNode } from 'react';
import { Checkbox as AriaCheckbox, type CheckboxProps as AriaCheckboxProps } from 'react-aria-components';
import './field.css';
import { Icon } from './icon.tsx';

export interface CheckboxProps extends Omit<AriaCheckboxProps, 'className' | 'style' | 'children'> {
  /** What is agreed to, in words. Absent: `aria-label` names it. */
  readonly children?: ReactNode;
  readonly note?: ReactNode;
}

/** Yes or no; `onChange` gets which. */
export function Checkbox({ children, note, ...props }: CheckboxProps) {
  return (
    <AriaCheckbox {...props} className="choice">
      {({ isIndeterminate }) => (
        <>
          <span className="choice-mark" aria-hidden="true">
            <Icon name={isIndeterminate ? 'more' : 'check'} />
          </span>
          {children === undefined ? null : (
            <span className="choice-words">
              <span>{children}</span>
              {note === undefined ? null : <span className="field-note">{note}</span>}
            </span>
          )}
        </>
      )}
    </AriaCheckbox>
  );
}
