import {
  Button as AriaButton,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
  Text,
} from 'react-aria-components';
import { FieldLabel, FieldNotes, invalidity, type FieldWordsProps } from './field-words.tsx';
import { Icon } from './icon.tsx';
import './popover.css';

export interface SelectChoice<Value extends string> {
  readonly value: Value;
  readonly name: string;
  readonly note?: string;
  readonly isDisabled?: boolean;
}

export interface SelectProps<Value extends string> extends FieldWordsProps {
  readonly choices: readonly SelectChoice<Value>[];
  /** Null: nothing is chosen yet. */
  readonly value: Value | null;
  readonly onChange: (value: Value) => void;
  /** Shown while nothing is chosen. */
  readonly placeholder?: string;
  readonly isDisabled?: boolean;
}

/** One of several choices, in a list that opens. */
export function Select<Value extends string>({
  label,
  isLabelHidden = false,
  note,
  error,
  choices,
  value,
  onChange,
  placeholder = 'Choose',
  isDisabled = false,
}: SelectProps<Value>) {
  return (
    <AriaSelect
      {...invalidity({ error })}
      className="field"
      value={value}
      onChange={(key) => onChange(key as Value)}
      placeholder={placeholder}
      isDisabled={isDisabled}
    >
      <FieldLabel label={label} isLabelHidden={isLabelHidden} />
      <AriaButton className="field-control select-button">
        <SelectValue className="select-value" />
        <Icon name="down" />
      </AriaButton>
      <FieldNotes note={note} error={error} />
      <Popover className="popover">
        <ListBox className="popover-list">
          {choices.map((choice) => (
            <ListBoxItem
              key={choice.value}
              id={choice.value}
              textValue={choice.name}
              isDisabled={choice.isDisabled ?? false}
              className="popover-item"
            >
              <Text slot="label" dir="auto">
                {choice.name}
              </Text>
              {choice.note === undefined ? null : (
                <Text slot="description" className="field-note">
                  {choice.note}
                </Text>
              )}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
