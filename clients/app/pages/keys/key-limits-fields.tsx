import { Checkbox } from '../../parts/checkbox.tsx';
import { Select } from '../../parts/select.tsx';
import { TextField } from '../../parts/text-field.tsx';

const DAY_MS = 86_400_000;
const LIVES = [
  { value: 'never', name: 'Never' },
  { value: '30', name: 'In 30 days' },
  { value: '90', name: 'In 90 days' },
  { value: '365', name: 'In a year' },
] as const;

export interface ChosenLimits {
  /** In days. */
  readonly life: (typeof LIVES)[number]['value'];
  readonly readOnly: boolean;
  /** As they are written: addresses and ranges, apart by commas or spaces. */
  readonly addresses: string;
}

export const NO_LIMITS: ChosenLimits = { life: 'never', readOnly: false, addresses: '' };

export interface KeyLimitsFieldsProps {
  readonly limits: ChosenLimits;
  readonly onChange: (limits: ChosenLimits) => void;
}

/** What a new key may not do although its permissions allow it. */
export function KeyLimitsFields({ limits, onChange }: KeyLimitsFieldsProps) {
  return (
    <>
      <Checkbox
        isSelected={limits.readOnly}
        onChange={(readOnly) => onChange({ ...limits, readOnly })}
        note="It lists and reads, and can not schedule, cancel, upload or publish."
      >
        Only read
      </Checkbox>
      <Select
        label="Expires"
        choices={LIVES}
        value={limits.life}
        onChange={(life) => onChange({ ...limits, life })}
        note="Requests with it are refused from then on."
      />
      <TextField
        label="Good from these addresses only (optional)"
        note="IP addresses and ranges, such as 203.0.113.7 or 203.0.113.0/24. Left out: from everywhere."
        value={limits.addresses}
        onChange={(addresses) => onChange({ ...limits, addresses })}
        maxLength={2_000}
        autoComplete="off"
      />
    </>
  );
}

/** As the server takes them. `now`: milliseconds since the epoch. */
export function sentLimits({ life, readOnly, addresses }: ChosenLimits, now: number) {
  return {
    expiresAt: life === 'never' ? null : new Date(now + Number(life) * DAY_MS).toISOString(),
    readOnly,
    allowedIps: addresses.split(/[\s,]+/).filter((address) => address !== ''),
  };
}
