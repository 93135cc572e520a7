import { DEFAULT_RETENTION_DAYS } from '#ports/log-admin.ts';
import type { KeyColumn, Table, TableClock } from '#ports/table.ts';
import { TABLES } from './tables.ts';
import { TOPICS, type Topic } from './topics.ts';

const HEAD = `# Topics and tables

This page is written by \`npm run docs\` from \`libs/tables/declarations/topics.ts\` and \`libs/tables/declarations/tables.ts\`. What the messages hold is in
\`schemas/avro\`.

## Topics

The number of partitions is fixed for life: keys are placed by it. A cluster keeps records ${DEFAULT_RETENTION_DAYS} days unless said. The
embedded log keeps them until every group that still comes has done with them, however long that takes, and a few of the newest of
each partition beyond that; where no group reads, it keeps them the same days, at most 100,000 a partition.

| Topic | Partitions | Holds |
|---|---|---|
`;

const TABLES_HEAD = `
## Tables

The partition key is in double brackets. Each table has one way to be written, and adapters refuse the others, because
conditional writes and client timestamps on the same cells lose writes.

| Table | Key | Written | Holds |
|---|---|---|---|
`;

const WRITTEN: Readonly<Record<TableClock, string>> = {
  conditional: 'by compare-and-set',
  turn: 'at the timestamp of a turn',
  once: 'once',
};

/** docs/data.md, from the declarations that adapters and migrate work by. */
export function dataPage(): string {
  return HEAD + TOPICS.map(topicRow).join('') + TABLES_HEAD + TABLES.map(tableRow).join('');
}

function topicRow({ name, partitions, doc, retentionDays = DEFAULT_RETENTION_DAYS }: Topic): string {
  return `| ${name} | ${partitions} | ${doc}${retentionDays === DEFAULT_RETENTION_DAYS ? '' : `; kept ${retentionDays} days`} |\n`;
}

function tableRow(table: Table): string {
  const key = [`(${table.partitionKey.map(nameOf).join(', ')})`, ...table.clusteringKey.map(nameOf)].join(', ');
  return `| ${table.name} | (${key}) | ${WRITTEN[table.clock]}${table.expires === true ? ', may expire' : ''} | ${table.doc} |\n`;
}

function nameOf(column: KeyColumn): string {
  return column.order === 'desc' ? `${column.name} desc` : column.name;
}
