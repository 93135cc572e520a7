/**
 * ASN.1 values in the encoding that certificates use (X.690, DER). Each function returns a whole value: tag, length,
 * content.
 */

function value(tag: number, content: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.from([bytes]);
  const digits =
    bytes > 0xff_ff
      ? [bytes >> 16, (bytes >> 8) & 0xff, bytes & 0xff]
      : bytes > 0xff
        ? [bytes >> 8, bytes & 0xff]
        : [bytes];
  return Buffer.from([0x80 | digits.length, ...digits]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => value(0x30, Buffer.concat(parts));
export const set = (...parts: readonly Uint8Array[]): Buffer => value(0x31, Buffer.concat(parts));
export const boolean = (truth: boolean): Buffer => value(0x01, Buffer.from([truth ? 0xff : 0]));
export const octetString = (content: Uint8Array): Buffer => value(0x04, content);
export const utf8String = (text: string): Buffer => value(0x0c, Buffer.from(text));
/** `unusedBits`: the number of them in the last byte. */
export const bitString = (content: Uint8Array, unusedBits = 0): Buffer =>
  value(0x03, Buffer.concat([Buffer.from([unusedBits]), content]));
/** `[number]`, around whole values. */
export const tagged = (number: number, ...parts: readonly Uint8Array[]): Buffer =>
  value(0xa0 | number, Buffer.concat(parts));
/** `[number]` in place of a string's own tag. */
export const taggedString = (number: number, content: Uint8Array): Buffer => value(0x80 | number, content);

/** Big-endian and never negative, whatever the first bit is. */
export function integer(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Buffer.from([0]) : Buffer.from(bytes.subarray(first));
  return value(0x02, digits[0]! < 0x80 ? digits : Buffer.concat([Buffer.from([0]), digits]));
}

/** e.g. `2.5.29.17`. */
export function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const septets = (number: number): number[] =>
    number < 0x80 ? [number] : [...septets(number >> 7).map((septet) => septet | 0x80), number & 0x7f];
  return value(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(septets)]));
}

/** To the second. Certificates write years before 2050 with two digits and later ones with four (RFC 5280, 4.1.2.5). */
export function time(atMs: number): Buffer {
  const digits = new Date(atMs).toISOString().replace(/\.\d+|[-:T]/g, '');
  return digits < '2050' ? value(0x17, Buffer.from(digits.slice(2))) : value(0x18, Buffer.from(digits));
}
