import { Radio, RadioGroup as AriaRadioGroup } from 'react-aria-components';
import { FieldLabel, FieldNotes, invalidity, type FieldWordsProps } from './field-words.tsx';
import type { SelectChoice } from './select.tsx';

export interface RadioGroupProps<Value extends string> extends FieldWordsProps {
  readonly choices: readonly SelectChoice<Value>[];
  /** Null: nothing is chosen yet. */
  readonly value: Value | null;
  readonly onChange: (value: Value) => void;
  readonly isDisabled?: boolean;
}

/** One of a few choices, all of them in sight. */
export function RadioGroup<Value extends string>({
  label,
  isLabelHidden = false,
  note,
  error,
  choices,
  value,
  onChange,
  isDisabled = false,
}: RadioGroupProps<Value>) {
  return (
    <AriaRadioGroup
      {...invalidity({ error })}
      className="field"
      value={value}
      onChange={(chosen) => onChange(chosen as Value)}
      isDisabled={isDisabled}
    >
      <FieldLabel label={label} isLabelHidden={isLabelHidden} />
      {choices.map((choice) => (
        <Radio key={choice.value} value={choice.value} isDisabled={choice.isDisabled ?? false} className="choice">
          <span className="choice-mark choice-mark-round" aria-hidden="true" />
          <span className="choice-words">
            <bdi>{choice.name}</bdi>
            {choice.note === undefined ? null : <span className="field-note">{choice.note}</span>}
          </span>
        </Radio>
      ))}
      <FieldNotes note={note} error={error} />
    </AriaRadioGroup>
  );
}
