import type { Key, KeyValue, Table } from '#ports/table.ts';

export type CompareKeys = (row: Key, bound: Key) => number;

/**
 * Compares rows in the table's clustering order. A bound shorter than the key stands for all rows that begin with it.
 */
export function clusteringOrder(table: Table): CompareKeys {
  const signs = table.clusteringKey.map((column) => (column.order === 'desc' ? -1 : 1));
  return (row, bound) => {
    for (let i = 0; i < bound.length; i++) {
      const order = compareValues(row[i]!, bound[i]!);
      if (order !== 0) return order * signs[i]!;
    }
    return 0;
  };
}

function compareValues(a: KeyValue, b: KeyValue): number {
  return typeof a === 'string' ? compareTextByBytes(a, b as string) : Math.sign(a - (b as number));
}

/**
 * Compares texts in the order of their UTF-8 bytes. UTF-16 code units sort the same, except for surrogates, which
 * encode the characters above U+FFFF but are smaller than U+E000 to U+FFFF.
 */
function compareTextByBytes(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
