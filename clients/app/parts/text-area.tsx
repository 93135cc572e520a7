import type { Ref } from 'react';
import {
  TextArea as AriaTextArea,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
} from 'react-aria-components';
import { FieldLabel, FieldNotes, invalidity, type FieldWordsProps } from './field-words.tsx';

export interface TextAreaProps
  extends FieldWordsProps, Omit<AriaTextFieldProps, 'className' | 'style' | 'children' | 'isInvalid'> {
  /** Lines that are shown at first. Default: 5. */
  readonly rows?: number;
  readonly placeholder?: string;
  readonly inputRef?: Ref<HTMLTextAreaElement>;
}

/** Several lines of text; `onChange` gets the text. */
export function TextArea({
  label,
  isLabelHidden = false,
  note,
  error,
  rows = 5,
  placeholder,
  inputRef,
  ...props
}: TextAreaProps) {
  return (
    <AriaTextField {...props} {...invalidity({ error })} className="field">
      <FieldLabel label={label} isLabelHidden={isLabelHidden} />
      <AriaTextArea
        ref={inputRef ?? null}
        className="field-control"
        dir="auto"
        rows={rows}
        {...(placeholder === undefined ? {} : { placeholder })}
      />
      <FieldNotes note={note} error={error} />
    </AriaTextField>
  );
}
