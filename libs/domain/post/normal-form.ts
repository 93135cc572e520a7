import { hasLongRunOfMarks } from '#schemas/http/combining-marks.ts';

/**
 * The text in NFC, in time that grows with its length only. One with more combining marks in a row than any request may
 * bring stays as it is: of all that Crier publishes none has them, so nothing that a Network says of itself with them
 * can be the same.
 */
export function normalForm(text: string): string {
  return hasLongRunOfMarks(text) ? text : text.normalize('NFC');
}
