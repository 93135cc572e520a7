import { useState } from 'react';
import { factsOf, type Network } from '#domain/network.ts';
import type { Privacy, UserTag } from '#domain/network-options.ts';
import { OPTION_WORDS, PRIVACY_WORDS, REPLY_WORDS } from '../../channel-options/option-words.ts';
import { Checkbox } from '../../parts/checkbox.tsx';
import type { FieldChoice } from '../../parts/choice-field.ts';
import { Select } from '../../parts/select.tsx';
import { TextArea } from '../../parts/text-area.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { listOfWords, userTagLines, userTagsOf, type DefaultName } from './default-names.ts';

interface NamedChoice {
  readonly id: string;
  readonly title: string;
}

/** What the account may choose from right now, as channels.options tells it. */
export interface OfferedChoices {
  readonly privacy?: readonly string[];
  readonly playlists?: readonly NamedChoice[];
  readonly categories?: readonly NamedChoice[];
  readonly allowComments?: boolean;
  readonly allowDuet?: boolean;
  readonly allowStitch?: boolean;
}

export interface DefaultFieldProps {
  readonly network: Network;
  readonly option: DefaultName;
  /** Undefined: it is not set. */
  readonly value: unknown;
  readonly choices: OfferedChoices;
  readonly onChange: (value: unknown) => void;
}

/** The field of one option: whatever it is, it can be left unset. */
export function DefaultField(props: DefaultFieldProps) {
  const { option, value, onChange, choices, network } = props;
  const { label } = OPTION_WORDS[option];
  switch (option) {
    case 'firstComment':
      return (
        <TextArea
          label={label}
          rows={2}
          note="Sent under every Post that names none of its own. Empty: none."
          value={(value as string | undefined) ?? ''}
          onChange={(text) => onChange(text.trim() === '' ? undefined : text)}
        />
      );
    case 'topicTag':
      return (
        <TextField
          label={label}
          note="Without #. Empty: none."
          value={(value as string | undefined) ?? ''}
          onChange={(text) => onChange(text.trim() === '' ? undefined : text)}
        />
      );
    case 'collaborators':
    case 'tags':
      return <WordList {...props} />;
    case 'userTags':
      return <UserTags {...props} />;
    case 'playlistIds':
      return <Playlists {...props} />;
    case 'privacy':
      return (
        <OneOf
          {...props}
          choices={(choices.privacy ?? factsOf(network).privacies).map((each) => ({
            value: each,
            name: PRIVACY_WORDS[each as Privacy] ?? each,
          }))}
        />
      );
    case 'replySettings':
      return <OneOf {...props} choices={replyChoices(['everyone', 'following', 'mentioned'])} />;
    case 'replyControl':
      return <OneOf {...props} choices={replyChoices(['everyone', 'followed', 'mentioned'])} />;
    case 'categoryId':
      return (
        <OneOf {...props} choices={(choices.categories ?? []).map(({ id, title }) => ({ value: id, name: title }))} />
      );
    default:
      return <Flag {...props} />;
  }
}

const UNSET = 'unset';

type OneOfProps = Omit<DefaultFieldProps, 'choices'> & { readonly choices: readonly FieldChoice<string>[] };

function OneOf({ network, option, value, choices, onChange }: OneOfProps) {
  const { label, leftOut } = OPTION_WORDS[option];
  // What is set stays in sight, also where the account may not choose it any more.
  const others = typeof value === 'string' && !choices.some((choice) => choice.value === value);
  return (
    <Select
      label={label}
      note={
        network === 'tiktok' && option === 'privacy'
          ? 'TikTok wants a person to choose: unless you do so here, each Post must.'
          : undefined
      }
      choices={[
        { value: UNSET, name: leftOut === undefined ? 'Not set' : `Not set (${leftOut})` },
        ...choices,
        ...(others ? [{ value, name: value }] : []),
      ]}
      value={(value as string | undefined) ?? UNSET}
      onChange={(chosen) => onChange(chosen === UNSET ? undefined : chosen)}
    />
  );
}

function Flag({ option, value, choices, onChange }: DefaultFieldProps) {
  const { label, leftOut } = OPTION_WORDS[option];
  const isOff = (choices as Readonly<Record<string, unknown>>)[option] === false;
  return (
    <Select
      label={label}
      note={isOff ? 'The account does not let others do this now: the option has no effect.' : undefined}
      choices={[
        { value: UNSET, name: leftOut === undefined ? 'Not set' : `Not set (${leftOut})` },
        { value: 'yes', name: 'Yes' },
        { value: 'no', name: 'No' },
      ]}
      value={value === undefined ? UNSET : value === true ? 'yes' : 'no'}
      onChange={(chosen) => onChange(chosen === UNSET ? undefined : chosen === 'yes')}
    />
  );
}

function WordList({ option, value, onChange }: DefaultFieldProps) {
  const [written, setWritten] = useState(((value as readonly string[] | undefined) ?? []).join(', '));
  return (
    <TextField
      label={OPTION_WORDS[option].label}
      note={option === 'collaborators' ? 'Up to 3 usernames, with commas between.' : 'With commas between.'}
      value={written}
      onChange={(text) => {
        setWritten(text);
        onChange(listOfWords(text));
      }}
    />
  );
}

function UserTags({ option, value, onChange }: DefaultFieldProps) {
  const [written, setWritten] = useState(userTagLines((value as readonly UserTag[] | undefined) ?? []));
  return (
    <TextArea
      label={OPTION_WORDS[option].label}
      rows={2}
      note="One line for each: the username, then its place from the left and from the top, 0 to 1. Without a place: the middle."
      value={written}
      onChange={(text) => {
        setWritten(text);
        onChange(userTagsOf(text));
      }}
    />
  );
}

function Playlists({ option, value, choices: { playlists = [] }, onChange }: DefaultFieldProps) {
  const chosen = (value as readonly string[] | undefined) ?? [];
  return (
    <fieldset className="field channel-playlists">
      <legend className="field-label">{OPTION_WORDS[option].label}</legend>
      {playlists.length === 0 ? <p className="channel-soft">The account has no playlists.</p> : null}
      {playlists.map(({ id, title }) => (
        <Checkbox
          key={id}
          isSelected={chosen.includes(id)}
          onChange={(isChosen) => {
            const next = isChosen ? [...chosen, id] : chosen.filter((each) => each !== id);
            onChange(next.length === 0 ? undefined : next);
          }}
        >
          <bdi>{title}</bdi>
        </Checkbox>
      ))}
    </fieldset>
  );
}

function replyChoices(values: readonly string[]): readonly FieldChoice<string>[] {
  return values.map((value) => ({ value, name: REPLY_WORDS[value] ?? value }));
}
