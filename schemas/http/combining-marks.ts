/** The most combining marks in a row that a text may have. No script needs a third of them. */
export const MAX_MARKS_IN_A_ROW = 30;

// Anchored to the beginning of a run, so that each mark is read once.
const LONGER_RUN = new RegExp(`(?<!\\p{M})\\p{M}{${MAX_MARKS_IN_A_ROW + 1}}`, 'u');

/**
 * Unicode normalisation sorts the marks of a run in time that grows with the square of their number: a run of 100,000
 * holds the process for seconds. A text without a longer run is normalised in time that grows with its length.
 */
export function hasLongRunOfMarks(text: string): boolean {
  return LONGER_RUN.test(text);
}
