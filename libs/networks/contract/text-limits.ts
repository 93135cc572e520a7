import type { TextLimit } from '#domain/network-limits.ts';

/** A limit in UTF-16 units, which is what most Networks mean by characters. */
export function unitsUpTo(most: number): TextLimit {
  return { most, unit: 'characters', count: ({ length }) => length };
}

/** The bytes of a text in UTF-8, in every JavaScript: Node's Buffer is no part of a browser. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

const encoder = new TextEncoder();
