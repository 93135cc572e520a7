import type { KeyColumn, Table, TableClock } from '#ports/table-store.ts';
import { TABLES } from './tables.ts';
import { TOPICS, type Topic } from './topics.ts';

const HEAD = `# Topics and tables

This page is written by \`npm run docs\` from \`libs/tables/topics.ts\` and \`libs/tables/tables.ts\`. What the messages hold is in
\`schemas/avro\`.

## Topics

The number of partitions is fixed for life: keys are placed by it. Records are kept 14 days unless said.

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

const DEFAULT_DAYS = 14;

const WRITTEN: Readonly<Record<TableClock, string>> = {
  conditional: 'by compare-and-set',
  turn: 'at the timestamp of a turn',
  once: 'once',
};

/** docs/data.md, from the declarations that adapters and migrate work by. */
export function dataPage(): string {
  return HEAD + TOPICS.map(topicRow).join('') + TABLES_HEAD + TABLES.map(tableRow).join('');
}

function topicRow({ name, partitions, doc, retentionDays = DEFAULT_DAYS }: Topic): string {
  return `| ${name} | ${partitions} | ${doc}${retentionDays === DEFAULT_DAYS ? '' : `; kept ${retentionDays} days`} |\n`;
}

function tableRow(table: Table): string {
  const key = [`(${table.partitionKey.map(nameOf).join(', ')})`, ...table.clusteringKey.map(nameOf)].join(', ');
  return `| ${table.name} | (${key}) | ${WRITTEN[table.clock]}${table.expires === true ? ', may expire' : ''} | ${table.doc} |\n`;
}

function nameOf(column: KeyColumn): string {
  return column.order === 'desc' ? `${column.name} desc` : column.name;
}
