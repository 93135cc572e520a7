import type { Key, KeyColumn, KeyValue, SliceOptions, Table } from '#ports/table.ts';

/** A range of one partition that one CQL statement can select: conditions on clustering columns, joined by AND. */
export interface Range {
  readonly conditions: readonly string[];
  readonly values: readonly { readonly column: KeyColumn; readonly value: KeyValue }[];
}

interface Edges {
  readonly low: Key;
  readonly lowIncluded: boolean;
  readonly high: Key;
}

const WHOLE: Range = { conditions: [], values: [] };

/**
 * The ranges that together, one after the other, make up the slice. One range suffices, unless bounds span columns of
 * both directions: CQL compares tuples column by column in ascending order, so "after (p desc, n asc)" is not a
 * comparison of tuples but "the same p and a greater n", then "a smaller p".
 */
export function sliceRanges(table: Table, options: SliceOptions): readonly Range[] {
  const { prefix = [], from, after, until } = options;
  const edges: Edges = { low: from ?? after ?? [], lowIncluded: from !== undefined, high: until ?? [] };
  const rest = table.clusteringKey.slice(prefix.length);
  const fixed = prefix.map((value, i) => equal(table.clusteringKey[i]!, value));
  return steps(rest, edges).map((range) => join([...fixed, range]));
}

function tupleRange(columns: readonly KeyColumn[], edges: Edges): Range {
  const down = columns[0] !== undefined && isDescending(columns[0]);
  return join([
    compare(columns, `${down ? '<' : '>'}${edges.lowIncluded ? '=' : ''}`, edges.low),
    compare(columns, down ? '>' : '<', edges.high),
  ]);
}

function steps(columns: readonly KeyColumn[], edges: Edges): readonly Range[] {
  const { low, lowIncluded, high } = edges;
  const [column, ...rest] = columns;
  if (column === undefined) return [WHOLE];
  const bound = columns.slice(0, Math.max(low.length, high.length));
  if (bound.every((other) => isDescending(other) === isDescending(column))) return [tupleRange(bound, edges)];
  const [lowest, ...lowRest] = low;
  const [highest, ...highRest] = high;
  if (lowest !== undefined && highest !== undefined) {
    const order = inOrder(column, lowest, highest);
    if (order > 0) return [];
    if (order === 0) {
      // A bound with fewer columns excludes every row that begins with its last value, whether it is an end or an
      // exclusive start.
      if (highRest.length === 0 || (lowRest.length === 0 && !lowIncluded)) return [];
      return under(column, lowest, steps(rest, { low: lowRest, lowIncluded, high: highRest }));
    }
  }
  const goesOn = lowest !== undefined && lowRest.length > 0;
  const between = tupleRange([column], {
    low: low.slice(0, 1),
    lowIncluded: lowIncluded && !goesOn,
    high: high.slice(0, 1),
  });
  return [
    ...(goesOn ? under(column, lowest, steps(rest, { low: lowRest, lowIncluded, high: [] })) : []),
    between,
    ...(highest !== undefined && highRest.length > 0
      ? under(column, highest, steps(rest, { low: [], lowIncluded: false, high: highRest }))
      : []),
  ];
}

function under(column: KeyColumn, value: KeyValue, ranges: readonly Range[]): readonly Range[] {
  return ranges.map((range) => join([equal(column, value), range]));
}

function equal(column: KeyColumn, value: KeyValue): Range {
  return { conditions: [`"${column.name}" = ?`], values: [{ column, value }] };
}

function compare(columns: readonly KeyColumn[], operator: string, bound: Key): Range {
  if (bound.length === 0) return WHOLE;
  const named = columns.slice(0, bound.length);
  return {
    conditions: [
      `(${named.map((column) => `"${column.name}"`).join(', ')}) ${operator} (${named.map(() => '?').join(', ')})`,
    ],
    values: named.map((column, i) => ({ column, value: bound[i]! })),
  };
}

function join(ranges: readonly Range[]): Range {
  return { conditions: ranges.flatMap((range) => range.conditions), values: ranges.flatMap((range) => range.values) };
}

function isDescending(column: KeyColumn): boolean {
  return column.order === 'desc';
}

/** Negative when `a` comes before `b` in slice order. */
function inOrder(column: KeyColumn, a: KeyValue, b: KeyValue): number {
  const up = typeof a === 'number' ? a - (b as number) : Buffer.compare(Buffer.from(a), Buffer.from(b as string));
  return isDescending(column) ? -up : up;
}
