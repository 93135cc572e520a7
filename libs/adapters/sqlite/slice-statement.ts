import type { KeyValue, SliceOptions, Table } from '#ports/table.ts';

export interface SliceStatement {
  /** Conditions on clustering columns, each beginning with AND; '' for none. */
  readonly where: string;
  readonly values: readonly KeyValue[];
}

type Comparison = 'from' | 'after' | 'until';

/** Strict except for the last column, whose operator decides about rows that begin with the bound itself. */
const OPERATORS: Readonly<
  Record<
    Comparison,
    { readonly last: readonly [asc: string, desc: string]; readonly strict: readonly [asc: string, desc: string] }
  >
> = {
  from: { last: ['>=', '<='], strict: ['>', '<'] },
  after: { last: ['>', '<'], strict: ['>', '<'] },
  until: { last: ['<', '>'], strict: ['<', '>'] },
};

/**
 * The range of a slice as SQL that SQLite answers by a seek in the primary key (`table-statements.test.ts` checks the
 * query plan).
 */
export function sliceStatement(table: Table, options: SliceOptions): SliceStatement {
  const { prefix = [] } = options;
  const conditions = table.clusteringKey.slice(0, prefix.length).map((column) => ` AND "${column.name}" = ?`);
  const values: KeyValue[] = [...prefix];
  for (const comparison of ['from', 'after', 'until'] as const) {
    const bound = options[comparison];
    if (bound === undefined) continue;
    const columns = table.clusteringKey.slice(prefix.length, prefix.length + bound.length);
    const names = columns.map((column) => `"${column.name}"`);
    const directions = columns.map((column) => (column.order === 'desc' ? 1 : 0));
    if (directions.every((direction) => direction === directions[0])) {
      conditions.push(` AND (${names}) ${OPERATORS[comparison].last[directions[0]!]} (${names.map(() => '?')})`);
      values.push(...bound);
    } else {
      conditions.push(mixedBound(comparison, names, directions));
      values.push(
        bound[0]!,
        ...bound.flatMap((value, index) => (index === bound.length - 1 ? [value] : [value, value])),
      );
    }
  }
  return { where: conditions.join(''), values };
}

/**
 * Row values compare all columns in one direction. Where directions differ the comparison is spelled out; a bound on
 * the first column alone goes before it, since SQLite does not seek by an OR.
 */
function mixedBound(comparison: Comparison, names: readonly string[], directions: readonly (0 | 1)[]): string {
  const { last, strict } = OPERATORS[comparison];
  const spelled = names.reduceRight((inner, name, index) => {
    const direction = directions[index]!;
    return inner === ''
      ? `${name} ${last[direction]} ?`
      : `(${name} ${strict[direction]} ? OR (${name} = ? AND ${inner}))`;
  }, '');
  const seek = comparison === 'until' ? ['<=', '>='] : ['>=', '<='];
  return ` AND ${names[0]} ${seek[directions[0]!]} ? AND ${spelled}`;
}
