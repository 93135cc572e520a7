import { Button } from '../../parts/button.tsx';
import { RadioGroup } from '../../parts/radio-group.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { absoluteWords } from '../../parts/time-words.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import type { ComposerProps } from './composer-props.ts';
import { asNow, asTimed, chosenTime } from './draft/chosen-time.ts';
import type { ChosenTime, ComposeTime } from './draft/compose-draft.ts';
import { FieldPlace, useFieldError } from './fields.tsx';
import { changeOfClocks, instantOf, instantsOf, zoneWordsOf, type WallClock } from './schedule/wall-clock.ts';
import { ownTimeZone } from '../../preferences/time-zone.ts';

/** When the Post is published: at once, or at a time of the Workspace's zone. */
export function ScheduleField({ session, state: { draft }, now }: ComposerProps & { readonly now: number }) {
  const { timeZone } = useWorkspace();
  const { when } = draft;
  const error = useFieldError('when', [null]);
  const set = (next: ComposeTime) => session.change((before) => ({ ...before, when: next }));
  return (
    <FieldPlace field="when" channelId={null}>
      <RadioGroup
        label="When"
        choices={[
          { value: 'at', name: 'At a time' },
          { value: 'now', name: 'Now' },
        ]}
        value={when.kind}
        onChange={(kind) => set(kind === 'now' ? asNow(when) : asTimed(when, now, timeZone))}
      />
      {when.kind === 'at' ? <TimeFields when={when} timeZone={timeZone} error={error} onChange={set} /> : null}
    </FieldPlace>
  );
}

interface TimeFieldsProps {
  readonly when: ChosenTime;
  readonly timeZone: string;
  readonly error: string | undefined;
  readonly onChange: (when: ChosenTime) => void;
}

function TimeFields({ when, timeZone, error, onChange }: TimeFieldsProps) {
  const instants = instantsOf(when, timeZone);
  const at = instantOf(when, timeZone);
  const change = changeOfClocks(when, timeZone);
  const write = (part: Partial<WallClock>) => onChange({ ...when, ...part, zone: timeZone });
  return (
    <>
      <div className="time-fields">
        <TextField label="Date" type="date" value={when.date} error={error} onChange={(date) => write({ date })} />
        <TextField label={`Time in ${timeZone}`} type="time" value={when.time} onChange={(time) => write({ time })} />
      </div>
      {instants.kind === 'never' ? (
        <Button onPress={() => onChange(chosenTime(instants.after, timeZone))}>
          {`Take ${zoneWordsOf(instants.after, timeZone).time}`}
        </Button>
      ) : null}
      {instants.kind === 'twice' ? (
        <RadioGroup
          label={`Which ${when.time}`}
          note={change}
          choices={(['earlier', 'later'] as const).map((fold) => ({
            value: fold,
            name: `The ${fold === 'earlier' ? 'first' : 'second'}, ${zoneWordsOf(instants[fold], timeZone).offset}`,
          }))}
          value={when.fold}
          onChange={(fold) => write({ fold })}
        />
      ) : null}
      {at === null ? null : <ZoneNote at={at} timeZone={timeZone} />}
    </>
  );
}

/** The same instant by the reader's own clock, where that differs. */
function ZoneNote({ at, timeZone }: { readonly at: number; readonly timeZone: string }) {
  const here = ownTimeZone();
  const words = absoluteWords(at, timeZone);
  const hereWords = absoluteWords(at, here);
  return (
    <p className="field-note">
      {words}
      {words === hereWords ? null : `; ${hereWords} where you are`}
    </p>
  );
}
