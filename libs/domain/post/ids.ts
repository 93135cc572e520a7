const VARIANT_DIGITS = 2;
export const MAX_VARIANTS = 255;

/** Turns a fresh UUIDv7 into a Post's id by clearing its last byte, which its Variants count up from. */
export function postIdOf(uuid7: string): string {
  return uuid7.slice(0, -VARIANT_DIGITS) + '00';
}

/** `number` from 1 to 255. */
export function variantIdOf(postId: string, number: number): string {
  if (number < 1 || number > MAX_VARIANTS) throw new RangeError(`variant number ${number}`);
  return postId.slice(0, -VARIANT_DIGITS) + number.toString(16).padStart(VARIANT_DIGITS, '0');
}

export function postIdOfVariant(variantId: string): string {
  return postIdOf(variantId);
}

export function variantNumberOf(variantId: string): number {
  return Number.parseInt(variantId.slice(-VARIANT_DIGITS), 16);
}

/** The instant in a UUIDv7, milliseconds since the epoch. */
export function instantOf(uuid7: string): number {
  return Number.parseInt(uuid7.slice(0, 8) + uuid7.slice(9, 13), 16);
}

/** Sorts below every UUIDv7 of that instant or later, and above every earlier one. */
export function idFloor(instant: number): string {
  const hex = instant.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether this can be the id of a Post at all (lower case, version 7, last byte 0). */
export function isPostId(text: string): boolean {
  return UUID7.test(text) && text.endsWith('00');
}

export function isVariantId(text: string): boolean {
  return UUID7.test(text) && !text.endsWith('00');
}
