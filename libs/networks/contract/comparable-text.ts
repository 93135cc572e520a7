import { normalForm } from '#domain/post/normal-form.ts';

/**
 * A text to compare with what a Network gives back. Networks normalise and trim texts, and some write line ends and
 * runs of blanks their own way: what differs in these alone is taken for the same.
 */
export function comparable(text: string): string {
  return normalForm(text).replaceAll(/\s+/g, ' ').trim();
}
