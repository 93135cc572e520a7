import {
  Button as AriaButton,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
  Text,
} from 'react-aria-components';
import { choiceField, type ChoiceFieldProps } from './choice-field.ts';
import { FieldLabel, FieldNotes } from './field-words.tsx';
import { Icon } from './icon.tsx';
import './popover.css';

export interface SelectProps<Value extends string> extends ChoiceFieldProps<Value> {
  /** Shown while nothing is chosen. */
  readonly placeholder?: string;
}

/** One of several choices, in a list that opens. */
export function Select<Value extends string>({ placeholder = 'Choose', ...props }: SelectProps<Value>) {
  const { choices, note, error } = props;
  return (
    <AriaSelect {...choiceField(props)} placeholder={placeholder}>
      <FieldLabel {...props} />
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
