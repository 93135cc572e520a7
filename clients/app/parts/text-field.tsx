import { Input, TextField as AriaTextField, type TextFieldProps as AriaTextFieldProps } from 'react-aria-components';
import { FieldLabel, FieldNotes, invalidity, type FieldWordsProps } from './field-words.tsx';

export interface TextFieldProps
  extends FieldWordsProps, Omit<AriaTextFieldProps, 'className' | 'style' | 'children' | 'isInvalid'> {
  readonly placeholder?: string;
}

/** One line of text; `onChange` gets the text. */
export function TextField({ label, isLabelHidden = false, note, error, placeholder, ...props }: TextFieldProps) {
  return (
    <AriaTextField {...props} {...invalidity({ error })} className="field">
      <FieldLabel label={label} isLabelHidden={isLabelHidden} />
      <Input className="field-control" dir="auto" {...(placeholder === undefined ? {} : { placeholder })} />
      <FieldNotes note={note} error={error} />
    </AriaTextField>
  );
}
