/**
 * What the text takes in JSON, in bytes of UTF-8, its quotes included: a quote takes two, a control character six, `長`
 * three.
 */
export function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}

/** The most that a text of this length can take in JSON: for sums that need not be exact. */
export function mostJsonBytes(text: string): number {
  return 6 * text.length + 2;
}

/** The text if it takes at most `most` bytes in JSON; else its beginning and an ellipsis, which do. */
export function cutToJsonBytes(text: string, most: number): string {
  if (mostJsonBytes(text) <= most || jsonBytes(text) <= most) return text;
  let [fits, tooLong] = [0, Math.min(text.length, most)];
  while (fits + 1 < tooLong) {
    const middle = (fits + tooLong) >> 1;
    if (jsonBytes(beginning(text, middle)) <= most) fits = middle;
    else tooLong = middle;
  }
  return beginning(text, fits);
}

/** Does not cut a surrogate pair in two. */
function beginning(text: string, length: number): string {
  return `${text.slice(0, /[\uD800-\uDBFF]/.test(text.charAt(length - 1)) ? length - 1 : length)}…`;
}
