import type { IconName } from '../../../parts/icon.tsx';
import type { ShownStatus } from '../../../parts/status-mark.tsx';

/** Those of `StatusMark`: a card draws them itself, as the words beside them may be of several Variants. */
export const STATUS_ICONS: Readonly<Record<ShownStatus, IconName>> = {
  draft: 'draft',
  scheduled: 'clock',
  publishing: 'send',
  published: 'check',
  failed: 'alert',
  cancelled: 'dash',
  unconfirmed: 'question',
};
