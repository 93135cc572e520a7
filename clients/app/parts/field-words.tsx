import type { ReactNode } from 'react';
import { FieldError, Label, Text } from 'react-aria-components';
import './field.css';

export interface FieldWordsProps {
  readonly label: string;
  /** For readers only: where the place says what is asked for. */
  readonly isLabelHidden?: boolean;
  /** Below the field: what to write, or what comes of it. */
  readonly note?: ReactNode;
  /** What is wrong and what to do about it; the field is invalid while there is one. */
  readonly error?: ReactNode;
}

export function FieldLabel({ label, isLabelHidden = false }: FieldWordsProps) {
  return <Label className={isLabelHidden ? 'visually-hidden' : 'field-label'}>{label}</Label>;
}

export function FieldNotes({ note, error }: Pick<FieldWordsProps, 'note' | 'error'>) {
  return (
    <>
      {note === undefined ? null : (
        <Text slot="description" className="field-note">
          {note}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
    </>
  );
}

/** For fields of React Aria. */
export function invalidity({ error }: Pick<FieldWordsProps, 'error'>): { readonly isInvalid: boolean } {
  return { isInvalid: error !== undefined && error !== null && error !== '' };
}
