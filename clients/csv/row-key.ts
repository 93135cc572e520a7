/**
 * An Idempotency-Key for a row: the same row gives the same key in whatever file and place it stands, so a file that is
 * sent again, or was corrected elsewhere, creates no row twice. `batch` tells imports that are meant to differ apart.
 * The digest has 106 bits and guards against chance only: keys are no secrets, and one key with two bodies is refused.
 */
export function rowKey(content: unknown, batch: string): string {
  const text = JSON.stringify([batch, content]);
  return `csv-${digest(text, 0x9e3779b9)}${digest(text, 0x85ebca6b)}`;
}

/** cyrb53 of a text: synchronous, and the same in browsers without a secure context, which have no WebCrypto. */
function digest(text: string, seed: number): string {
  let [high, low] = [0xdeadbeef ^ seed, 0x41c6ce57 ^ seed];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(16).padStart(14, '0');
}
