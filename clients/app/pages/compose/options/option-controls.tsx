import { useState } from 'react';
import { Checkbox } from '../../../parts/checkbox.tsx';
import { Select } from '../../../parts/select.tsx';
import { TextField } from '../../../parts/text-field.tsx';
import { Counters } from '../counters.tsx';
import type { ComposeChannel } from '../checks/blockers.ts';
import type { SentOptions } from '../draft/compose-draft.ts';
import { FieldPlace, useFieldError } from '../fields.tsx';
import type { FlagField, ListField, OptionField } from './option-fields.ts';

export type SetOptions = (change: { readonly [Name in keyof SentOptions]?: SentOptions[Name] | undefined }) => void;

export interface OptionControlsProps {
  readonly fields: readonly OptionField[];
  readonly channel: ComposeChannel;
  readonly options: SentOptions;
  readonly onChange: SetOptions;
}

/** The options that every account of a Network has. */
export function OptionControls({ fields, channel, options, onChange }: OptionControlsProps) {
  return fields.map((field) => (
    <OptionControl key={field.name} field={field} channel={channel} options={options} onChange={onChange} />
  ));
}

type OptionControlProps = Omit<OptionControlsProps, 'fields'> & { readonly field: OptionField };

function OptionControl({ field, channel, options, onChange }: OptionControlProps) {
  switch (field.kind) {
    case 'flag':
      return <FlagControl field={field} channel={channel} options={options} onChange={onChange} />;
    case 'choice':
      return (
        <Select
          label={field.label}
          choices={field.choices}
          value={options[field.name] ?? channel.defaults[field.name] ?? field.choices[0]!.value}
          onChange={(value) => onChange({ [field.name]: value })}
        />
      );
    case 'list':
      return <ListControl field={field} channel={channel} options={options} onChange={onChange} />;
    default:
      return (
        <TopicControl label={field.label} note={field.note} channel={channel} options={options} onChange={onChange} />
      );
  }
}

interface FlagControlProps extends Omit<OptionControlsProps, 'fields'> {
  readonly field: FlagField;
  /** Why it can not be chosen. */
  readonly forbidden?: string | undefined;
}

/** On or off; what the Post does not say, the Channel's own setting says. */
export function FlagControl({ field, channel, options, onChange, forbidden }: FlagControlProps) {
  const { name, label, builtIn } = field;
  const isOfChannel = options[name] === undefined && channel.defaults[name] !== undefined;
  const note = forbidden ?? (isOfChannel ? "As the Channel's own setting says." : field.note);
  return (
    <Checkbox
      isSelected={forbidden === undefined && (options[name] ?? channel.defaults[name] ?? builtIn)}
      isDisabled={forbidden !== undefined}
      onChange={(isOn) => onChange({ [name]: isOn })}
      {...(note === undefined ? {} : { note })}
    >
      {label}
    </Checkbox>
  );
}

function ListControl({
  field,
  channel,
  options,
  onChange,
}: Omit<OptionControlProps, 'field'> & { readonly field: ListField }) {
  const { name, label, note } = field;
  // What is being written is no list yet: "a, b, " has three commas and two names.
  const [written, setWritten] = useState((options[name] ?? []).join(', '));
  const error = useFieldError(name, [channel.id]);
  const ofChannel = channel.defaults[name] ?? [];
  const words =
    options[name] === undefined && ofChannel.length > 0 ? `${note} Left out: ${ofChannel.join(', ')}.` : note;
  return (
    <FieldPlace field={name} channelId={channel.id}>
      <TextField
        label={label}
        note={words}
        error={error}
        value={written}
        onChange={(text) => {
          setWritten(text);
          const names = text
            .split(',')
            .flatMap((each) => (each.trim() === '' ? [] : [each.trim().replace(/^[@#]/, '')]));
          onChange({ [name]: names.length === 0 ? undefined : names });
        }}
      />
    </FieldPlace>
  );
}

interface TopicControlProps extends Omit<OptionControlsProps, 'fields'> {
  readonly label: string;
  readonly note: string;
}

function TopicControl({ label, note, channel, options, onChange }: TopicControlProps) {
  const error = useFieldError('topicTag', [channel.id]);
  const topic = options.topicTag ?? '';
  return (
    <FieldPlace field="topicTag" channelId={channel.id}>
      <TextField
        label={label}
        note={
          <>
            {note} <Counters what="topicTag" text={topic} channels={[channel]} media={[]} />
          </>
        }
        error={error}
        value={topic}
        {...(channel.defaults.topicTag === undefined ? {} : { placeholder: channel.defaults.topicTag })}
        onChange={(text) => onChange({ topicTag: text === '' ? undefined : text })}
      />
    </FieldPlace>
  );
}
