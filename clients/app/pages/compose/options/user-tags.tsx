import { Button } from '../../../parts/button.tsx';
import { TextField } from '../../../parts/text-field.tsx';
import type { ComposeChannel } from '../checks/blockers.ts';
import type { SentOptions } from '../draft/compose-draft.ts';
import { FieldPlace, FieldTrouble, useFieldError } from '../fields.tsx';
import type { SetOptions } from './option-controls.tsx';
import { isolating } from '../../../parts/isolating.ts';

type UserTag = NonNullable<SentOptions['userTags']>[number];

export interface UserTagsProps {
  readonly channel: ComposeChannel;
  readonly options: SentOptions;
  readonly onChange: SetOptions;
}

const MAX_TAGS = 20;
const PERCENT = 100;

/** Accounts that are marked in the picture, each at a place in percent from the left and the top. */
export function UserTags({ channel, options, onChange }: UserTagsProps) {
  const tags = options.userTags ?? [];
  const error = useFieldError('userTags', [channel.id]);
  const troubleId = `user-tags-${channel.id}`;
  const set = (next: readonly UserTag[]) => onChange({ userTags: next.length === 0 ? undefined : [...next] });
  const change = (index: number, part: Partial<UserTag>) =>
    set(tags.map((tag, at) => (at === index ? { ...tag, ...part } : tag)));
  return (
    <FieldPlace field="userTags" channelId={channel.id}>
      <div
        role="group"
        aria-label="Accounts marked in the picture"
        className="option-group"
        aria-describedby={error === undefined ? undefined : troubleId}
      >
        <span className="field-label">Accounts marked in the picture</span>
        {tags.map(({ username, x, y }, index) => (
          // A tag has no other name than its place in the list.
          <div key={index} className="user-tag">
            <TextField
              label={`Username ${index + 1}`}
              value={username}
              onChange={(text) => change(index, { username: text.replace(/^@/, '') })}
            />
            <PlaceField label="% from the left" value={x} onChange={(place) => change(index, { x: place })} />
            <PlaceField label="% from the top" value={y} onChange={(place) => change(index, { y: place })} />
            <Button
              look="quiet"
              icon="cross"
              aria-label={isolating`Remove ${username === '' ? `username ${index + 1}` : username}`}
              onPress={() => set(tags.filter((_, at) => at !== index))}
            />
          </div>
        ))}
        {tags.length < MAX_TAGS ? (
          <Button icon="plus" onPress={() => set([...tags, { username: '', x: 0.5, y: 0.5 }])}>
            Mark an account
          </Button>
        ) : null}
        <FieldTrouble id={troubleId} message={error} />
      </div>
    </FieldPlace>
  );
}

interface PlaceFieldProps {
  readonly label: string;
  /** From 0 to 1. */
  readonly value: number;
  readonly onChange: (value: number) => void;
}

function PlaceField({ label, value, onChange }: PlaceFieldProps) {
  return (
    <TextField
      label={label}
      type="number"
      inputMode="numeric"
      value={String(Math.round(value * PERCENT))}
      onChange={(text) => onChange(Math.max(0, Math.min(1, Number(text) / PERCENT || 0)))}
    />
  );
}
