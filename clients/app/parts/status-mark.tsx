import { Icon, type IconName } from './icon.tsx';
import './status-mark.css';

/** What became of a Variant. `unconfirmed`: the Network did not say whether it took it: a question, no failure. */
export type ShownStatus = 'draft' | 'scheduled' | 'publishing' | 'published' | 'failed' | 'cancelled' | 'unconfirmed';

const STATUSES: Readonly<Record<ShownStatus, { readonly icon: IconName; readonly word: string }>> = {
  draft: { icon: 'draft', word: 'Draft' },
  scheduled: { icon: 'clock', word: 'Scheduled' },
  publishing: { icon: 'send', word: 'Publishing' },
  published: { icon: 'check', word: 'Published' },
  failed: { icon: 'alert', word: 'Failed' },
  cancelled: { icon: 'dash', word: 'Cancelled' },
  unconfirmed: { icon: 'question', word: 'Unconfirmed' },
};

/** The status that people see: a failure for want of an answer has a word of its own. */
export function shownStatusOf(variant: {
  readonly status: Exclude<ShownStatus, 'unconfirmed'>;
  readonly failureReason?: string | null;
}): ShownStatus {
  return variant.status === 'failed' && variant.failureReason === 'unconfirmed' ? 'unconfirmed' : variant.status;
}

export function statusWord(status: ShownStatus): string {
  return STATUSES[status].word;
}

export interface StatusMarkProps {
  readonly status: ShownStatus;
  /** For small cards: the icon, with the word for readers. */
  readonly isWordHidden?: boolean;
}

/** Icon, word and colour. */
export function StatusMark({ status, isWordHidden = false }: StatusMarkProps) {
  const { icon, word } = STATUSES[status];
  return (
    <span className={`status-mark status-${status}`} title={isWordHidden ? word : undefined}>
      <Icon name={icon} />
      <span className={isWordHidden ? 'visually-hidden' : undefined}>{word}</span>
    </span>
  );
}
