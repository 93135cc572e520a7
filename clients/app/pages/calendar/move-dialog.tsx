import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { absoluteWords } from '../../parts/time-words.ts';
import type { PlacedCard } from './cards/placed-card.ts';
import { clockText, minutesOf } from './time/time-texts.ts';
import type { ZoneClock } from './time/zone-clock.ts';

export interface MoveDialogProps {
  readonly placed: PlacedCard;
  readonly clock: ZoneClock;
  readonly now: number;
  readonly onClose: () => void;
  readonly onMove: (at: number) => void;
}

/** What dragging does, by a date and a time. */
export function MoveDialog({ placed, clock, now, onClose, onMove }: MoveDialogProps) {
  const [date, setDate] = useState(placed.wall.date);
  const [time, setTime] = useState(placed.time);
  const minutes = minutesOf(time);
  const isWhole = /^\d{4}-\d{2}-\d{2}$/.test(date) && minutes !== null;
  // Unless the clock is changed, a time that there is twice stays the one that it was.
  const isSecond = placed.wall.isSecond && date === placed.wall.date;
  const at = isWhole ? clock.instantOf({ date, minutes, isSecond }) : null;
  const isPast = at !== null && at <= now;
  return (
    <Dialog
      title="Move this Post"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Keep it where it is</Button>
          <Button look="primary" type="submit" form="move-post" isDisabled={at === null || isPast || at === placed.at}>
            Move
          </Button>
        </>
      }
    >
      <form
        id="move-post"
        onSubmit={(event) => {
          event.preventDefault();
          if (at !== null && !isPast && at !== placed.at) onMove(at);
        }}
      >
        <p dir="auto">{placed.words}</p>
        <TextField label="Date" type="date" value={date} onChange={setDate} autoFocus />
        <TextField
          label="Time"
          type="time"
          value={time}
          onChange={setTime}
          note={at === null ? 'Choose a date and a time.' : noteOf(at, minutes!, clock)}
          error={isPast ? 'That time is over. Choose a later one.' : undefined}
        />
        <p>
          Moving cancels this Post and creates it again: it gets a new id, and webhooks tell of both. You can undo it
          for 10 seconds.
        </p>
      </form>
    </Dialog>
  );
}

function noteOf(at: number, minutes: number, clock: ZoneClock): string {
  const shown = absoluteWords(at, clock.timeZone);
  const isSkipped = clock.wallTimeOf(at).minutes !== minutes;
  const words = `${shown} in ${clock.timeZone}`;
  return isSkipped ? `Clocks skip ${clockText(minutes)} on that day. It becomes ${words}.` : words;
}
