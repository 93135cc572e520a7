import { createContext, useContext, type ReactNode } from 'react';
import { Icon } from '../../parts/icon.tsx';
import type { BlockedField, BlockedPlace } from './checks/blocked-field.ts';
import type { ShownBlocker } from './checks/blockers.ts';

/** What stands against the Post; each field shows its own. */
export const BlockersContext = createContext<readonly ShownBlocker[]>([]);

/** The id of the place where a blocker is put right. */
function fieldId(field: BlockedField, channelId: string | null): string {
  return `compose-${field}-${channelId ?? 'all'}`;
}

/** The place of a field of one file, in the place of a Channel's id. */
export function filePlace(index: number): string {
  return `file-${index}`;
}

/** What is wrong with a field, in a sentence or more; undefined: nothing. `file`: of this one only. */
export function useFieldError(
  field: BlockedField,
  channelIds: readonly (string | null)[],
  file: number | null = null,
): string | undefined {
  const blockers = useContext(BlockersContext);
  const isOwn = (each: ShownBlocker) =>
    each.field === field && channelIds.includes(each.channelId) && (file === null || each.file === file);
  const own = blockers.filter(isOwn);
  const messages = [...new Set(own.map(({ message }) => message))];
  return messages.length === 0 ? undefined : messages.join(' ');
}

export interface FieldPlaceProps {
  readonly field: BlockedField;
  /** Null: of the whole Post. */
  readonly channelId: string | null;
  readonly children: ReactNode;
}

/** Where a jump from the list of blockers leads: the first control inside takes the focus. */
export function FieldPlace({ field, channelId, children }: FieldPlaceProps) {
  return (
    <div id={fieldId(field, channelId)} className="compose-place" tabIndex={-1}>
      {children}
    </div>
  );
}

/** For what is wrong with a group of controls: beside them, and said by readers who come to the group. */
export function FieldTrouble({ id, message }: { readonly id: string; readonly message: string | undefined }) {
  if (message === undefined) return null;
  return (
    <p id={id} className="field-error compose-trouble">
      <Icon name="alert" /> {message}
    </p>
  );
}

const FOCUSABLE = 'textarea, input:not([type="hidden"]), select, button, a[href]';

/** Moves the focus to the place of a blocker: that of its Channel, else that of the whole Post. */
export function focusField({ field, file, channelId }: BlockedPlace & Pick<ShownBlocker, 'channelId'>): void {
  const own = file === null ? channelId : filePlace(file);
  const places = [fieldId(field, own), fieldId(field, null), fieldId('media', null)];
  const place = places.map((id) => document.getElementById(id)).find((each) => each !== null);
  if (place === undefined || place === null) return;
  const control = place.querySelector<HTMLElement>(FOCUSABLE);
  (control ?? place).focus();
  place.scrollIntoView({ block: 'center' });
}
