import { columnsOf, type Column } from './columns.ts';
import { readRow, type CsvProblem, type CsvRow, type RowOptions } from './read-row.ts';
import type { NamedChannel } from './channel-names.ts';
import { recordsOf, type CsvRecord } from './records.ts';
import { slashOrderOf } from './written-time.ts';

export interface ReadPostsOptions {
  readonly channels: readonly NamedChannel[];
  /** The zone of times that name none, such as Europe/Berlin. */
  readonly zone: string;
  /** For rows that name no Channel. */
  readonly channelIds?: readonly string[];
  /** Tells imports apart that create the same rows again on purpose. */
  readonly batch?: string;
}

/** A file of Posts, read: what each row would create, or what is wrong with it. */
export interface PostsFile {
  readonly rows: readonly CsvRow[];
  /** What keeps the whole file from being read. */
  readonly problems: readonly CsvProblem[];
  /** Columns that were passed over, with the name that each may have been meant to have. */
  readonly ignored: readonly { readonly header: string; readonly nearest: string | null }[];
}

const MAX_ROWS = 10_000;

/**
 * Reads a CSV file of Posts: separated by commas, semicolons or tabs, with or without a BOM, lines ended in any way,
 * texts with line breaks in quotes. Cells are texts and nothing else: a formula is not computed.
 */
export function readPosts(text: string, options: ReadPostsOptions): PostsFile {
  const reading = recordsOf(text);
  if (!reading.ok) return fileProblem(problem(reading.line, reading.message));
  const [head, ...body] = reading.records;
  if (head === undefined) return fileProblem(problem(1, 'The file is empty. Its first row must name the columns'));
  if (body.length > MAX_ROWS)
    return fileProblem(
      problem(1, `The file has ${body.length} rows, and ${MAX_ROWS} are taken at once. Split it into several`),
    );
  const columns = columnsOf(head.cells, options.channels);
  const missing = missingColumn(columns, options);
  if (missing !== null) return { ...fileProblem(missing), ignored: ignoredOf(columns) };
  const given: RowOptions = { ...options, columns, slashOrder: slashOrderOf(datesOf(columns, body)), seen: new Map() };
  return {
    rows: body.map((record) => readRow(record, given)),
    problems: [],
    ignored: ignoredOf(columns),
  };
}

function missingColumn(columns: readonly Column[], { channelIds = [] }: ReadPostsOptions): CsvProblem | null {
  const has = (kind: string): boolean => columns.some(({ meaning }) => meaning?.kind === kind);
  const found = columns.map(({ header }) => header).join(', ');
  if (!has('text') && !has('media'))
    return problem(1, `No column holds the texts. Name one "text". The columns are: ${found}`);
  if (!has('channels') && channelIds.length === 0)
    return problem(
      1,
      `No column names the Channels. Name one "channels", or choose them for all rows. The columns are: ${found}`,
    );
  return null;
}

function datesOf(columns: readonly Column[], records: readonly CsvRecord[]): readonly string[] {
  const dates = columns.filter(({ meaning }) => meaning?.kind === 'date' || meaning?.kind === 'scheduledAt');
  return records.flatMap(({ cells }) => dates.map(({ index }) => cells[index] ?? ''));
}

function ignoredOf(columns: readonly Column[]): PostsFile['ignored'] {
  return columns.flatMap(({ header, meaning, nearest }) =>
    meaning === null && header !== '' ? [{ header, nearest }] : [],
  );
}

function problem(row: number, message: string): CsvProblem {
  return { row, column: null, message };
}

function fileProblem(one: CsvProblem): PostsFile {
  return { rows: [], problems: [one], ignored: [] };
}
