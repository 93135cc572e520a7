import type { Key, RowWrite, Table } from './table.ts';

/**
 * A row was written with a second body where only one is allowed: at one timestamp of a `turn` table, or under one key
 * of a `once` table. No engine could tell which of them is meant, so it is a defect of this project and not a
 * `PortError`: a retry would fail again.
 */
export class TwoBodiesError extends Error {
  override readonly name = 'TwoBodiesError';
  readonly table: string;
  readonly partition: Key;
  readonly clustering: Key;

  constructor(table: Table, { partition, clustering }: Pick<RowWrite, 'partition' | 'clustering'>) {
    super(
      `table ${table.name}: two bodies for row ${JSON.stringify([partition, clustering])}; a store would keep either`,
    );
    this.table = table.name;
    this.partition = partition;
    this.clustering = clustering;
  }
}

type BodyAndFormat = Pick<RowWrite, 'body' | 'format'>;

export function sameBody(one: BodyAndFormat, other: BodyAndFormat): boolean {
  return one.format === other.format && Buffer.compare(one.body, other.body) === 0;
}
