import { Label, ProgressBar } from 'react-aria-components';
import './progress.css';

export interface ProgressProps {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  /** Between 0 and `of`; null: under way, nobody knows how far. */
  readonly value: number | null;
  /** Default: 100. */
  readonly of?: number;
  /** What stands at its end; default: percent. */
  readonly words?: string;
}

/** How far something that takes a while has come. */
export function Progress({ label, isLabelHidden = false, value, of = 100, words }: ProgressProps) {
  return (
    <ProgressBar
      className="progress"
      value={value ?? 0}
      maxValue={of}
      isIndeterminate={value === null}
      {...(words === undefined ? {} : { valueLabel: words })}
    >
      {({ percentage, valueText }) => (
        <>
          <Label className={isLabelHidden ? 'visually-hidden' : undefined}>{label}</Label>
          <span className="progress-words">{valueText}</span>
          <span className="progress-track" aria-hidden="true">
            <span
              className={value === null ? 'progress-fill progress-unknown' : 'progress-fill'}
              style={{ inlineSize: `${percentage ?? 100}%` }}
            />
          </span>
        </>
      )}
    </ProgressBar>
  );
}
