import { invalidity, type FieldWordsProps } from './field-words.tsx';

/** One of what a person may choose. */
export interface FieldChoice<Value extends string> {
  readonly value: Value;
  readonly name: string;
  readonly note?: string;
  readonly isDisabled?: boolean;
}

/** Of a field in which one of several values is chosen, whatever it looks like. */
export interface ChoiceFieldProps<Value extends string> extends FieldWordsProps {
  readonly choices: readonly FieldChoice<Value>[];
  /** Null: nothing is chosen yet. */
  readonly value: Value | null;
  readonly onChange: (value: Value) => void;
  readonly isDisabled?: boolean;
}

/** The same for React Aria, which knows choices as strings, or as keys. */
export function choiceField<Value extends string>(props: ChoiceFieldProps<Value>) {
  const { error, value, onChange, isDisabled = false } = props;
  return {
    className: 'field',
    ...invalidity({ error }),
    value,
    onChange: (chosen: unknown) => onChange(chosen as Value),
    isDisabled,
  };
}
