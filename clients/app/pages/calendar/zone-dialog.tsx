import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Select } from '../../parts/select.tsx';
import { usePreference } from '../../preferences/use-preference.ts';
import { ownTimeZone, timeZoneChoices } from '../../preferences/time-zone.ts';
import { WEEK_START, WEEK_STARTS } from '../../preferences/week-start.ts';

export interface ZoneDialogProps {
  readonly timeZone: string;
  readonly onClose: () => void;
  readonly onZone: (timeZone: string) => void;
}

/** In which zone the calendar is shown, and with which day its weeks begin. */
export function ZoneDialog({ timeZone, onClose, onZone }: ZoneDialogProps) {
  const [weekStart, setWeekStart] = usePreference(WEEK_START);
  const [zone, setZone] = useState(timeZone);
  const zones = timeZoneChoices(timeZone, ownTimeZone());
  return (
    <Dialog
      title="Time zone and weeks"
      isOpen
      onClose={onClose}
      actions={
        <Button
          look="primary"
          onPress={() => {
            onZone(zone);
            onClose();
          }}
        >
          Show it so
        </Button>
      }
    >
      <Select
        label="Time zone of the calendar"
        note={`Your own zone, ${ownTimeZone()}, stands beside it when the two differ.`}
        choices={zones.map((name) => ({ value: name, name: name.replaceAll('_', ' ') }))}
        value={zone}
        onChange={setZone}
      />
      <Select label="Weeks begin on" choices={WEEK_STARTS} value={weekStart} onChange={setWeekStart} />
    </Dialog>
  );
}
