import { Radio, RadioGroup as AriaRadioGroup } from 'react-aria-components';
import { choiceField, type ChoiceFieldProps } from './choice-field.ts';
import { FieldLabel, FieldNotes } from './field-words.tsx';

/** One of a few choices, all of them in sight. */
export function RadioGroup<Value extends string>(props: ChoiceFieldProps<Value>) {
  const { choices, note, error } = props;
  return (
    <AriaRadioGroup {...choiceField(props)}>
      <FieldLabel {...props} />
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
